package plan

import (
	"testing"

	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
)

// Sizes that a user leaves open are those of the arrays that are given: files, or tensors with a shape.
func TestInferSizes(t *testing.T) {
	file := invocations.Contents{Fill: invocations.FillFile, Path: "t.npy"}
	ones := invocations.Contents{Fill: invocations.FillConstant, Value: "1"}
	f := &invocations.Function{
		Name: "f",
		Arguments: []invocations.Argument{
			{Name: "text", Element: invocations.Int8, Extent: "n", Usage: invocations.Input},
			{Name: "table", Element: invocations.Float32, Extent: "rows*columns", Usage: invocations.Input},
			{Name: "blocks", Element: invocations.Float32, Extent: "8*count", Usage: invocations.Input},
			{Name: "n", Element: invocations.Int64, ByValue: true, Usage: invocations.Input},
		},
		Parameters: []invocations.Parameter{
			{Name: "n", Example: "64"}, {Name: "rows", Example: "64"}, {Name: "columns", Default: "128"},
			{Name: "count", Default: "16", Estimated: true},
		},
	}
	for _, c := range []struct {
		name      string
		shape     []int64 // of the file; nil: it is not known
		arguments []invocations.Argument
		given     map[string]string
		want      map[string]string
		note      string
	}{
		{"a file", []int64{12}, []invocations.Argument{{Name: "text", Contents: file}}, nil,
			map[string]string{"n": "12", "columns": "128", "count": "16"},
			"default sizes: columns=128; sizes of the given arrays: n=12"},
		{"a given size", []int64{12}, []invocations.Argument{{Name: "text", Contents: file}}, map[string]string{"n": "10"},
			map[string]string{"n": "10", "columns": "128", "count": "16"}, "default sizes: columns=128"},
		{"an unknown shape", nil, []invocations.Argument{{Name: "text", Contents: file}}, nil,
			map[string]string{"columns": "128", "count": "16"}, "default sizes: columns=128"},
		{"a tensor", nil, []invocations.Argument{{Name: "1", Shape: []int64{3, 5}, Contents: ones}}, nil,
			map[string]string{"rows": "3", "columns": "5", "count": "16"},
			"sizes of the given arrays: columns=5, rows=3"},
		{"another rank", []int64{3, 5, 7}, []invocations.Argument{{Name: "table", Contents: file}}, nil,
			map[string]string{"columns": "128", "count": "16"}, "default sizes: columns=128"},
		{"an estimate", []int64{8}, []invocations.Argument{{Name: "blocks", Contents: file}}, nil,
			map[string]string{"columns": "128", "count": "16"}, "default sizes: columns=128"},
		{"contents without a shape", []int64{3}, []invocations.Argument{{Name: "text", Contents: ones}}, nil,
			map[string]string{"columns": "128", "count": "16"}, "default sizes: columns=128"},
	} {
		p := &Planner{Shape: func(invocations.Contents, invocations.ElementType) []int64 { return c.shape }}
		r := &invocations.Invocation{Arguments: c.arguments, Parameters: c.given}
		got, err := p.resolve(r, &invocations.Description{}, f, nil)
		if err != nil || got.Note != c.note || !cmp.Equal(got.Invocation.Parameters, c.want) {
			t.Errorf("%s: %v, note %q, %v", c.name, got.Invocation.Parameters, got.Note, err)
		}
	}
	for _, c := range []struct {
		extent string
		shape  []int64
		want   map[string]int64
	}{
		{"n", []int64{7}, map[string]int64{"n": 7}},
		{"8*n", []int64{24}, map[string]int64{"n": 3}},
		{"8*n", []int64{25}, nil},
		{"8*n", []int64{8, 5}, map[string]int64{"n": 5}},
		{"a*b", []int64{24}, nil},
		{"n", nil, nil},
		{"0*n", []int64{4}, nil},
	} {
		if got := dimensionsOf(c.extent, c.shape); !cmp.Equal(got, c.want) {
			t.Errorf("%s in %v: %v, want %v", c.extent, c.shape, got, c.want)
		}
	}
}

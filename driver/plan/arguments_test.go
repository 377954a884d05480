package plan

import (
	"strconv"
	"strings"
	"testing"

	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
)

func TestArguments(t *testing.T) {
	half := invocations.Contents{Fill: invocations.FillConstant, Value: "0.5"}
	described := []invocations.Argument{
		{Name: "a", Element: invocations.Float32, Extent: "?x4", Usage: invocations.Input},
		{Name: "b", Element: invocations.Int32, Shape: []int64{2}, Usage: invocations.Input},
		{Name: "c", Extent: invocations.AnyShape, Usage: invocations.Input},
	}
	got, err := arguments([]invocations.Argument{
		{Name: "0", Element: invocations.Float32, Shape: []int64{7, 4}, Contents: half},
		{Name: "b", Contents: half},
		{Name: "2", Element: invocations.Float64, Shape: []int64{3}},
	}, described)
	if err != nil {
		t.Fatal(err)
	}
	want := []invocations.Argument{
		{Name: "a", Element: invocations.Float32, Shape: []int64{7, 4}, Usage: invocations.Input, Contents: half},
		{Name: "b", Element: invocations.Int32, Shape: []int64{2}, Usage: invocations.Input, Contents: half},
		{Name: "c", Element: invocations.Float64, Shape: []int64{3}, Usage: invocations.Input},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if described[0].Shape != nil {
		t.Error("the artifact's own arguments are changed")
	}
	for _, c := range []struct {
		given invocations.Argument
		want  string
	}{
		{invocations.Argument{Name: "a", Element: invocations.Float32, Shape: []int64{7, 5}},
			"argument a: it is ?x4xf32, not 7x5xf32"},
		{invocations.Argument{Name: "b", Element: invocations.Int32, Shape: []int64{3}},
			"argument b: it is 2xi32, not 3xi32"},
		{invocations.Argument{Name: "1", Element: invocations.Float32, Shape: []int64{2}}, "it is 2xi32, not 2xf32"},
		{invocations.Argument{Name: "3"}, "input 4 is given, but it takes 3: a ?x4xf32, b 2xi32, c *x"},
		{invocations.Argument{Name: "d"}, `no argument "d"`},
	} {
		_, err := arguments([]invocations.Argument{c.given}, described)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.given, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		given []invocations.Argument
		want  string // the names of the arguments in the order of the given ones, or the error
	}{
		"names that are positions": {[]invocations.Argument{{}, {}}, "1 0"},
		"one is named":             {[]invocations.Argument{{}, {Name: "1"}}, "0 1"},
		"too many":                 {[]invocations.Argument{{}, {}, {}}, "3 inputs are given, but it takes 2: 1 2xf32, 0 2xf32"},
		"too many with a name":     {[]invocations.Argument{{Name: "0"}, {}, {}}, "3 inputs are given, but it takes 2"},
		"twice":                    {[]invocations.Argument{{Name: "0"}, {Name: "0"}}, "argument 0 is given twice"},
	} {
		list := []invocations.Argument{
			{Name: "1", Element: invocations.Float32, Shape: []int64{2}, Usage: invocations.Input},
			{Name: "0", Element: invocations.Float32, Shape: []int64{2}, Usage: invocations.Input},
			{Name: "2", Usage: invocations.Output},
		}
		for i := range c.given {
			c.given[i].Contents = invocations.Contents{Fill: invocations.FillConstant, Value: strconv.Itoa(i)}
		}
		got, err := arguments(c.given, list)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		names := make([]string, len(c.given))
		for _, a := range got[:2] {
			n, _ := strconv.Atoi(a.Value)
			names[n] = a.Name
		}
		if strings.Join(names, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, names, c.want)
		}
	}
	withResults := []invocations.Argument{
		{Element: invocations.Float32, Shape: []int64{2}, Usage: invocations.Input},
		{Name: "r", Usage: invocations.Output},
		{Element: invocations.Int8, Shape: []int64{3}, Usage: invocations.Input},
		{Name: "s", Usage: invocations.Output},
	}
	for name, want := range map[string]string{
		"1": "argument 1 is a result",
		"3": "input 4 is given, but it takes 2: 0 2xf32, 2 3xi8",
		"r": "",
		"2": "",
	} {
		if _, err := arguments([]invocations.Argument{{Name: name}}, withResults); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("argument %s: %v, want %q", name, err, want)
		}
	}
	if _, err := arguments([]invocations.Argument{{Name: "0"}}, nil); err == nil ||
		!strings.Contains(err.Error(), "takes none") {
		t.Errorf("an input of a function without: %v", err)
	}
}

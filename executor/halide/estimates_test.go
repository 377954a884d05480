package halide

import (
	"maps"
	"slices"
	"testing"

	"zonemark/executor/halide/metadata"
	"zonemark/invocations"
)

// A pipeline may ask for more of an input than its generator estimates. Then these extents are measured, and said. Those
// that a user gives are measured as they are, also if they are the estimated ones.
func TestEstimatedExtents(t *testing.T) {
	range0 := func(extent int64) []metadata.Range {
		zero := int64(0)
		return []metadata.Range{{Min: &zero, Extent: &extent}}
	}
	float := metadata.Type{Code: metadata.Float, Bits: 32, Lanes: 1}
	p := &metadata.Pipeline{Name: "sees", Arguments: []metadata.Argument{
		{Name: "in", Kind: metadata.InputBuffer, Dimensions: 1, Type: float, Estimates: range0(3)},
		{Name: "f", Kind: metadata.OutputBuffer, Dimensions: 1, Type: float, Estimates: range0(100)},
	}}
	asks := func(b *binding) error { // for as much of the input as there is of the output
		b.arguments[0].dims[0].extent = b.arguments[1].dims[0].extent
		return nil
	}
	for _, c := range []struct {
		given    []string
		want     string // extents of the input
		measured map[string]string
		note     string
	}{
		{nil, "100", map[string]string{"in.extent": "100"}, "default sizes: in.extent=100 (estimated 3), f.extent=100"},
		{[]string{"in.extent"}, "3", nil, "default sizes: f.extent=100"},
		{[]string{"f.extent", "in.extent"}, "3", nil, ""},
	} {
		b, err := bind(p, &invocations.Invocation{Given: c.given,
			Parameters: map[string]string{"in.extent": "3", "f.extent": "100"}})
		if err == nil {
			err = b.sizes(asks)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := b.arguments[0].text(); got != c.want || !maps.Equal(b.measured, c.measured) {
			t.Errorf("given %q: %s, measured %v; want %s, %v", c.given, got, b.measured, c.want, c.measured)
		}
		if (len(b.notes) > 0) != (c.note != "") || c.note != "" && !slices.Contains(b.notes, c.note) {
			t.Errorf("given %q: notes %q, want %q", c.given, b.notes, c.note)
		}
	}
}

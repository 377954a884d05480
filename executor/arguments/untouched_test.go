package arguments

import (
	"slices"
	"testing"

	"zonemark/invocations"
)

// A function that sorts what it declares const finds it sorted in its second call: that took 0.5 µs and was clean. One that
// writes behind the end of an array was clean, too.
func TestUntouched(t *testing.T) {
	array := func(label string, usage invocations.Usage, bytes int64) Array {
		return Array{Label: label, Element: invocations.Uint8, Bytes: bytes, Usage: usage}
	}
	const long = 3 * summedBytes
	for _, place := range []uint64{0, 7} { // one behind the other, or moved apart
		sets, err := New(Description{Of: "f", Align: 64, Arrays: []Array{
			array("x", invocations.Input, 100), array("y", invocations.InputOutput, 100), array("n", invocations.Input, 0),
			array("long", invocations.Input, long), array("last", invocations.Output, 64),
		}}, Request{Layout: Placement{place: place}})
		if err != nil {
			t.Fatal(err)
		}
		defer sets.Free()
		u := sets.Untouched()
		for _, c := range []struct {
			name           string
			array          int
			begin, end     int64
			inputs, behind []string
		}{
			{"nothing", 0, 0, 0, nil, nil},
			{"an output", 1, 0, 100, nil, nil},
			{"a byte", 0, 99, 100, []string{"x"}, nil},
			{"much of a long array", 3, 0, long / 2, []string{"long"}, nil},
			{"its end", 3, long - 1, long, []string{"long"}, nil},
			{"behind an output", 1, 100, 104, nil, []string{"y"}},
			{"behind an input", 0, 98, 101, []string{"x"}, []string{"x"}},
			{"behind the last array", 4, 64, 68, nil, []string{"last"}}, // which fills its line
		} {
			memory := sets.memory[sets.offsets[c.array]:]
			before := slices.Clone(memory[:c.end])
			for i := c.begin; i < c.end; i++ {
				memory[i]++
			}
			if got := u.Look(); !slices.Equal(got.Inputs, c.inputs) || !slices.Equal(got.Behind, c.behind) {
				t.Errorf("place %d, %s: %+v, want %q and %q", place, c.name, got, c.inputs, c.behind)
			}
			copy(memory, before)
		}
	}
}

package arguments

import (
	"bytes"
	"slices"
	"testing"

	"zonemark/executor/native"
	"zonemark/invocations"
)

// TestDraws: sets hold the contents of the first timed one, or the same elements in another order in each set and each
// draw. What is not random stays.
func TestDraws(t *testing.T) {
	d := Description{Of: "f", Align: 64, Arrays: []Array{
		{Element: invocations.Float64, Bytes: 800, Usage: invocations.Input},
		{Element: invocations.Float64, Bytes: 8, Fixed: []byte("constant"), Position: 1},
	}}
	if bytes := d.SetBytes(); bytes != 832+64 {
		t.Errorf("a set of %d bytes", bytes)
	}
	timed, err := New(d, Request{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer timed.Free()
	sets, err := New(d, Request{Seed: 7, Least: 3 * d.SetBytes()})
	if err != nil {
		t.Fatal(err)
	}
	draws, err := sets.Draws(func(int) (native.Frame, error) { return native.Frame{}, nil })
	if err != nil || len(draws.Frames) != 3 {
		t.Fatalf("%d frames, %v", len(draws.Frames), err)
	}
	defer draws.Free()
	seen := map[string]bool{string(timed.Array(0, 0)): true}
	sorted := func(array []byte) string {
		elements := slices.Collect(slices.Chunk(bytes.Clone(array), 8))
		slices.SortFunc(elements, bytes.Compare)
		return string(bytes.Join(elements, nil))
	}
	for range 4 {
		if err := draws.Draw(false); err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			if !bytes.Equal(sets.Array(k, 0), timed.Array(0, 0)) {
				t.Errorf("set %d has other contents than the timed calls", k)
			}
		}
		if err := draws.Draw(true); err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			one := string(sets.Array(k, 0))
			if seen[one] || string(sets.Array(k, 1)) != "constant" {
				t.Errorf("set %d has contents that were there before, or lost its constant", k)
			}
			if sorted([]byte(one)) != sorted(timed.Array(0, 0)) {
				t.Errorf("set %d has other elements", k)
			}
			seen[one] = true
		}
	}
	d.Arrays[0].Contents.Fill = invocations.FillZeros
	if d.HasRandom() {
		t.Error("zeros are not random")
	}
}

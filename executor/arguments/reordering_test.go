package arguments

import (
	"bytes"
	"slices"
	"testing"

	"zonemark/executor/native"
	"zonemark/invocations"
)

// ordered are sets of a function that reads random numbers, changes others, reads a constant, and writes.
func ordered(t *testing.T, r Request) *Sets {
	return made(t, Description{Of: "f", Align: 64, Arrays: []Array{
		{Label: "x", Element: invocations.Float64, Bytes: 800, Usage: invocations.Input},
		{Label: "y", Element: invocations.Float32, Bytes: 400, Usage: invocations.InputOutput, Position: 1},
		{Label: "one", Element: invocations.Float64, Bytes: 8, Fixed: []byte("constant"), Usage: invocations.Input, Position: 2},
		{Label: "z", Element: invocations.Float64, Bytes: 80, Usage: invocations.Output, Position: 3},
		{Label: "state", Element: invocations.Int32, Bytes: 8, Contents: contents(t, "zeros"), Usage: invocations.InputOutput,
			Position: 4},
	}}, r)
}

// elementsOf returns the elements of an array in the order of their bytes.
func elementsOf(array []byte, size int) []byte {
	all := slices.Collect(slices.Chunk(bytes.Clone(array), size))
	slices.SortFunc(all, bytes.Compare)
	return bytes.Join(all, nil)
}

// TestReordered: each set that a ring writes has the same random elements in an order that none had before, and what calls
// change beside them as it was at first. A look has both orders. Then the first set holds what it held.
func TestReordered(t *testing.T) {
	s := ordered(t, Request{Seed: 7})
	x, y := bytes.Clone(s.Array(0, 0)), bytes.Clone(s.Array(0, 1))
	untouched := s.Untouched()
	all, err := s.Changed(addresses).Reordered()
	if err != nil || !slices.Equal(all.arrays, []int{0, 1, 4}) || all.Bytes() != 800+400+8 ||
		all.RingBytes(3) != 4*(800+400+8)+manyElements/200*(800+400) {
		t.Fatalf("%+v, %v", all, err)
	}
	ring, err := all.Copies(3)
	if err != nil {
		t.Fatal(err)
	}
	if got := ring.Fresh(); got != (invocations.Fresh{Restored: true, Reordered: true}) {
		t.Errorf("calls find %+v", got)
	}
	seen := map[string]bool{string(x): true, string(y): true}
	ready := func(name string, same bool) {
		for k := range 3 {
			copy(ring.array(k, 2), "changed!")
		}
		ring.Ready(3)
		for k := range 3 {
			for a, first := range [][]byte{x, y} {
				now, size := ring.array(k, a), 8>>a
				if same != bytes.Equal(now, first) || !same && seen[string(now)] || !bytes.Equal(elementsOf(now, size), elementsOf(first, size)) {
					t.Errorf("%s: array %d of set %d has wrong contents", name, a, k)
				}
				seen[string(now)] = true
			}
			if !bytes.Equal(ring.array(k, 2), make([]byte, 8)) {
				t.Errorf("%s: set %d is not restored", name, k)
			}
		}
	}
	ready("at first", false)
	for _, same := range []bool{true, false, true} {
		ring.UseWorn(same)
		ready("a look", same)
	}
	if touched := untouched.Look(); touched.Inputs != nil {
		t.Errorf("calls have changed %v", touched.Inputs)
	}
	if ring.Free(); !bytes.Equal(s.Array(0, 0), x) || !bytes.Equal(s.Array(0, 1), y) {
		t.Error("the first set has other contents than before")
	}
}

// TestOrdersComeAgain: orders are kept up to a number, and then come again.
func TestOrdersComeAgain(t *testing.T) {
	s := made(t, Description{Of: "f", Align: 64, Arrays: []Array{{Element: invocations.Uint8, Bytes: manyElements / 4, Usage: invocations.Input}}},
		Request{})
	all, err := s.Changed(func(address func(i int) uintptr) (f native.Frame, err error) { return f, nil }).Reordered()
	if err != nil {
		t.Fatal(err)
	}
	ring, err := all.Copies(1)
	if err != nil {
		t.Fatal(err)
	}
	defer ring.Free()
	seen := map[string]bool{}
	for range 10 {
		ring.Ready(1)
		seen[string(ring.array(0, 0))] = true
	}
	if len(seen) != 4 || ring.Fresh() != (invocations.Fresh{Reordered: true}) {
		t.Errorf("%d orders; calls find %+v", len(seen), ring.Fresh())
	}
}

// TestNothingToReorder: contents that are given stay, as does what only one call could find in another order. Several sets
// differ anyway.
func TestNothingToReorder(t *testing.T) {
	given := Description{Of: "f", Align: 64, Arrays: []Array{
		{Element: invocations.Int32, Bytes: 400, Contents: contents(t, "iota"), Usage: invocations.InputOutput},
		{Element: invocations.Int32, Bytes: 4, Usage: invocations.Input, Position: 1},
		{Element: invocations.Int32, Bytes: 400, Usage: invocations.Output, Position: 2},
	}}
	for name, s := range map[string]*Sets{"given": made(t, given, Request{}), "several": ordered(t, Request{Least: 1 << 16})} {
		if all, err := s.Changed(addresses).Reordered(); all != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	if all, err := (*Changed)(nil).Reordered(); all != nil || err != nil {
		t.Errorf("no access: %+v, %v", all, err)
	}
}

// TestChangedBeforeReordering: what calls have changed although they should only read it is told, also when another order
// hides it.
func TestChangedBeforeReordering(t *testing.T) {
	s := ordered(t, Request{})
	untouched, changed := s.Untouched(), s.Changed(addresses)
	s.Array(0, 0)[3]++
	all, err := changed.Reordered()
	if err != nil {
		t.Fatal(err)
	}
	ring, err := all.Copies(1)
	if err != nil {
		t.Fatal(err)
	}
	ring.Ready(1)
	ring.Free()
	if touched := untouched.Look(); !slices.Equal(touched.Inputs, []string{"x"}) {
		t.Errorf("calls have changed %v", touched.Inputs)
	}
}

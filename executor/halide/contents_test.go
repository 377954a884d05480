package halide

import (
	"fmt"
	"hash/fnv"
	"testing"
	"unsafe"

	"zonemark/executor"
)

// hosts returns the elements of the buffers of all sets of a call, as the pipeline finds them: through the pointers.
func hosts(t *testing.T, call *executor.Call, arguments int) (all [][][]byte) {
	t.Helper()
	lines := call.Lines[0]
	for k := range call.SetBytes / int64(lines.Len) {
		at := lines.Addr + uintptr(k)*lines.Len
		set := *(*unsafe.Pointer)(unsafe.Pointer(&at))
		var list [][]byte
		for _, b := range unsafe.Slice((**buffer)(set), arguments) {
			elements := 1
			for _, d := range unsafe.Slice(*(**dimension)(unsafe.Pointer(&b.dim)), b.dimensions) {
				elements *= int(d.extent)
			}
			bytes := elements * (int(b.typ.Bits) / 8)
			list = append(list, unsafe.Slice(*(**byte)(unsafe.Pointer(&b.host)), bytes))
		}
		all = append(all, list)
	}
	return all
}

// The contents of each set follow from the seed alone. They stay as they are from version to version, so that figures
// of two versions are those of equal data.
func TestContentsOfSets(t *testing.T) {
	path := inC(t)
	for _, c := range []struct {
		in   []string
		seed uint64
		want string
	}{
		{nil, 5, "3b7df5231d1a347a"},
		{nil, 6, "675a6a33d5aabaa9"},
		{[]string{"in=random:3"}, 5, "3cf31a334e46787f"},
		{[]string{"in=iota"}, 5, "a00866b6b49d9725"},
		{[]string{"in=iota", "out=7"}, 5, "ed3dc2619c02c725"},
	} {
		inv := invocation(t, path, "wide", c.in...)
		inv.Measure.Seed = c.seed
		call := prepare(t, inv, 1<<14)
		all := hosts(t, call, 2)
		const drawn = 8
		if len(all) <= drawn || len(all) != len(call.Frames) {
			t.Fatalf("%d sets and %d frames", len(all), len(call.Frames))
		}
		h := fnv.New64a()
		for _, set := range all[:drawn] {
			h.Write(set[0])
			h.Write(set[1])
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != c.want {
			t.Errorf("%v with seed %d: %s, want %s", c.in, c.seed, got, c.want)
		}
	}
}

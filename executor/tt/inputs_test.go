package tt

import (
	"fmt"
	"hash/fnv"
	"testing"

	"zonemark/executor/tt/pjrt"
	"zonemark/invocations"
)

// The contents of each set on each device follow from the seed alone, and stay as they are from version to version.
func TestContentsOfSets(t *testing.T) {
	v := fromShape("input", pjrt.Shape{Element: pjrt.F32, Dimensions: []int64{8}})
	p := &program{signature: signature{arguments: []value{v, v}}}
	for _, c := range []struct {
		contents    invocations.Contents
		seed        uint64
		set, device int
		want        string
	}{
		{invocations.Contents{}, 5, 0, 0, "da13d0d9e7f9e1f8"},
		{invocations.Contents{}, 5, 3, 0, "dbde645f65fab2ee"},
		{invocations.Contents{}, 5, 3, 1, "c6efde7afa91f0c0"},
		{invocations.Contents{}, 6, 3, 1, "cc133c6fc03ee5a5"},
		{invocations.Contents{Fill: invocations.FillRandom, Seed: 3}, 5, 0, 0, "97c0014c3e6422b5"},
		{invocations.Contents{Fill: invocations.FillIota}, 5, 3, 1, "b1e798449d2ff965"},
	} {
		inv := &invocations.Invocation{Function: "main", Measure: invocations.Measure{Seed: c.seed}}
		for range 2 {
			inv.Arguments = append(inv.Arguments, invocations.Argument{
				Element: invocations.Float32, Shape: []int64{8}, Contents: c.contents,
			})
		}
		list, err := p.inputs(inv, c.set, share{c.device, 2})
		if err != nil || len(list) != 2 {
			t.Fatalf("%d inputs, error %v", len(list), err)
		}
		h := fnv.New64a()
		h.Write(list[0].data)
		h.Write(list[1].data)
		if got := fmt.Sprintf("%016x", h.Sum64()); got != c.want {
			t.Errorf("%s in set %d on device %d with seed %d: %s, want %s", c.contents, c.set, c.device, c.seed, got,
				c.want)
		}
	}
}

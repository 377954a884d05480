package iree

import (
	"fmt"
	"hash/fnv"
	"testing"

	"zonemark/executor/iree/functions"
	"zonemark/invocations"
)

// The contents of each set follow from the seed alone, and stay as they are from version to version.
func TestContentsOfSets(t *testing.T) {
	p, _ := echoProgram()
	for _, c := range []struct {
		contents invocations.Contents
		seed     uint64
		set      int
		want     string
	}{
		{invocations.Contents{}, 5, 0, "9989cae7eaff9555"},
		{invocations.Contents{}, 5, 3, "8006cf9e8e49ff88"},
		{invocations.Contents{}, 6, 3, "1b1197adedf29675"},
		{invocations.Contents{Fill: invocations.FillRandom, Seed: 3}, 5, 0, "ca44c4b6f9a8c305"},
		{invocations.Contents{Fill: invocations.FillIota}, 5, 3, "b1e798449d2ff965"},
	} {
		inv := invocation(p, "echo", c.contents)
		inv.Measure.Seed = c.seed
		inv.Arguments = append(inv.Arguments, inv.Arguments[0])
		list, err := functions.Inputs(inv, c.set)
		if err != nil || len(list) != 2 {
			t.Fatalf("%d inputs, error %v", len(list), err)
		}
		h := fnv.New64a()
		h.Write(list[0].Data)
		h.Write(list[1].Data)
		if got := fmt.Sprintf("%016x", h.Sum64()); got != c.want {
			t.Errorf("%s in set %d with seed %d: %s, want %s", c.contents, c.set, c.seed, got, c.want)
		}
	}
}

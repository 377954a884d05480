package dispatchmode

import (
	"fmt"
	"slices"
	"testing"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/vmfb"
)

func TestLibrariesFor(t *testing.T) {
	for _, c := range []struct {
		machines []string
		want     []int
	}{
		{nil, nil},
		{[]string{"amd64"}, []int{0}},
		{[]string{"arm64", "amd64", "arm64", "amd64"}, []int{1, 3}},
		{[]string{"arm64", "riscv64"}, []int{0, 1}}, // they are described, and skipped
	} {
		m := &vmfb.Module{}
		for _, machine := range c.machines {
			m.Libraries = append(m.Libraries, vmfb.Library{Machine: machine})
		}
		if got := librariesFor(m, "amd64"); !slices.Equal(got, c.want) {
			t.Errorf("libraries for %q: %v, want %v", c.machines, got, c.want)
		}
	}
}

// Two libraries for this machine and one for another have the exports a and b each. What a plan records of them decides
// how often they appear in the list.
func TestDispatchVariants(t *testing.T) {
	call := func(library, ordinal int, workgroups uint32, offset int64, constants ...uint32) dispatchplan.Step {
		return dispatchplan.Step{
			Library:    library,
			Ordinal:    ordinal,
			Workgroups: [3]uint32{workgroups, 1, 1},
			Constants:  constants,
			Bindings:   []dispatchplan.Range{{Offset: offset, Bytes: 256}},
		}
	}
	exports := []vmfb.DispatchFunction{{Name: "a"}, {Name: "b"}}
	m := &vmfb.Module{Libraries: []vmfb.Library{
		{
			Machine:    vmfb.Here,
			Dispatches: exports,
		}, {Machine: "other", Dispatches: exports}, {Machine: vmfb.Here, Dispatches: exports},
	}}
	for _, c := range []struct {
		name      string
		functions [][]dispatchplan.Step
		want      []string // name, library and, if a call is recorded, function and position
	}{
		{"nothing is recorded", nil, []string{"a 0", "b 0", "a 2", "b 2"}},
		{"one call", [][]dispatchplan.Step{{call(0, 1, 4, 0)}}, []string{"a 0", "b 0 f0 0", "a 2", "b 2"}},
		{"a call of the same work stands once", [][]dispatchplan.Step{{call(0, 0, 4, 0), call(0, 0, 4, 0)},
			{call(0, 0, 4, 0)}},
			[]string{"a 0 f0 0", "b 0", "a 2", "b 2"}},
		{"an offset counts only within a cache line",
			[][]dispatchplan.Step{{call(0, 0, 4, 0), call(0, 0, 4, 128), call(0, 0, 4, 32)}},
			[]string{"a 0 f0 0", "a@2 0 f0 2", "b 0", "a 2", "b 2"}},
		{"workgroups and constants differ", [][]dispatchplan.Step{{call(2, 0, 4, 0)},
			{call(2, 0, 5, 0), call(2, 0, 4, 0, 7)}},
			[]string{"a 0", "b 0", "a 2 f0 0", "a@2 2 f1 0", "a@3 2 f1 1", "b 2"}},
		{"of another machine, and of no library", [][]dispatchplan.Step{{call(1, 0, 4, 0), call(9, 0, 4, 0),
			call(0, 9, 4, 0)}},
			[]string{"a 0", "b 0", "a 2", "b 2"}},
	} {
		plan := &dispatchplan.Plan{}
		for i, dispatches := range c.functions {
			function := dispatchplan.Function{Name: fmt.Sprintf("f%d", i), Dispatches: dispatches}
			plan.Functions = append(plan.Functions, function)
		}
		var got []string
		for _, v := range variants(m, plan) {
			text := fmt.Sprintf("%s %d", v.name, v.library)
			if v.function != nil {
				text += fmt.Sprintf(" %s %d", v.function.Name, v.position)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

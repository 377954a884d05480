package rounds

import (
	"math"
	"slices"
	"testing"

	"zonemark/invocations"
)

// countsOf returns counts per call. exact applies to instructions and branches, loadsExact to loads.
func countsOf(instructions, branches, loads float64, exact, loadsExact bool) []invocations.Count {
	return []invocations.Count{
		{Name: "instructions", PerCall: instructions, Exact: exact},
		{Name: "branches", PerCall: branches, Exact: exact},
		{Name: "loads", PerCall: loads, Exact: loadsExact},
	}
}

// TestNetCounts uses batches of 100 calls with made-up counts. The loop executes 4 instructions a call, 2 of them
// branches, besides the empty function's return, which is both an instruction and a branch.
func TestNetCounts(t *testing.T) {
	names := []string{"cycles", "instructions", "branches", "loads"}
	batchOf := func(counts ...uint64) *batch { return &batch{counts: counts} }
	// Per call, without the loop's: 20 cycles, 10 instructions, 1.2 branches, 6 loads.
	one := batchOf(2050, 1400, 320, 700)
	other := batchOf(2150, 1400, 320, 701)
	stepped := batchOf(2050, 1401, 320, 700) // with an interrupt
	empties := []empty{{counts: []uint64{50, 500, 300, 100}}, {counts: []uint64{50, 500, 300, 100}},
		{counts: []uint64{90, 500, 300, 100}}}
	for _, c := range []struct {
		name   string
		kept   []*batch
		empty  []empty
		inLoop bool
		each   int64
		want   []invocations.Count
		cycles []float64
	}{
		{
			"equal batches", slices.Repeat([]*batch{one}, 10), empties, true, 1,
			countsOf(10, 1.2, 6, true, true),
			slices.Repeat([]float64{20}, 10),
		}, {
			"one batch in ten with an interrupt", append(slices.Repeat([]*batch{one}, 9), stepped), empties, true, 1,
			countsOf(10, 1.2, 6, true, true),
			slices.Repeat([]float64{20}, 10),
		}, {
			"two kinds of batches",
			append(slices.Repeat([]*batch{one}, 6), slices.Repeat([]*batch{other}, 4)...), empties, true, 1,
			countsOf(10, 1.2, 6, true, false),
			append(slices.Repeat([]float64{20}, 6), slices.Repeat([]float64{21}, 4)...),
		}, {
			"counted from outside, without an empty loop", slices.Repeat([]*batch{one}, 10), nil, false, 1,
			countsOf(14, 3.2, 7, false, false),
			slices.Repeat([]float64{20.5}, 10),
		}, {
			"two native calls each", slices.Repeat([]*batch{one}, 10), empties, true, 2,
			// The returns of two empty functions do not belong to the loop.
			countsOf(11, 2.2, 6, true, true),
			slices.Repeat([]float64{20}, 10),
		},
		{"a batch without counts", []*batch{one, {}, one}, empties, true, 1, nil, nil},
		{"no batches", nil, empties, true, 1, nil, nil},
	} {
		observer := &eventCounts{names: names, inLoop: c.inLoop}
		counts, cycles := observer.net(c.kept, c.empty, 100, c.each)
		if !slices.Equal(counts, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, counts, c.want)
		}
		if !slices.Equal(cycles, c.cycles) {
			t.Errorf("%s: %v cycles, want %v", c.name, cycles, c.cycles)
		}
	}
}

func TestSystemCounts(t *testing.T) {
	got := systemCounts([]*batch{{faults: 2}, {switches: 1}}, 10)
	want := []invocations.Count{{Name: "page_faults", PerCall: 0.1}, {Name: "context_switches", PerCall: 0.05}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	none := systemCounts([]*batch{{}}, 10)
	if !slices.Equal(none, []invocations.Count{{Name: "page_faults", Exact: true},
		{Name: "context_switches", Exact: true}}) {
		t.Errorf("%+v", none)
	}
	if got := systemCounts(nil, 10); got != nil {
		t.Errorf("counts of no batches: %+v", got)
	}
}

// TestSandboxCount: the part of the sandbox is known from the time of the system. Few ticks of it tell nothing.
func TestSandboxCount(t *testing.T) {
	for _, c := range []struct {
		name           string
		system, slower float64
		want           float64
	}{
		{"calls of the system", 400_000, 0.1, 36.36363636363637},
		{"two ticks in all batches", 80_000, 0.1, 0},
		{"without a sandbox", 400_000, 0, 0},
	} {
		got := 0.0
		for _, one := range sandboxCount(slices.Repeat([]*batch{{systemNS: c.system}}, 100), 1000, c.slower) {
			got = one.PerCall
		}
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g ns a call, want %g", c.name, got, c.want)
		}
	}
}

func TestResized(t *testing.T) {
	const target, most = 100_000, 1_000_000
	for _, c := range []struct {
		name  string
		calls int64
		ns    float64
		most  int64
		fixed int64
		want  int64
	}{
		{"as planned", 1000, target, most, 0, 1000},
		{"a little short", 1000, 0.76 * target, most, 0, 1000},
		{"short", 1000, 0.5 * target, most, 0, 2000},
		{"much too short: a few calls say little of many", 10, 10, most, 0, 80},
		{"no time at all", 10, 0, most, 0, 80},
		{"negative time", 10, -5, most, 0, 80},
		{"a single short call", 1, 70_000, most, 0, 2},
		{"short and at its most", most, 10, most, 0, most},
		{"short and near its most", most / 2, 10, most, 0, most},
		{"a little long", 1000, 2.9 * target, most, 0, 1000},
		{"long", 1000, 4 * target, most, 0, 250},
		{"much too long", 1000, 1e9, most, 0, 1},
		{"a single long call", 1, 1e9, most, 0, 1},
		{"fixed and short", 7, 10, most, 7, 7},
		{"fixed and long", 7, 1e9, most, 7, 7},
	} {
		s := &Session{calls: c.calls}
		if got := s.resized(c.ns, target, c.most, c.fixed); got != c.want {
			t.Errorf("%s: %d calls, want %d", c.name, got, c.want)
		}
	}
}

package halide

import (
	"slices"
	"strings"
	"testing"
)

// Times are means over the faster half of the rounds, and sum to a call. What the profiler cannot know makes a profile
// partial, with the reason.
func TestJoinRounds(t *testing.T) {
	one := func(callNS, aNS, bNS float64, samples int64) round {
		return round{callNS: callNS, pipelineNS: aNS + bNS, runs: 10, samples: samples,
			names: []string{"idle", "a", "b"},
			funcs: map[string]funcTimes{
				"idle": {}, "a": {ns: aNS, allocations: 2, threads: 1.8, peak: 64, stack: 8}, "b": {ns: bNS},
			}}
	}
	p := joinRounds([]round{one(300, 200, 30, 900), one(100, 60, 30, 50), one(110, 70, 30, 60)})
	if p.Partial || p.CallNS != 105 || p.HostNS != 10 || p.UnexplainedNS != 0 || len(p.Dispatches) != 2 {
		t.Fatalf("%+v", p)
	}
	a, b := p.Dispatches[0], p.Dispatches[1]
	if a.Name != "a" || a.MedianNS != 65 || a.MinNS != 60 || a.TotalNS != 1300 || a.Count != 20 || a.Allocations != 2 ||
		a.PeakBytes != 64 || a.StackBytes != 8 || a.Threads != 2 {
		t.Errorf("%+v", a)
	}
	if b.Name != "b" || b.Ordinal != 1 || b.MedianNS != 30 {
		t.Errorf("%+v", b)
	}
	unseen := one(100, 0, 0, 500)
	unseen.pipelineNS = 80
	if p := joinRounds([]round{unseen}); p.UnexplainedNS != 80 || p.HostNS != 20 {
		t.Errorf("of a round in which no Func was seen: %+v", p)
	}
	if p := joinRounds([]round{{callNS: 100}}); p.UnexplainedNS != 100 || p.HostNS != 0 {
		t.Errorf("of a round in which no pipeline was seen: %+v", p)
	}
	for _, c := range []struct {
		rounds []round
		want   string
	}{
		{[]round{one(100, 60, 30, 3)}, "these are too few looks"},
		{[]round{one(100, 90, 30, 500)}, "the profiler's time of the pipeline is 120.0 % of a call"},
	} {
		p := joinRounds(c.rounds)
		said := slices.ContainsFunc(p.Notes, func(note string) bool { return strings.HasPrefix(note, c.want) })
		if !p.Partial || !said || p.HostNS < 0 {
			t.Errorf("%+v\nwant a partial one: %s", p, c.want)
		}
	}
}

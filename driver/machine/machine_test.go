package machine

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

var someMachine = map[string]string{"host": "one", "cpu": "a processor", "cpus": "2"}

// learned returns what the canary of a launch has shown.
func learned(ports, ghz float64) invocations.Canary {
	return invocations.Canary{Batches: 100, Quiet: 100, Ports: ports, KeptPorts: ports, GHz: ghz}
}

func opened(t *testing.T, path string, environment map[string]string) *Knowledge {
	t.Helper()
	m, err := Open(path, environment)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func saved(t *testing.T, m *Knowledge, seen ...invocations.Canary) {
	t.Helper()
	for _, c := range seen {
		m.Observe(c)
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
}

// The next run knows what one run learned, but only on the same machine.
func TestMachineIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	other := map[string]string{"host": "one", "cpu": "a processor", "cpus": "4"}
	first := opened(t, path, someMachine)
	if first.QuietPorts() != 0 || first.ReferenceGHz() != 0 {
		t.Errorf("a machine of which nothing is known: %+v", first.kept)
	}
	first.Remember("f", cleanRow(100))
	saved(t, first, learned(2.1, 3.74), learned(2, 3.76), learned(2.2, 3.71))
	if m := opened(t, path, other); m.QuietPorts() != 0 || m.ReferenceGHz() != 0 || len(m.kept.Runs) != 0 {
		t.Errorf("another machine: %+v", m.kept)
	} else {
		saved(t, m, learned(1.5, 2))
	}
	m := opened(t, path, someMachine)
	if m.QuietPorts() != 2 || m.ReferenceGHz() != 3.74 || len(m.kept.Runs["f"]) != 1 ||
		m.kept.Runs["f"][0].MedianNS != 100 {
		t.Errorf("the same machine: %+v", m.kept)
	}
	if m := opened(t, path, other); m.QuietPorts() != 1.5 || m.ReferenceGHz() != 2 {
		t.Errorf("the other machine: %+v", m.kept)
	}
}

// A canary without values or with implausible ones teaches nothing. A run without a canary writes nothing.
func TestMachineWithoutProbes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	m := opened(t, path, someMachine)
	m.Remember("f", cleanRow(100))
	saved(t, m, invocations.Canary{Why: "threads"}, invocations.Canary{GHz: 4}, learned(2, 0), learned(2, math.NaN()),
		learned(2, math.Inf(1)), learned(math.NaN(), 4), learned(-1, 4), learned(2, -4))
	if m := opened(t, path, someMachine); m.QuietPorts() != 0 || m.ReferenceGHz() != 0 || m.kept.Runs != nil {
		t.Errorf("%+v", m.kept)
	}
	saved(t, m, learned(0, 4)) // too few probes for a level, enough for a clock
	if m := opened(t, path, someMachine); m.QuietPorts() != 0 || m.ReferenceGHz() != 4 || len(m.kept.Runs) != 1 {
		t.Errorf("%+v", m.kept)
	}
}

// The reference clock is the first clock and does not change, since times at it are compared from run to run.
func TestReferenceClockStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	beside := opened(t, path, someMachine) // begins before the first one is done
	saved(t, opened(t, path, someMachine), learned(2, 3.04))
	for range 3 {
		saved(t, opened(t, path, someMachine), learned(2, 2.2))
	}
	saved(t, beside, learned(2, 2.2))
	m := opened(t, path, someMachine)
	m.Observe(learned(2, 2.2))
	if m.Settle(); m.ReferenceGHz() != 3.04 {
		t.Errorf("%g GHz", m.ReferenceGHz())
	}
}

// seenScalar returns what the canary of a launch has shown that looked at the clock of scalar code.
func seenScalar(ghz, scalar float64) invocations.Canary {
	c := learned(2, ghz)
	c.ScalarGHz, c.OwnClock = scalar, ghz/scalar
	return c
}

// The reference clock is that of scalar code, whatever is measured first, and also on a machine that is known from
// before.
func TestReferenceClockOfScalarCode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	saved(t, opened(t, path, someMachine), seenScalar(3.7, 4.18), seenScalar(3.72, 4.2))
	if m := opened(t, path, someMachine); m.ReferenceGHz() != 4.19 || !m.kept.OfScalar {
		t.Errorf("wide vectors first: %g GHz", m.ReferenceGHz())
	}
	saved(t, opened(t, path, someMachine), seenScalar(3, 3))
	if m := opened(t, path, someMachine); m.ReferenceGHz() != 4.19 {
		t.Errorf("changed to %g GHz", m.ReferenceGHz())
	}

	path = filepath.Join(t.TempDir(), "machines.json")
	m := opened(t, path, someMachine)
	m.kept.Runs = map[string][]sameRuns{"f": {{At: 1, MedianNS: 100, ReferenceNS: 100}}}
	saved(t, m, learned(2, 3.7))
	m = opened(t, path, someMachine)
	m.Observe(learned(2, 3.7))
	if m.Settle(); m.ReferenceGHz() != 3.7 {
		t.Errorf("%g GHz of a run that knows no other", m.ReferenceGHz())
	}
	m.Observe(seenScalar(3.7, 4.18))
	if m.Settle(); m.ReferenceGHz() != 3.7 {
		t.Errorf("changed within a run to %g GHz", m.ReferenceGHz())
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	m = opened(t, path, someMachine)
	if runs := m.kept.Runs["f"]; m.ReferenceGHz() != 4.18 || len(runs) != 1 || runs[0].ReferenceNS != 0 {
		t.Errorf("%g GHz in the next run, with %+v", m.ReferenceGHz(), runs)
	}
}

func TestLevelExpires(t *testing.T) {
	long, short := time.Now().Add(-2*missedTime), time.Now().Add(-missedTime/2)
	for _, c := range []struct {
		name      string
		missed    int
		confirmed time.Time
		seen      []float64
		want      float64
		missedNow int
	}{
		{"seen again", 5, long, []float64{3, 2}, 2, 0},
		{"seen again, nearly", missedRuns, long, []float64{2.05}, 2, 0},
		{"a better one", 5, long, []float64{1.8, 3, 1.81}, 1.81, 0},
		{"a better one, once", 5, long, []float64{1.8, 3}, 2, 0},
		{"not seen, since it was 4 % too low", missedRuns - 1, long, []float64{2.09, 2.1}, 2.09, 0},
		{"not seen", 5, long, []float64{3, 3.1}, 2, 6},
		{"not seen often, but of late", missedRuns + 5, short, []float64{3}, 2, missedRuns + 6},
		{"not seen for long, but not often", missedRuns - 2, long, []float64{3}, 2, missedRuns - 1},
		{"not seen often and for long", missedRuns - 1, long, []float64{3.1, 3}, 3, 0},
		{"too few probes to say", missedRuns, long, []float64{0}, 2, missedRuns},
	} {
		path := filepath.Join(t.TempDir(), "machines.json")
		m := opened(t, path, someMachine)
		m.kept = record{QuietPorts: 2, ReferenceGHz: 4, Confirmed: c.confirmed, Missed: c.missed}
		for _, level := range c.seen {
			m.Observe(learned(level, 4))
		}
		saved(t, m)
		got := opened(t, path, someMachine).kept
		if got.QuietPorts != c.want || got.Missed != c.missedNow {
			t.Errorf("%s: level %g, missed %d; want %g, %d", c.name, got.QuietPorts, got.Missed, c.want, c.missedNow)
		}
		near := slices.Min(c.seen) > 0 && slices.Min(c.seen) <= levelReached*2
		if near != (time.Since(got.Confirmed) < time.Minute) {
			t.Errorf("%s: confirmed %v", c.name, got.Confirmed)
		}
	}
}

// A level counts if two launches agree on it, in one run or in two that follow each other: one executor that took too
// much for the reading of its clock made all later launches look disturbed.
func TestLevelOfTwoLaunches(t *testing.T) {
	for _, c := range []struct {
		runs [][]float64
		want float64
	}{
		{[][]float64{{1.76, 1.683, 1.77, 1.78}}, 1.77},
		{[][]float64{{1.683}, {1.76}, {1.77, 1.765}}, 1.683},
		{[][]float64{{1.76}, {1.683, 1.77}, {1.76}, {1.684}}, 1.76},
		{[][]float64{{2.5, 2.6}, {1.77}, {1.76}}, 1.77},
		{[][]float64{{2.5}, {1.76, 1.77}}, 1.77},
	} {
		path := filepath.Join(t.TempDir(), "machines.json")
		for _, levels := range c.runs {
			m := opened(t, path, someMachine)
			for _, level := range levels {
				m.Observe(learned(level, 4))
			}
			saved(t, m)
		}
		if got := opened(t, path, someMachine).QuietPorts(); got != c.want {
			t.Errorf("%v: %g, want %g", c.runs, got, c.want)
		}
	}
}

// cleanRow returns the clean result of an invocation with this time.
func cleanRow(ns float64) *invocations.Result {
	return &invocations.Result{Verdicts: []invocations.Verdict{invocations.Clean},
		OfDriver: invocations.OfDriver{Spread: &invocations.Spread{Time: stats.Interval{Value: ns},
			Reference: stats.Interval{Value: 2 * ns}, Cycles: stats.Interval{Value: 4 * ns}}}}
}

func TestRemember(t *testing.T) {
	m := &Knowledge{}
	m.Remember("unmerged", &invocations.Result{Verdicts: []invocations.Verdict{invocations.Clean}})
	for _, v := range []invocations.Verdict{invocations.Contended, invocations.TooShort, invocations.NotConverged,
		invocations.Bimodal} {
		r := cleanRow(1)
		r.Verdicts = []invocations.Verdict{v}
		m.Remember("flawed", r)
	}
	if len(m.kept.Runs) > 0 {
		t.Errorf("rows that are not clean were kept: %+v", m.kept.Runs)
	}
	for i := range runsOfEach + 3 {
		m.Remember("f", cleanRow(float64(i)))
	}
	runs := m.kept.Runs["f"]
	if len(runs) != runsOfEach || runs[0].MedianNS != 3 || runs[runsOfEach-1].MedianNS != runsOfEach+2 {
		t.Errorf("%d runs, from %+v to %+v", len(runs), runs[0], runs[len(runs)-1])
	}
	if last := runs[runsOfEach-1]; last.ReferenceNS != 2*last.MedianNS || last.Cycles != 4*last.MedianNS ||
		time.Since(time.Unix(last.At, 0)) > time.Minute {
		t.Errorf("%+v", last)
	}
}

// Levels that no run reaches any more are forgotten, that of memory too: it used to come back from the file.
func TestMemoryLevelIsForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	with := func(ports, memory float64) invocations.Canary {
		c := learned(ports, 4)
		c.Memory = memory
		return c
	}
	first := opened(t, path, someMachine)
	first.kept = record{ReferenceGHz: 4, QuietPorts: 2, QuietMemory: 50, Missed: missedRuns - 1,
		Confirmed: time.Now().Add(-2 * missedTime)}
	if err := first.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	beside := opened(t, path, someMachine)
	forgetting := opened(t, path, someMachine)
	saved(t, forgetting, with(3, 80))
	if forgetting.Observe(learned(3.1, 4)); forgetting.QuietPorts() != 3 {
		t.Errorf("the run that forgot a level has it again with its next launch: %+v", forgetting.kept)
	}
	if m := opened(t, path, someMachine); m.QuietPorts() != 3 || m.QuietMemory() != 0 {
		t.Errorf("after runs that never reached the levels: %+v", m.kept)
	}
	saved(t, opened(t, path, someMachine), with(3, 70))
	if m := opened(t, path, someMachine); m.QuietMemory() != 70 {
		t.Errorf("the next run has seen 70: %+v", m.kept)
	}
	saved(t, beside, with(2, 50)) // a run that has reached them in the meantime
	if m := opened(t, path, someMachine); m.QuietPorts() != 2 || m.QuietMemory() != 50 {
		t.Errorf("the levels were reached again: %+v", m.kept)
	}
}

// A run that knows no level takes that of others, and does not erase it.
func TestUnknownLevelErasesNone(t *testing.T) {
	now := time.Now()
	m := &Knowledge{}
	m.adopt(record{QuietPorts: 2, QuietMemory: 50, Confirmed: now})
	m.adopt(record{Confirmed: now.Add(time.Second)})
	if m.QuietPorts() != 2 || m.QuietMemory() != 50 {
		t.Errorf("%+v", m.kept)
	}
}

// If there are too many invocations, those that were measured longest ago are forgotten.
func TestOldInvocationsAreForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	m := opened(t, path, someMachine)
	m.kept.Runs = map[string][]sameRuns{}
	for i := range maxInvocations + 7 {
		m.kept.Runs[fmt.Sprint("f", i)] = []sameRuns{{At: 1, MedianNS: 1}, {At: int64(1000 + i), MedianNS: 1}}
	}
	saved(t, m, learned(2, 4))
	runs := opened(t, path, someMachine).kept.Runs
	if _, old := runs["f6"]; len(runs) != maxInvocations || old || runs["f7"] == nil {
		t.Errorf("%d invocations, the seventh kept %t, the eighth %v", len(runs), old, runs["f7"])
	}
}

func TestFloors(t *testing.T) {
	// history is n invocations, each of which was run twice, with this ratio of their medians.
	history := func(n int, ratio float64) map[string][]sameRuns {
		runs := map[string][]sameRuns{}
		for i := range n {
			runs[fmt.Sprint("f", i)] = []sameRuns{{MedianNS: 100, ReferenceNS: 100, Cycles: 100},
				{MedianNS: 100 * ratio, ReferenceNS: 100 * (1 + (ratio-1)/10), Cycles: 100 * (1 + (ratio-1)/100)}}
		}
		return runs
	}
	own := func(runs map[string][]sameRuns, ratios ...float64) map[string][]sameRuns {
		runs["own"] = nil
		for _, r := range ratios {
			runs["own"] = append(runs["own"], sameRuns{MedianNS: r, ReferenceNS: 1})
		}
		return runs
	}
	scatter := func(ratio float64) float64 { // of runs that take 1, ratio, 1, ratio, and of one that takes 1
		return stats.NextDiffers([]float64{0, 0, math.Log(ratio), 0, math.Log(ratio)})
	}
	for _, c := range []struct {
		name string
		runs map[string][]sameRuns
		id   string
		want [3]float64 // time, at the reference clock, cycles
	}{
		{"nothing known", nil, "new", [3]float64{floorUnknown, floorUnknown, floorCycles}},
		{"too few pairs", history(fewestPairs-1, 1.02), "new", [3]float64{floorUnknown, floorUnknown, floorCycles}},
		{"enough pairs", history(fewestPairs, 1.02), "new", [3]float64{math.Log(1.02), math.Log(1.002), floorCycles}},
		{"runs that do not differ", history(fewestPairs, 1), "new", [3]float64{floorTime, floorTime, floorCycles}},
		{"runs that differ beyond all measure", history(fewestPairs, 3), "new",
			[3]float64{maxFloor, math.Log(1.2), math.Log(1.02)}},
		{"most of the pairs decide", own(history(2*fewestPairs, 1.02), 1, 5, 1, 5), "new",
			[3]float64{math.Log(1.02), math.Log(1.002), floorCycles}},
		{"a run that is far from many that agree", own(history(2*fewestPairs, 1.002), 1.02, 1.02, 1.02, 1.02), "own",
			[3]float64{stats.NextDiffers([]float64{0, math.Log(1.02), math.Log(1.02), math.Log(1.02), math.Log(1.02)}), floorTime, floorCycles}},
		{"an invocation that is less steady than others", own(history(2*fewestPairs, 1.002), 1, 1.1, 1, 1.1), "own",
			[3]float64{scatter(1.1), floorTime, floorCycles}},
		{"an invocation that is steadier than others", own(history(2*fewestPairs, 1.02), 1, 1.0001, 1, 1.0001), "own",
			[3]float64{scatter(1.0001), math.Log(1.002), floorCycles}},
		{"few runs of its own", own(history(2*fewestPairs, 1.002), 1, 1.1), "own",
			[3]float64{0.1, floorTime, floorCycles}},
		{"an earlier run that found the same", own(history(2*fewestPairs, 1.002), 1), "own",
			[3]float64{math.Log(1.002), floorTime, floorCycles}},
		{"few runs that differ beyond all measure", own(history(2*fewestPairs, 1.002), 5), "own",
			[3]float64{maxFloor, floorTime, floorCycles}},
		{"runs of its own, but no pairs", own(map[string][]sameRuns{}, 1, 1.01, 1, 1.01), "own",
			[3]float64{scatter(1.01), floorUnknown, floorCycles}},
	} {
		m := &Knowledge{kept: record{Runs: c.runs}}
		got := m.Floors(c.id)
		if !near(got.Time.Drift(1), c.want[0]) || !near(got.Reference.Drift(1), c.want[1]) ||
			!near(got.Cycles.Drift(1), c.want[2]) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// near reports whether two numbers are the same but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

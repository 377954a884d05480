package combine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/machine"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// machineWith returns a machine with a known level and clock.
func machineWith(quietPorts, ghz float64) *machine.Knowledge {
	m := &machine.Knowledge{}
	m.Observe(invocations.Canary{Batches: 1, Ports: quietPorts, GHz: ghz})
	m.Settle()
	return m
}

func TestStop(t *testing.T) {
	far := combinetest.LaunchesOf(1000, 1100, 900, 1200, 800)
	for _, c := range []struct {
		measure invocations.Measure
		results []invocations.Result
		want    invocations.Stop
	}{
		{invocations.Measure{Launches: 5}, far, "launches"},
		{invocations.Measure{}, far, "minimum"},
		{invocations.Measure{Precision: 0.01}, far, "max-time"},
		{invocations.Measure{Precision: 0.01}, slices.Repeat(combinetest.LaunchesOf(1000), 5), "precision"},
	} {
		if got := merge(c.measure, c.results...).Stop; got != c.want {
			t.Errorf("%+v: %q, want %q", c.measure, got, c.want)
		}
	}
}

// TestStepsOfClock: batches differ by steps of the clock. Launches whose medians are the same step may be one step off,
// unless steps are coarse: launches then show it themselves.
func TestStepsOfClock(t *testing.T) {
	for _, c := range []struct{ ns, step, half float64 }{{114_000, 10, 10}, {114_000, 0.5, 1}, {1000, 10, 1}} {
		one := combinetest.MadeUp(c.ns)
		one.CallsPerBatch = 1
		for i := range one.SamplesNS {
			one.SamplesNS[i] = c.ns + c.step*float64(i%3-1)
			one.CyclesSamples[i] = 4 * one.SamplesNS[i]
		}
		one.Summary = stats.Summarize(one.SamplesNS, one.CPUSamplesNS)
		out := merged(slices.Repeat([]invocations.Result{one}, 7))
		if at := out.Spread.Reference; math.Abs(at.Half()-c.half) > 1e-6 {
			t.Errorf("%g ns in steps of %g: %+v, want ± %g", c.ns, c.step, at, c.half)
		}
	}
}

func TestQuietLaunches(t *testing.T) {
	level := func(ports float64) invocations.Result {
		return combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) { r.Canary.KeptPorts = ports })
	}
	all := []invocations.Result{
		level(2), level(2.09), level(2.11), level(3), combinetest.Contended(1000),
		combinetest.With(level(2), func(r *invocations.Result) { r.SamplesNS = nil }),
		combinetest.With(level(0), func(r *invocations.Result) { r.Canary = invocations.Canary{Why: "threads"} }),
	}
	for _, c := range []struct {
		name    string
		machine *machine.Knowledge
		want    []float64 // levels
	}{
		{"nothing known", nil, []float64{2, 2.09, 2.11, 3, 0}},
		{"no level known", machineWith(0, 4), []float64{2, 2.09, 2.11, 3, 0}},
		{"a level known", machineWith(2, 4), []float64{2, 2.09, 0}}, // what has no probes is not judged by them
	} {
		var got []float64
		for _, one := range quietLaunches(all, c.machine) {
			got = append(got, one.Canary.KeptPorts)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: levels %v, want %v", c.name, got, c.want)
		}
	}
}

// within reports whether two numbers are the same but for rounding.
func within(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

func TestSpread(t *testing.T) {
	same := combinetest.LaunchesOf(1000, 1000, 1000, 1000, 1000)
	noClock := combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) { r.CyclesSamples = nil })
	countedCycles := combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) { r.CyclesCounted = true })
	coarse := combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) { r.Clock, r.CallsPerBatch = "monotonic", 2 })
	history := machineWith(2, 5)
	for _, id := range []string{"a", "b", "c", "d", "e", "g"} { // other rows
		for _, of := range [][3]float64{{100, 100, 400}, {102, 101, 402}, {100, 100, 400}} {
			history.Remember(id, &invocations.Result{
				Verdicts: []invocations.Verdict{invocations.Clean},
				OfDriver: invocations.OfDriver{Spread: &invocations.Spread{Time: stats.Interval{Value: of[0]},
					Reference: stats.Interval{Value: of[1]}, Cycles: stats.Interval{Value: of[2]}}},
			})
		}
	}
	// The clock is far from the usual one, and the share of the times that follows it is not known exactly.
	vague := 800 * 0.01 * math.Log(1.25)
	// Probes know the clock of a launch to 5 parts in 10,000: of five launches, and of two, which a median does not help.
	ofFive, ofTwo := math.Hypot(vague, 800*0.000758), math.Hypot(vague, 800*0.001)
	for _, c := range []struct {
		name                         string
		machine                      *machine.Knowledge
		results                      []invocations.Result
		time, reference, cycles      float64 // 0: not known
		timeHalf, refHalf, cycleHalf float64
	}{
		{"nothing known of the machine", nil, same, 1000, 0, 0, 3, 0, 0},
		{"a reference clock", machineWith(0, 5), same, 1000, 800, 0, 3, ofFive, 0},
		{"floors by history", history, same, 1000, 800, 0, 1000 * math.Log(1.02), ofFive, 0},
		{"a launch without a clock", machineWith(0, 5), append(same[:2:2], noClock), 1000, 800, 0, 3, ofTwo, 0},
		{"most without a clock", machineWith(0, 5), []invocations.Result{same[0], noClock, noClock},
			1000, 0, 0, 3, 0, 0},
		{"counted cycles", machineWith(0, 5), slices.Repeat([]invocations.Result{countedCycles}, 3), 1000, 800, 4000, 3,
			vague, 0.05},
		{"cycles counted in half of them", machineWith(0, 5), []invocations.Result{countedCycles, combinetest.MadeUp(1000)},
			1000, 800, 4000,
			3, vague, 0.09192},
		{"in fewer", machineWith(0, 5), []invocations.Result{combinetest.MadeUp(1000), countedCycles, combinetest.MadeUp(1000)},
			1000, 800, 0, 3, ofTwo, 0},
		{"a coarse clock", nil, slices.Repeat([]invocations.Result{coarse}, 3), 1000, 0, 0, 25, 0, 0},
		{"a single launch", nil, same[:1], 1000, 0, 0, 3, 0, 0},
		{"a single launch whose batches differ", nil, []invocations.Result{combinetest.With(combinetest.MadeUp(1000),
			func(r *invocations.Result) {
				r.Summary.CILowNS, r.Summary.CIHighNS = 990, 1010
			})}, 1000, 0, 0, 10 * math.Sqrt2,
			0, 0},
	} {
		s := spread(combinetest.Ended(c.results...), c.machine)
		for _, i := range []struct {
			what        string
			got         stats.Interval
			value, half float64
		}{{"time", s.Time, c.time, c.timeHalf}, {"reference", s.Reference, c.reference, c.refHalf},
			{"cycles", s.Cycles, c.cycles, c.cycleHalf}} {
			value, half := 0.0, 0.0
			if i.got.Known() {
				value, half = i.got.Value, i.got.Half()
			}
			if math.Abs(value-i.value) > 1e-4*i.value || !within(half, i.half) && math.Abs(half-i.half) > 1e-3*i.half {
				t.Errorf("%s: %s %+v, ± %g; want %g ± %g", c.name, i.what, i.got, half, i.value, i.half)
			}
		}
	}
	if s := spread(combinetest.Ended(same...), history); math.Abs(s.ReferenceFloor-math.Log(1.01)) > 1e-9 {
		t.Errorf("the floor of the machine is %g beside the interval, want %g", s.ReferenceFloor, math.Log(1.01))
	}
	far := spread(combinetest.Ended(combinetest.LaunchesOf(900, 1000, 1100)...), history)
	if i := stats.LaunchInterval([]float64{900, 1000, 1100}); math.Abs(far.Time.Half()-i.Half()) > 1e-2 ||
		math.Abs(far.BetweenNS-100) > 0.1 || far.converged(0.01) {
		t.Errorf("launches far apart: %+v", far.Spread)
	}
}

// Where earlier runs differ by more than the precision, a note says why the interval is wider than what launches show.
func TestWideNote(t *testing.T) {
	same := combinetest.LaunchesOf(1000, 1000, 1000, 1000, 1000)
	apart, near := machineWith(0, 5), machineWith(0, 5)
	for i := range 6 {
		for known, ns := range map[*machine.Knowledge]float64{apart: 800 + 80*float64(i%2), near: 800} {
			known.Remember(same[0].ID, &invocations.Result{
				Verdicts: []invocations.Verdict{invocations.Clean},
				OfDriver: invocations.OfDriver{Spread: &invocations.Spread{
					Time: stats.Interval{Value: 1000}, Reference: stats.Interval{Value: ns}}},
			})
		}
	}
	if note := spread(combinetest.Ended(same...), apart).wideNote(0.02); !strings.Contains(note, "earlier runs of it differ by ± 1") {
		t.Errorf("runs that are 10 %% apart: %q", note)
	}
	for what, note := range map[string]string{
		"equal runs":             spread(combinetest.Ended(same...), near).wideNote(0.02),
		"a coarse precision":     spread(combinetest.Ended(same...), apart).wideNote(0.5),
		"no precision":           spread(combinetest.Ended(same...), apart).wideNote(0),
		"launches that disagree": spread(combinetest.Ended(combinetest.LaunchesOf(900, 1000, 1100)...), apart).wideNote(0.02),
	} {
		if note != "" {
			t.Errorf("%s: %q", what, note)
		}
	}
}

// TestReadsTheClock: stops by the host and the core's clock may or may not lengthen calls that wait until a time of day. The
// interval covers both, and a note says why.
func TestReadsTheClock(t *testing.T) {
	launches := launchesAt(1000, 1, 4.2, 4.2, 4.2, 4.2, 4.2)
	for i := range launches {
		launches[i].ReadsClock, launches[i].Canary.Stops = true, 0.01
	}
	s := spread(combinetest.Ended(launches...), machineWith(2, 4))
	if at, ns := s.Reference, launches[0].Summary.MedianNS; at.Low > ns || at.High < ns*4.2/4/1.01 {
		t.Errorf("%v of the reference time does not hold the time, %g, and that at the reference clock", at, ns)
	}
	if note := s.wideNote(0.01); !strings.Contains(note, "calls read the clock") {
		t.Errorf("note %q", note)
	}
}

// A row whose earlier runs differ by more than the precision is not clean, however well its launches agree. It is
// remembered, so that it may be clean again, and needs no further launches, which would not help.
func TestRunsApart(t *testing.T) {
	m := invocations.Measure{Mode: invocations.Warm, Precision: 0.02}
	run := func(known *machine.Knowledge, ns float64) invocations.Result {
		var l Launches
		for _, launch := range slices.Repeat(combinetest.LaunchesOf(ns), enoughLaunches) {
			launch.Status = invocations.OK
			l.Add(launch, m)
		}
		if !l.Enough(m.Precision, known) {
			t.Errorf("%g ns: launches that agree are not enough", ns)
		}
		out := l.Merge(m, known)
		known.Remember(out.ID, &out)
		return out
	}
	clean, apart := []invocations.Verdict{invocations.Clean}, []invocations.Verdict{invocations.NotConverged}
	known := machineWith(0, 0)
	out := run(known, 1000)
	if !slices.Equal(out.Verdicts, clean) {
		t.Errorf("the first run: %q, notes %q", out.Verdicts, out.Notes)
	}
	for i := range 5 {
		out = run(known, 1000+100*float64((i+1)%2))
		if !slices.Equal(out.Verdicts, apart) || out.Stop != invocations.StopPrecision || !out.Spread.Agree ||
			!slices.ContainsFunc(out.Notes, func(n string) bool { return strings.Contains(n, "earlier runs of it differ") }) {
			t.Errorf("%d runs apart: %q, stop %q, notes %q", i+2, out.Verdicts, out.Stop, out.Notes)
		}
	}
	for range 20 {
		out = run(known, 1000)
	}
	if !slices.Equal(out.Verdicts, clean) {
		t.Errorf("after twenty equal runs: %q, notes %q", out.Verdicts, out.Notes)
	}
}

// TestCallsThatWait: how soon a thread is woken changes from minute to minute, as batches do and by some microseconds at
// least, although launches agree.
func TestCallsThatWait(t *testing.T) {
	launches := func(works float64) []invocations.Result {
		all := combinetest.LaunchesOf(1000, 1001, 1000, 999, 1000)
		for i := range all {
			all[i].Summary.MADNS, all[i].Summary.CPUMedianNS = 30, 1000*works
		}
		return all
	}
	for ns, want := range map[float64]float64{1e5: 0.03 * 0.8, 1e6: 0.005, 1e8: 0.00005} {
		alike := launches(0.2)
		for i := range alike {
			alike[i].Summary = stats.Summary{MedianNS: ns, MADNS: 1, CPUMedianNS: 0.2 * ns}
		}
		if got := wakeUps(alike); math.Abs(got-want) > want/1000 {
			t.Errorf("waits of %g ns: ± %g, want %g", ns, got, want)
		}
	}
	waits := spread(combinetest.Ended(launches(0.2)...), machineWith(2, 4))
	for what, at := range map[string]stats.Interval{"time": waits.Time, "reference time": waits.Reference} {
		if !within(at.Half(), 30) {
			t.Errorf("the interval of the %s is ± %g ns, want ± 30", what, at.Half())
		}
	}
	if note := waits.wideNote(0.01); waits.converged(0.01) || !strings.Contains(note, "by ± 3 % of a call") {
		t.Errorf("converged: %v, note %q", waits.converged(0.01), note)
	}
	if s := spread(combinetest.Ended(launches(0.8)...), machineWith(2, 4)); !s.converged(0.01) || s.wideNote(0.01) != "" {
		t.Errorf("calls that work for most of their time: %v, note %q", s.Time, s.wideNote(0.01))
	}
}

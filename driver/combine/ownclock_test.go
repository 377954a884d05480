package combine

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// atClock returns a launch of a function that lowers its clock by a factor, on a core whose neighbours leave it a clock
// for scalar code. A call takes so many nanoseconds where that is 4 GHz.
func atClock(ns, own, scalar float64) invocations.Result {
	r := combinetest.MadeUp(ns * 4 / scalar)
	ghz := scalar * own
	r.Canary.GHz, r.Canary.OwnClock, r.Canary.ScalarGHz = ghz, own, scalar
	for i := range r.CyclesSamples {
		r.CyclesSamples[i] = r.SamplesNS[i] * ghz
	}
	return r
}

// launchesAt returns a launch at each clock of scalar code.
func launchesAt(ns, own float64, scalar ...float64) (all []invocations.Result) {
	for _, ghz := range scalar {
		all = append(all, atClock(ns, own, ghz))
	}
	return all
}

// merged returns the result of launches on a machine that usually runs at 4 GHz.
func merged(results []invocations.Result) invocations.Result {
	return (&Launches{Results: combinetest.Ended(results...)}).Merge(invocations.Measure{Precision: 0.01}, machineWith(2, 4))
}

// TestOwnClockIsPartOfTheTime measures scalar code and a wide kernel that takes 3 % longer, at a clock of which it
// lowers 7 % itself. By the cycles alone, which one reference clock shows, the wide one would be 4 % faster.
func TestOwnClockIsPartOfTheTime(t *testing.T) {
	clocks := []float64{4.1, 3.9, 4, 3.8, 4.05}
	scalar, wide := merged(launchesAt(1000, 1, clocks...)), merged(launchesAt(1034, 0.93, clocks...))
	if ratio := wide.Spread.Reference.Value / scalar.Spread.Reference.Value; math.Abs(ratio-1.034) > 0.002 {
		t.Errorf("at the reference clock, the ratio is %.4f, want 1.034", ratio)
	}
	if own := wide.Spread.OwnClock; math.Abs(own-0.93) > 1e-6 {
		t.Errorf("own clock %g", own)
	}
	if !strings.Contains(strings.Join(wide.Notes, "; "), "lowers the clock of its core to 0.93 ") {
		t.Errorf("notes %q", wide.Notes)
	}
	if own := scalar.Spread.OwnClock; own != 1 || len(scalar.Notes) > 0 {
		t.Errorf("own clock %g, notes %q", own, scalar.Notes)
	}
	if r := stats.LaunchInterval(wide.Spread.ReferenceMedians); r.Half() > 0.01*r.Value {
		t.Errorf("launches of the wide kernel at the reference clock: %v", wide.Spread.ReferenceMedians)
	}
}

// TestOpenClock measures a kernel whose cycles agree, while looks at its clock scatter by more than it may lower it.
func TestOpenClock(t *testing.T) {
	var all []invocations.Result
	for _, own := range []float64{0.8, 1.04, 0.94, 1.02, 0.9} {
		one := atClock(1000, 1, 4)
		one.Canary.OwnClock = own
		all = append(all, one)
	}
	out := merged(all)
	if at := out.Spread.Reference; math.Abs(at.Value/1000-1) > 0.001 || at.Low < 980 || at.High < 1000/0.94 {
		t.Errorf("%+v: want the time at the clock of scalar code, and an interval that reaches that of a lower one", at)
	}
	if out.Spread.OwnClock != 1 || !slices.Equal(out.Verdicts, []invocations.Verdict{invocations.NotConverged}) ||
		!strings.Contains(strings.Join(out.Notes, "; "), "that is 0.94 of the clock of scalar code") {
		t.Errorf("own clock %g, verdicts %v, notes %q", out.Spread.OwnClock, out.Verdicts, out.Notes)
	}
	if l := (&Launches{Results: combinetest.Ended(all...)}); l.Enough(0.01, machineWith(2, 4)) || !l.Enough(0, machineWith(2, 4)) {
		t.Error("with a precision further launches are made, without one they are not")
	}
}

// TestClockInSteps: probes read a counter that goes in steps of 26 ticks, so that the clock around a batch is one of three
// values 0.4 % apart. Launches at clocks between those agree all the same; of the distance from the usual clock, a part may
// be what neighbours do to probes.
func TestClockInSteps(t *testing.T) {
	const step, ticks = 26, 3437 // of a probe
	random := rand.New(rand.NewPCG(1, 2))
	probe := func(length float64) float64 {
		begin := random.Float64() * step
		return step * (math.Floor((begin+length)/step) - math.Floor(begin/step))
	}
	var all []invocations.Result
	for _, longer := range []float64{1, 1.001, 1.002, 1.003, 1.004, 1.005, 1.006} {
		one := atClock(1000, 1, 4/longer)
		one.SamplesNS, one.CPUSamplesNS, one.CyclesSamples = nil, nil, nil
		for range 200 {
			ns := 1000 * longer * (1 + 2e-4*random.Float64())
			ghz := 4 * 2 * ticks / (probe(ticks*longer) + probe(ticks*longer))
			one.SamplesNS, one.CPUSamplesNS = append(one.SamplesNS, ns), append(one.CPUSamplesNS, ns+1)
			one.CyclesSamples = append(one.CyclesSamples, ns*ghz)
		}
		one.Summary = stats.Summarize(one.SamplesNS, one.CPUSamplesNS)
		all = append(all, one)
	}
	for i, ns := range merged(all).Spread.ReferenceMedians {
		if math.Abs(ns/1000-1) > 0.002 {
			t.Errorf("launch %d: %.1f ns at the reference clock, want 1,000", i, ns)
		}
	}
}

// TestOwnClockIsNoFrequency: a function that lowers its clock by two fifths runs at the clock that the machine usually
// has.
func TestOwnClockIsNoFrequency(t *testing.T) {
	for _, c := range []struct {
		own, scalar float64
		verdict     bool
	}{{0.6, 4, false}, {1, 2.4, true}, {0.6, 2.4, true}} {
		out := merged(launchesAt(1000, c.own, c.scalar, c.scalar, c.scalar, c.scalar, c.scalar))
		if slices.Contains(out.Verdicts, invocations.Frequency) != c.verdict {
			t.Errorf("%+v: %v", c, out.Verdicts)
		}
	}
}

// TestSleepIsNotCorrected measures a sleep while the clock moves: the clock is not its own, and its time is that at any
// clock.
func TestSleepIsNotCorrected(t *testing.T) {
	var all []invocations.Result
	for _, ghz := range []float64{3.2, 3.8, 4.4, 3.5, 4.1} {
		one := atClock(1000*ghz/4, 1, ghz) // 1,000 ns at any clock
		one.Canary.OwnClock = 0.8
		for i := range one.CPUSamplesNS {
			one.CPUSamplesNS[i] = 20
		}
		one.Summary = stats.Summarize(one.SamplesNS, one.CPUSamplesNS)
		all = append(all, one)
	}
	s := merged(all).Spread
	for _, ns := range s.ReferenceMedians {
		if math.Abs(ns-1000) > 0.1 {
			t.Errorf("at the reference clock: %v", s.ReferenceMedians)
			break
		}
	}
	if s.OwnClock != 0 {
		t.Errorf("a sleep has the own clock %g", s.OwnClock)
	}
}

// TestSystemWorksForCalls counts the cycles in user mode of calls for which the system does most of the work. They are
// no measure of the time.
func TestSystemWorksForCalls(t *testing.T) {
	all := launchesAt(1000, 1, 3.9, 4, 4.1, 4, 3.95)
	for i := range all {
		all[i].CyclesCounted = true
		for k := range all[i].CyclesSamples {
			all[i].CyclesSamples[k] /= 20
		}
	}
	if v := merged(all).Spread.Reference.Value; math.Abs(v-1000) > 3 {
		t.Errorf("%g ns at the reference clock, want 1,000", v)
	}
}

// TestStopsAreTakenOut: two of five launches have batches that the host's stops make 3 % longer. The time at the
// reference clock is that of the others, unless cycles were counted: a guest's counters stop with it.
func TestStopsAreTakenOut(t *testing.T) {
	for _, counted := range []bool{false, true} {
		launches := launchesAt(1000, 1, 4, 4, 4, 4, 4)
		for i := range launches {
			one := &launches[i]
			if one.CyclesCounted = counted; i%2 == 1 {
				one.Canary.Stops = 0.03
				one.Summary.MedianNS *= 1.03
				if !counted {
					for j := range one.CyclesSamples { // by the clock, which does not see stops
						one.CyclesSamples[j] *= 1.03
					}
				}
			}
		}
		r := merged(launches)
		if at := r.Spread.Reference; math.Abs(at.Value/1000-1) > 1e-3 || slices.Max(r.Spread.ReferenceMedians) > 1002 {
			t.Errorf("counted %t: %v, launches %v", counted, at, r.Spread.ReferenceMedians)
		}
	}
}

// TestStopsSeenByChance: each launch is stopped alike, and short looks have seen that in some of them only. Times are then
// not corrected by what each look has seen, which would make them scatter.
func TestStopsSeenByChance(t *testing.T) {
	for _, seen := range [][]float64{{0, 0.05, 0, 0, 0.05, 0, 0.1}, {0.003, 0.002, 0, 0.004, 0}} {
		launches := launchesAt(1000, 1, 4, 4, 4, 4, 4, 4, 4)[:len(seen)]
		for i := range launches {
			launches[i].Canary.Stops = seen[i]
		}
		got := merged(launches).Spread.ReferenceMedians
		if slices.Max(got) > 1.002*slices.Min(got) || math.Abs(stats.Median(got)-1000) > 1 {
			t.Errorf("stops %v: launches of the same length take %v at the reference clock", seen, got)
		}
	}
}

// TestManyStopsAreNotClean: what looks have seen of stops is taken out of times, and may be half as much again. The
// interval covers that. A row from which more than a hundredth is taken out does not count as undisturbed, be it that
// each launch was stopped or some of them, unless its calls wait, or its cycles were counted.
func TestManyStopsAreNotClean(t *testing.T) {
	type stops [5]float64
	all := stops{0.024, 0.024, 0.024, 0.024, 0.024}
	for _, c := range []struct {
		name string
		stops
		counted bool
		works   float64
		want    invocations.Verdict
		note    string
		half    float64 // least half-width of the interval, as a fraction
	}{
		{"none", stops{}, false, 1, invocations.Clean, "", 0},
		{"few", stops{0.008, 0.008, 0.008, 0.008, 0.008}, false, 1, invocations.Clean, "", 0.004},
		{"in all launches", all, false, 1, invocations.Contended, "about 2.4 % longer", 0.012},
		{"in two launches", stops{0, 0.04, 0, 0.04, 0}, false, 1, invocations.Contended, "about 1.6 % longer", 0.008},
		{"counted cycles", all, true, 1, invocations.Clean, "", 0},
		{"a sleep", all, false, 0.02, invocations.Clean, "", 0},
	} {
		launches := launchesAt(1000, 1, 4, 4, 4, 4, 4)
		for i := range launches {
			one := &launches[i]
			one.Canary.Stops, one.CyclesCounted = c.stops[i], c.counted
			for j := range one.CPUSamplesNS {
				one.CPUSamplesNS[j] = c.works * one.SamplesNS[j]
			}
			one.Summary = stats.Summarize(one.SamplesNS, one.CPUSamplesNS)
			if c.works == 1 && !c.counted {
				one.Summary.MedianNS *= 1 + c.stops[i]
				for j := range one.CyclesSamples {
					one.CyclesSamples[j] *= 1 + c.stops[i]
				}
			}
		}
		r := (&Launches{Results: combinetest.Ended(launches...)}).Merge(invocations.Measure{}, machineWith(2, 4))
		notes, at := strings.Join(r.Notes, "; "), r.Spread.Reference
		if !slices.Contains(r.Verdicts, c.want) || !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s: verdicts %v, want %s; notes %q", c.name, r.Verdicts, c.want, notes)
		}
		if math.Abs(at.Value/1000-1) > 1e-3 || at.Half() < 0.999*c.half*at.Value {
			t.Errorf("%s: %v, want a half-width of %g at least", c.name, at, c.half)
		}
	}
}

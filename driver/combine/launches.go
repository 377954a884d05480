// Package combine makes one result of those of launches, of the turns of a launch, and of hosts: samples, counts, intervals
// and verdicts. It knows results and what is known of the machine, and nothing of how executors are asked.
package combine

import (
	"fmt"
	"math"
	"slices"
	"time"

	"zonemark/driver/machine"

	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

const (
	// LeastLaunches is the least number of launches of an invocation if the user gave no number.
	LeastLaunches = 5
	// enoughLaunches must agree: of five, all may be in a state of the processor that is not the usual one.
	enoughLaunches = 7
	leastQuiet     = 3 // with fewer quiet launches, the others count too
)

// Launches are those that an invocation has had so far. Its zero value has none.
type Launches struct {
	Results []invocations.Result
	Spent   time.Duration // in all launches
	Last    time.Duration // in the last launch, from its start to its result

	share share // of the samples that are kept
}

// Add adds the result of a launch. Of its samples, a share is kept.
func (l *Launches) Add(result invocations.Result, m invocations.Measure) {
	result.ReduceCycles()
	reduceApart(&result)
	l.Results = append(l.Results, result)
	l.share.bound(l.Results, mostOf(&m))
}

// MedianNS returns the median of the times of the launches so far, in nanoseconds a call; 0 if none has a time.
func (l *Launches) MedianNS() float64 {
	var medians []float64
	for i := range l.Results {
		if r := &l.Results[i]; r.Status == invocations.OK && len(r.SamplesNS) > 0 {
			medians = append(medians, r.Summary.MedianNS)
		}
	}
	if len(medians) == 0 {
		return 0
	}
	return stats.Median(medians)
}

// Forget drops the launches, so that they can be made otherwise. The time that they took counts on.
func (l *Launches) Forget() { l.Results, l.share = nil, share{} }

// Enough reports whether so many launches were quiet that no further one is needed, and agree within the precision, if
// that is not 0. known may be nil.
func (l *Launches) Enough(precision float64, known *machine.Knowledge) bool {
	kept := quietLaunches(l.Results, known)
	if precision == 0 {
		return len(kept) >= LeastLaunches
	}
	if len(kept) < enoughLaunches {
		return false
	}
	s := spread(kept, known)
	return s.agree(precision) && !s.ways.open && !s.uneven.open(s.Launches) && !s.oddByChance()
}

// Merge makes one result of the launches of an invocation that is measured so, of which there is one at least. If the last
// launch did not end well, its status counts. Launches that were not quiet are left out if enough others were quiet. known
// is what is known of the machine; it may be nil.
func (l *Launches) Merge(m invocations.Measure, known *machine.Knowledge) invocations.Result {
	last := l.Results[len(l.Results)-1]
	if last.Status != invocations.OK || len(last.SamplesNS) == 0 {
		last.Merged, last.SpentNS = len(l.Results), int64(l.Spent)
		if last.Status != invocations.OK && len(l.Results) > 1 {
			AddNote(&last.Notes, "%d launches before it ended well", len(l.Results)-1)
		}
		return last
	}
	kept, contended := quietLaunches(l.Results, known), false
	switch {
	case fewQuiet(kept, l.Results):
		kept, contended = l.Results, true
	case m.Iterations > 0: // the user asks for the times of all calls
		kept = l.Results
	}
	out, s := l.Results[0], spread(kept, known)
	s.All = spreadOfAll(l.Results, len(kept), known)
	f := folding{out: &out, parts: kept, all: l.Results, spent: l.Spent, spread: s}
	f.run(ofLaunches, whatever())
	f.run(ofLaunches, timed())
	if note := provesCold(&out); note != "" {
		AddNew(&out.Notes, []string{note})
	}
	AddNew(&out.Notes, courseNotes(&out, kept))
	addVerdicts(&out, kept, s, m, contended)
	l.stopped(&out, s, m)
	return out
}

// spreadOfAll returns the spread of all launches; nil if so many that are kept are all of them. Results that took turns
// are compared by all launches if few were quiet for each of them.
func spreadOfAll(launches []invocations.Result, kept int, known *machine.Knowledge) *invocations.Spread {
	timed := slices.DeleteFunc(slices.Clone(launches), func(r invocations.Result) bool { return len(r.SamplesNS) == 0 })
	if len(timed) <= kept {
		return nil
	}
	return spread(timed, known).Spread
}

// Disturbed reports whether so few launches were quiet that disturbed ones count, too. known may be nil.
func (l *Launches) Disturbed(known *machine.Knowledge) bool {
	return fewQuiet(quietLaunches(l.Results, known), l.Results)
}

// fewQuiet reports whether too few launches were quiet for the others to be left out.
func fewQuiet(quiet, all []invocations.Result) bool { return len(quiet) < min(leastQuiet, len(all)) }

// drop removes a verdict.
func drop(r *invocations.Result, v invocations.Verdict) {
	r.Verdicts = slices.DeleteFunc(r.Verdicts, func(one invocations.Verdict) bool { return one == v })
}

// addVerdicts adds the verdicts that follow from all launches together. They replace the verdicts of single launches on their
// precision.
func addVerdicts(
	out *invocations.Result, kept []invocations.Result, s spreadOf, m invocations.Measure, contended bool,
) {
	drop(out, invocations.NotConverged)
	drop(out, invocations.Clean)
	if 2*countOf(kept, invocations.TooShort) < len(kept) { // most launches had batches of the planned length
		drop(out, invocations.TooShort)
	}
	if contended {
		out.AddVerdict(invocations.Contended)
	}
	if contended || slices.Contains(out.Verdicts, invocations.Contended) && out.Canary.Batches > 0 {
		AddNew(&out.Notes, []string{out.Canary.Disturbance()})
	}
	if cannotBeTold(s.Time, cycleNS(out.Canary)) {
		out.AddVerdict(invocations.TooShort)
	}
	if m.Precision > 0 {
		s.Agree = s.agree(m.Precision)
		if !s.converged(m.Precision) {
			out.AddVerdict(invocations.NotConverged)
		}
	}
	if note := s.wideNote(m.Precision); note != "" {
		AddNew(&out.Notes, []string{note})
	}
	medians, clock := s.medians()
	medians = s.ways.evened(medians)
	if c, two := stats.TwoClasses(medians); two {
		out.AddVerdict(invocations.Bimodal)
		AddNote(&out.Notes, "its launches fall into two classes: %s%s in %d of %d, %s in %d",
			figures.Time(c.LowNS), clock, c.Low, c.Low+c.High, figures.Time(c.HighNS), c.High)
	}
	for _, note := range []string{s.uneven.note(), placementNote(kept, medians, clock), s.waysNote()} {
		if note != "" {
			AddNew(&out.Notes, []string{note})
		}
	}
	usual, is := s.ReferenceGHz, out.Canary.GHz/s.own.Taken()
	if usual > 0 && is > 0 && math.Abs(is/usual-1) > frequencyShare {
		out.AddVerdict(invocations.Frequency)
		AddNote(&out.Notes, "the core ran at %.2f GHz; the machine's usual clock is %.2f GHz", is, usual)
	}
	if note := sandboxNote(out.Counters, s.Time.Value); note != "" {
		out.AddVerdict(invocations.Sandboxed)
		AddNew(&out.Notes, []string{note})
	}
	if note := ownClockNote(s.own); note != "" {
		AddNew(&out.Notes, []string{note})
	}
	if s.Reference.Known() && s.stops > mostStops {
		out.AddVerdict(invocations.Contended)
		AddNote(&out.Notes, "the host stops this machine, which makes batches about %.1f %% longer, as additions next to "+
			"them show: the time at the reference clock is without that", 100*s.stops)
	}
	if len(out.Verdicts) == 0 {
		out.Verdicts = []invocations.Verdict{invocations.Clean}
	}
}

// middleCalls returns the middle one of the launches' batch sizes.
func middleCalls(results []invocations.Result) int64 {
	var calls []int64
	for _, one := range results {
		calls = append(calls, one.CallsPerBatch)
	}
	slices.Sort(calls)
	return calls[len(calls)/2]
}

// countOf returns how many results have a verdict.
func countOf(results []invocations.Result, v invocations.Verdict) (n int) {
	for _, one := range results {
		if slices.Contains(one.Verdicts, v) {
			n++
		}
	}
	return n
}

// frequencyShare is the greatest normal distance from the machine's usual clock, as a fraction. Work on other cores
// moves the clock by an eighth, wide vector instructions by a quarter.
const frequencyShare = 0.35

// cycleNS returns the length of a cycle of the core. A function that takes less cannot be told from one that does
// nothing.
func cycleNS(c invocations.Canary) float64 {
	if c.GHz > 0 {
		return 1 / c.GHz
	}
	return leastNetNS
}

// shortCycles is the number of cycles above which a call is not short, however little its launches agree.
const shortCycles = 8

// cannotBeTold reports whether a function cannot be told from one that does nothing: by its interval, it may take less than
// a cycle. A wide interval around a longer time says only that the launches differ.
func cannotBeTold(time stats.Interval, cycleNS float64) bool {
	return time.Low < cycleNS && time.Value < shortCycles*cycleNS
}

// leastNetNS stands for a cycle if the clock is not known.
const leastNetNS = 0.5

// stopped sets why measuring ended, and adds a note if there was no time for enough launches.
func (l *Launches) stopped(out *invocations.Result, s spreadOf, m invocations.Measure) {
	switch n := len(l.Results); {
	case m.Iterations > 0: // as the executors said
	case m.Launches > 0:
		out.Stop = invocations.StopLaunches
	case n < LeastLaunches:
		out.Stop = invocations.StopMaxTime
		AddNote(&out.Notes, "%d of %d launches were made, since one takes %.1f s with loading; --launches N makes more",
			n, LeastLaunches, l.Last.Seconds())
	case m.Precision == 0:
		out.Stop = invocations.StopMinimum
	case s.agree(m.Precision):
		out.Stop = invocations.StopPrecision
	default:
		out.Stop = invocations.StopMaxTime
	}
}

// mergeCanaries adds up the counts of all launches. Level and clock are the medians of the kept launches. If the canary
// did not work in half of the launches, it counts in none.
func mergeCanaries(all, kept []invocations.Result) invocations.Canary {
	c := invocations.Canary{}
	why, without := "", 0
	for _, one := range all {
		if one.Canary.Why != "" {
			why = one.Canary.Why
			without++
		}
		c.Batches += one.Canary.Batches
		c.Quiet += one.Canary.Quiet
		c.Core += one.Canary.Core
		c.Slow += one.Canary.Slow
		c.Caches += one.Canary.Caches
		c.Interrupted += one.Canary.Interrupted
	}
	if without > 0 && 2*without >= len(all) {
		c = invocations.Canary{Why: why}
	}
	var clocks, ports, own, scalar, stops []float64
	for _, one := range kept {
		if one.Canary.OwnClock > 0 {
			own, scalar = append(own, one.Canary.OwnClock), append(scalar, one.Canary.ScalarGHz)
			stops = append(stops, one.Canary.Stops)
		}
		if one.Canary.GHz > 0 {
			clocks, ports = append(clocks, one.Canary.GHz), append(ports, one.Canary.KeptPorts)
		}
	}
	if len(clocks) > 0 {
		c.GHz, c.KeptPorts = stats.Median(clocks), stats.Median(ports)
	}
	if len(own) > 0 {
		c.OwnClock, c.ScalarGHz, c.Stops = stats.Median(own), stats.Median(scalar), stats.Median(stops)
	}
	return c
}

// cacheLine is the number of bytes that a cache miss loads on nearly every processor.
const cacheLine = 64

// provesCold returns a note that compares the cache misses of cold calls with the cache lines of their arguments; ""
// if misses are not counted.
func provesCold(r *invocations.Result) string {
	i := slices.IndexFunc(r.Counters, func(c invocations.Count) bool { return c.Name == "cache_misses" })
	if r.Mode != invocations.Cold || i < 0 || r.Sets == 0 {
		return ""
	}
	lines, misses := float64(r.SetBytes)/float64(r.Sets)/cacheLine, r.Counters[i].PerCall
	if misses < lines/2 {
		return fmt.Sprintf("its arguments were not all cold: %.0f cache misses a call, %.0f cache lines of arguments "+
			"(the processor may have fetched them ahead)", misses, lines)
	}
	return fmt.Sprintf("its arguments were cold: %.0f cache misses a call, %.0f cache lines of arguments",
		misses, lines)
}

// sameCount is the relative distance up to which counts per call are equal; it allows for rounding.
const sameCount = 1e-9

// mergeCounters returns the median of each counter over the launches that had it. A counter is exact if it was exact in
// each launch and the launches agree. A note names a launch whose number of instructions differs from the others'.
func mergeCounters(kept []invocations.Result, out *invocations.Result) []invocations.Count {
	var merged []invocations.Count
	for _, name := range counterNames(kept) {
		var values []float64
		var numbers []int // of the launches that have it
		exact := true
		for _, one := range kept {
			for _, c := range one.Counters {
				if c.Name == name {
					values, numbers, exact = append(values, c.PerCall), append(numbers, one.Number), exact && c.Exact
				}
			}
		}
		median := stats.Median(values)
		for i, v := range values {
			if math.Abs(v-median) <= sameCount*math.Abs(median) {
				continue
			}
			if exact && name == "instructions" {
				AddNote(&out.Notes, "launch %d executed %.0f instructions a call, the others %.0f",
					numbers[i]+1, v, median)
			}
			exact = false
		}
		merged = append(merged, invocations.Count{Name: name, PerCall: median, Exact: exact})
	}
	return merged
}

// counterNames returns the names of the counters of results in order of appearance.
func counterNames(results []invocations.Result) (names []string) {
	for _, one := range results {
		for _, c := range one.Counters {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

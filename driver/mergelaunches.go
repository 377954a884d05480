package driver

import (
	"fmt"
	"math"
	"slices"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// mergeLaunches makes one result of the launches of an invocation. A launch that did not end well decides the status. Launches that were not quiet are set apart
// where enough others were.
func (r *run) mergeLaunches(l *launched) invocations.Result {
	last := l.results[len(l.results)-1]
	if last.Status != invocations.OK || len(last.SamplesNS) == 0 {
		last.Rounds = len(l.results)
		if last.Status != invocations.OK && len(l.results) > 1 {
			addNew(&last.Notes, []string{fmt.Sprintf("%d launches before it ended well", len(l.results)-1)})
		}
		return last
	}
	m := r.plan.List[l.index].Invocation.Measure
	kept, contended := r.quietLaunches(l.results), false
	if len(kept) < min(leastQuiet, len(l.results)) {
		kept, contended = l.results, true
	}
	out := l.results[0] // with what was asked for once: notes, properties, dispatches
	out.Rounds, out.Verdicts, out.Notes = len(kept), nil, slices.Clone(l.results[0].Notes)
	out.SamplesNS, out.CPUSamplesNS, out.CyclesSamples, out.RoundSamples = nil, nil, nil, nil
	out.Iterations, out.Discarded, out.WarmupCalls, out.OverheadNS = 0, invocations.Discarded{}, 0, 0
	out.CallsPerBatch = middleCalls(kept)
	for _, one := range kept {
		out.SamplesNS = append(out.SamplesNS, one.SamplesNS...)
		out.CPUSamplesNS = append(out.CPUSamplesNS, one.CPUSamplesNS...)
		out.RoundSamples = append(out.RoundSamples, len(one.SamplesNS))
		out.Iterations += one.Iterations
		out.OverheadNS += one.OverheadNS / float64(len(kept))
		addNew(&out.Verdicts, one.Verdicts)
	}
	out.Canary = mergeCanaries(l.results, kept)
	if why := out.Canary.Why; why != "" {
		addNew(&out.Notes, []string{"no probes of how quiet the core was: " + why})
	}
	for _, one := range l.results {
		out.Discarded.Switched += one.Discarded.Switched
		out.Discarded.Warmup += one.Discarded.Warmup
		out.WarmupCalls += one.WarmupCalls
	}
	s := r.spread(kept)
	out.Spread = s.Spread
	out.Summary = stats.Summarize(out.SamplesNS, out.CPUSamplesNS)
	out.Summary.MedianNS, out.Summary.CILowNS, out.Summary.CIHighNS = s.Time.Value, s.Time.Low, s.Time.High
	if s.Cycles.Known() { // by all launches, not by the samples that the executor knows
		out.Canary.GHz = s.Cycles.Value / s.Time.Value
	}
	out.Counters = mergeCounters(kept, &out)
	if note := provesCold(&out); note != "" {
		addNew(&out.Notes, []string{note})
	}
	r.judge(&out, kept, s, m, contended)
	r.stopped(&out, l, s, m)
	return out
}

// drop takes a verdict away.
func drop(r *invocations.Result, v invocations.Verdict) {
	r.Verdicts = slices.DeleteFunc(r.Verdicts, func(one invocations.Verdict) bool { return one == v })
}

// judge adds what only all launches say. What single launches said of their own precision is no matter.
func (r *run) judge(out *invocations.Result, kept []invocations.Result, s spreadOf, m invocations.Measure, contended bool) {
	drop(out, invocations.NotConverged)
	drop(out, invocations.Clean)
	if 2*countOf(kept, invocations.TooShort) < len(kept) { // one launch met something else
		drop(out, invocations.TooShort)
	}
	if contended {
		out.Flaw(invocations.Contended)
		addNew(&out.Notes, []string{disturbance(out.Canary)})
	}
	if cycle := r.cycleNS(out.Canary); s.Time.Low < cycle {
		out.Flaw(invocations.TooShort)
	}
	if m.Precision > 0 && (len(s.MediansNS) < 2 || !s.converged(m.Precision)) {
		out.Flaw(invocations.NotConverged)
	}
	medians, unit := s.MediansNS, "ns"
	if s.Reference.Known() {
		medians, unit = s.ReferenceMedians, "ns at the reference clock"
	}
	if c, two := stats.TwoClasses(medians); two {
		out.Flaw(invocations.Bimodal)
		addNew(&out.Notes, []string{fmt.Sprintf("its launches fall into two classes: %.4g %s in %d of %d, %.4g in %d", c.LowNS, unit, c.Low, c.Low+c.High, c.HighNS, c.High)})
	}
	if usual, is := s.ReferenceGHz, out.Canary.GHz; usual > 0 && is > 0 && math.Abs(is/usual-1) > frequencyShare {
		out.Flaw(invocations.Frequency)
		addNew(&out.Notes, []string{fmt.Sprintf("the core ran at %.2f GHz; the machine's usual clock is %.1f GHz", is, usual)})
	}
	if len(out.Verdicts) == 0 {
		out.Verdicts = []invocations.Verdict{invocations.Clean}
	}
}

// middleCalls is the middle one of the batch sizes of launches, each of which sizes its own.
func middleCalls(results []invocations.Result) int64 {
	var calls []int64
	for _, one := range results {
		calls = append(calls, one.CallsPerBatch)
	}
	slices.Sort(calls)
	return calls[len(calls)/2]
}

// countOf is how many results have a verdict.
func countOf(results []invocations.Result, v invocations.Verdict) (n int) {
	for _, one := range results {
		if slices.Contains(one.Verdicts, v) {
			n++
		}
	}
	return n
}

// frequencyShare is how far from the machine's usual clock a core is not itself any more. Neighbours move it by an eighth, wide vector instructions by a quarter.
const frequencyShare = 0.35

// cycleNS is a cycle of the core: a function that takes less is not told from one that does nothing.
func (r *run) cycleNS(c invocations.Canary) float64 {
	if c.GHz > 0 {
		return 1 / c.GHz
	}
	return leastNetNS
}

// leastNetNS stands for a cycle where the clock is not known.
const leastNetNS = 0.5

// stopped says why measuring ended, and what it could not afford.
func (r *run) stopped(out *invocations.Result, l *launched, s spreadOf, m invocations.Measure) {
	switch n := len(l.results); {
	case m.Launches > 0:
		out.Stop = invocations.StopLaunches
	case n < LeastLaunches:
		out.Stop = invocations.StopMaxTime
		addNew(&out.Notes, []string{fmt.Sprintf("%d of %d launches were made, since one takes %.1f s with loading; --launches N makes more", n, LeastLaunches, l.last.Seconds())})
	case m.Precision == 0:
		out.Stop = invocations.StopMinimum
	case s.converged(m.Precision):
		out.Stop = invocations.StopPrecision
	default:
		out.Stop = invocations.StopMaxTime
	}
}

// mergeCanaries counts over all launches; levels and clock are those of the kept ones. A canary that one launch found not to apply applies to none.
func mergeCanaries(all, kept []invocations.Result) invocations.Canary {
	c := invocations.Canary{}
	for _, one := range all {
		if one.Canary.Why != "" {
			c = invocations.Canary{Why: one.Canary.Why}
			break
		}
		c.Batches += one.Canary.Batches
		c.Quiet += one.Canary.Quiet
		c.Core += one.Canary.Core
		c.Slow += one.Canary.Slow
		c.Caches += one.Canary.Caches
		c.Interrupted += one.Canary.Interrupted
	}
	var clocks, ports []float64
	for _, one := range kept {
		if one.Canary.GHz > 0 {
			clocks, ports = append(clocks, one.Canary.GHz), append(ports, one.Canary.KeptPorts)
		}
	}
	if len(clocks) > 0 {
		c.GHz, c.KeptPorts = stats.Median(clocks), stats.Median(ports)
	}
	return c
}

// disturbance says what kept launches from being quiet.
func disturbance(c invocations.Canary) string {
	if c.Batches == 0 {
		return "other work took the CPU"
	}
	return fmt.Sprintf("%d of %d batches were quiet; of the others, the core was shared in %d, caches or memory in %d, its clock changed in %d, and other work took the CPU in %d",
		c.Quiet, c.Batches, c.Core, c.Caches, c.Slow, c.Interrupted)
}

// cacheLine is what a miss brings, in bytes, on nearly every processor.
const cacheLine = 64

// provesCold says how many misses the calls of a cold measurement had beside the lines of their arguments; empty where misses are not counted.
func provesCold(r *invocations.Result) string {
	i := slices.IndexFunc(r.Counters, func(c invocations.Count) bool { return c.Name == "cache_misses" })
	if r.Mode != invocations.Cold || i < 0 || r.Sets == 0 {
		return ""
	}
	lines, misses := float64(r.SetBytes)/float64(r.Sets)/cacheLine, r.Counters[i].PerCall
	if misses < lines/2 {
		return fmt.Sprintf("its arguments were not all cold: %.0f cache misses a call, %.0f cache lines of arguments (the processor may have fetched them ahead)", misses, lines)
	}
	return fmt.Sprintf("its arguments were cold: %.0f cache misses a call, %.0f cache lines of arguments", misses, lines)
}

// sameCount is how far counts per call may lie apart and be the same: rounding.
const sameCount = 1e-9

// mergeCounters takes the median of each counter over the launches that had it. It is exact where it was in each launch, and the launches agree; a launch that
// executed other instructions than the others is named.
func mergeCounters(kept []invocations.Result, out *invocations.Result) []invocations.Count {
	var merged []invocations.Count
	for _, name := range counterNames(kept) {
		var values []float64
		var numbers []int // of the launches that had it
		exact := true
		for _, one := range kept {
			for _, c := range one.Counters {
				if c.Name == name {
					values, numbers, exact = append(values, c.PerCall), append(numbers, one.Round), exact && c.Exact
				}
			}
		}
		median := stats.Median(values)
		for i, v := range values {
			if math.Abs(v-median) <= sameCount*math.Abs(median) {
				continue
			}
			if exact && name == "instructions" {
				addNew(&out.Notes, []string{fmt.Sprintf("launch %d executed %.0f instructions a call, the others %.0f", numbers[i]+1, v, median)})
			}
			exact = false
		}
		merged = append(merged, invocations.Count{Name: name, PerCall: median, Exact: exact})
	}
	return merged
}

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

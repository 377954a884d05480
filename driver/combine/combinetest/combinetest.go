// Package combinetest makes up results of launches, for tests.
package combinetest

import (
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// MadeUp returns a clean launch of a function with this time, on a quiet core of 4 GHz.
func MadeUp(ns float64) invocations.Result {
	r := invocations.Result{
		ID: "f", Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean},
		Calling: invocations.Calling{Stop: "precision", Clock: "tsc", CallsPerBatch: 1000, OverheadNS: 1,
			WarmupCalls: 50},
		Merged:    1,
		Discarded: invocations.Discarded{Disturbed: 2, Warmup: 3},
		Canary:    invocations.Canary{Batches: 42, Quiet: 40, Core: 2, KeptPorts: 2, GHz: 4},
	}
	for i := range 40 {
		sample := ns * (1 + 1e-5*float64(i-20))
		r.SamplesNS, r.CPUSamplesNS, r.CyclesSamples = append(r.SamplesNS, sample), append(r.CPUSamplesNS, sample+1),
			append(r.CyclesSamples, 4*sample)
	}
	r.Iterations = 40 * r.CallsPerBatch
	r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	return r
}

// Ended returns launches with what is kept of each when it has ended.
func Ended(launches ...invocations.Result) []invocations.Result {
	launches = slices.Clone(launches)
	for i := range launches {
		launches[i].ReduceCycles()
	}
	return launches
}

// LaunchesOf returns clean launches with these medians.
func LaunchesOf(ns ...float64) (all []invocations.Result) {
	for _, one := range ns {
		all = append(all, MadeUp(one))
	}
	return all
}

// With returns a result as edit changes it.
func With(r invocations.Result, edit func(*invocations.Result)) invocations.Result {
	edit(&r)
	return r
}

// Contended returns a launch that is contended by its own verdict.
func Contended(ns float64) invocations.Result {
	return With(MadeUp(ns), func(r *invocations.Result) {
		r.Verdicts, r.Canary = []invocations.Verdict{invocations.Contended}, invocations.Canary{Batches: 42, Quiet: 3,
			Core: 30, Slow: 4,
			Interrupted: 5, KeptPorts: 3, GHz: 4}
	})
}

// FixedLaunch returns a launch of two calls of these times. quiet is false if other work took the CPU.
func FixedLaunch(quiet bool, ns ...float64) invocations.Result {
	n := int64(len(ns))
	r := invocations.Result{
		ID: "f", Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean},
		Calling: invocations.Calling{Stop: invocations.StopIterations, Iterations: n, CallsPerBatch: 1}, Merged: 1,
		Batches: invocations.Batches{SamplesNS: ns, RoundsNS: []float64{ns[0] + ns[1] + 1}},
		Canary:  invocations.Canary{Batches: n, Quiet: n}, Properties: map[string]string{"platform": "cpu"},
	}
	if !quiet {
		r.Verdicts, r.Canary = []invocations.Verdict{invocations.Contended}, invocations.Canary{Batches: n,
			Interrupted: n}
	}
	r.Summary = stats.Summarize(ns, nil)
	return r
}

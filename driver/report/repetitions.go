package report

import (
	"maps"
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// repetition is one independent measurement of an invocation, in the sense of tools that compare repetitions. A figure
// that is not known is NaN.
type repetition struct {
	iterations  int64
	wallNS      float64
	cpuNS       float64
	referenceNS float64 // wall time at the reference clock
	cycles      float64 // counted, per call
}

// newRepetition returns a repetition of which only the wall time is known.
func newRepetition(iterations int64, wallNS float64) repetition {
	return repetition{iterations, wallNS, math.NaN(), math.NaN(), math.NaN()}
}

// maxSlices is the greatest number of repetitions that are made of samples without rounds.
const maxSlices = 20

// repetitions returns the launches of a record, or its rounds, each with the median of its samples. If it has neither,
// it divides the samples, in order of measuring, into at most maxSlices slices, since samples near each other in time
// are not independent. It returns nil if the record has no time.
func repetitions(r *invocations.Record) []repetition {
	if !r.Timed() {
		return nil
	}
	if len(r.LaunchMediansNS) > 0 {
		return launchRepetitions(r)
	}
	wall, cpu := r.MergedNS(), r.MergedCPUNS()
	if len(wall) < 2 {
		wall, cpu = cutEvenly(r.SamplesNS), cutEvenly(r.CPUSamplesNS)
	}
	if len(r.CPUSamplesNS) != len(r.SamplesNS) {
		cpu = nil
	}
	var all []repetition
	for i, samples := range wall {
		if len(samples) == 0 {
			continue
		}
		one := newRepetition(iterationsOf(r, i, len(wall), len(samples)), stats.Median(samples))
		switch {
		case cpu != nil:
			one.cpuNS = stats.Median(cpu[i])
		case r.CPUMedianNS != nil:
			one.cpuNS = *r.CPUMedianNS
		}
		all = append(all, one)
	}
	return all
}

// launchRepetitions returns the launches of a record with their recorded medians. A launch whose number of samples is
// not known gets an equal share of all calls.
func launchRepetitions(r *invocations.Record) []repetition {
	n := len(r.LaunchMediansNS)
	wall, cpu := r.MergedNS(), r.MergedCPUNS()
	all := make([]repetition, n)
	for i, median := range r.LaunchMediansNS {
		samples := len(r.SamplesNS) / n
		if len(wall) == n {
			samples = len(wall[i])
		}
		one := newRepetition(iterationsOf(r, i, n, samples), median)
		if len(cpu) == n && len(cpu[i]) > 0 {
			one.cpuNS = stats.Median(cpu[i])
		}
		if len(r.LaunchReference) == n {
			one.referenceNS = r.LaunchReference[i]
		}
		if len(r.LaunchCycles) == n {
			one.cycles = r.LaunchCycles[i]
		}
		all[i] = one
	}
	return all
}

// iterationsOf returns the number of timed calls of one of n parts of a record, which has so many of its samples. If the
// record does not tell, that is the part's share of all calls.
func iterationsOf(r *invocations.Record, part, n int, samples int) int64 {
	if len(r.MergedIterations) == n && n > 0 {
		return r.MergedIterations[part]
	}
	if r.Iterations == nil {
		return int64(samples) * callsPerBatch(r)
	}
	return max(1, int64(math.Round(float64(*r.Iterations)*float64(samples)/float64(len(r.SamplesNS)))))
}

func callsPerBatch(r *invocations.Record) int64 {
	if r.CallsPerBatch == nil {
		return 1
	}
	return max(1, *r.CallsPerBatch)
}

// cutEvenly cuts x into at most maxSlices slices of nearly equal length.
func cutEvenly(x []float64) [][]float64 {
	n := min(len(x), maxSlices)
	cut := make([][]float64, n)
	for i := range n {
		cut[i] = x[i*len(x)/n : (i+1)*len(x)/n]
	}
	return cut
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// positive returns nil for values that are not ratios: NaN, infinity, zero and negative ones.
func positive(v float64) *float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return nil
	}
	return &v
}

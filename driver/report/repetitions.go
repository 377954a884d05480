package report

import (
	"maps"
	"math"
	"slices"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// repetition is one independent look at the time of an invocation, as tools understand it that compare several. What is not known of it is NaN.
type repetition struct {
	iterations  int64
	wallNS      float64
	cpuNS       float64
	referenceNS float64 // wall time at the reference clock
	cycles      float64 // counted, per call
}

// mostSlices is the number of repetitions into which samples are gathered that were not taken in rounds.
const mostSlices = 20

// repetitions are the launches of a record, or its rounds, each with the median of its samples. Without either they are its samples in the order of
// measuring, gathered into at most 20 slices, for neighbours in time are not independent. Nil when the record holds no time.
func repetitions(r *invocations.Record) []repetition {
	if !r.Timed() {
		return nil
	}
	if len(r.LaunchMediansNS) > 0 {
		return launchRepetitions(r)
	}
	wall, cpu := r.RoundsNS(), r.RoundsCPUNS()
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
		one := repetition{int64(len(samples)) * callsPerBatch(r), stats.Median(samples), math.NaN(), math.NaN(), math.NaN()}
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

// launchRepetitions takes the medians of launches as the record states them. A launch whose number of samples is not known has an equal share of all calls.
func launchRepetitions(r *invocations.Record) []repetition {
	n := len(r.LaunchMediansNS)
	wall, cpu := r.RoundsNS(), r.RoundsCPUNS()
	all := make([]repetition, n)
	for i, median := range r.LaunchMediansNS {
		one := repetition{max(1, int64(len(r.SamplesNS))*callsPerBatch(r)/int64(n)), median, math.NaN(), math.NaN(), math.NaN()}
		if len(wall) == n {
			one.iterations = int64(len(wall[i])) * callsPerBatch(r)
		}
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

func callsPerBatch(r *invocations.Record) int64 {
	if r.CallsPerBatch == nil {
		return 1
	}
	return max(1, *r.CallsPerBatch)
}

// cutEvenly cuts x into at most mostSlices slices of nearly equal length.
func cutEvenly(x []float64) [][]float64 {
	n := min(len(x), mostSlices)
	cut := make([][]float64, n)
	for i := range n {
		cut[i] = x[i*len(x)/n : (i+1)*len(x)/n]
	}
	return cut
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// positive is nil for what is no ratio: NaN, infinities, zero and less.
func positive(v float64) *float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return nil
	}
	return &v
}

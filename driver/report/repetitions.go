package report

import (
	"maps"
	"math"
	"slices"

	"zonemark/invocations"
)

// repetition is one independent look at the time of an invocation, as tools understand it that compare several.
type repetition struct {
	iterations int64
	wallNS     float64
	cpuNS      float64 // NaN where CPU time was not taken
}

// mostSlices is the number of repetitions into which samples are gathered that were not taken in rounds.
const mostSlices = 20

// repetitions are the rounds of a record, each with the median of its samples. Without rounds they are its samples in the order of measuring, gathered into
// at most 20 slices, for neighbours in time are not independent. Nil when the record holds no time.
func repetitions(r *invocations.Record) []repetition {
	if !r.Timed() {
		return nil
	}
	wall, cpu := r.RoundsNS(), r.RoundsCPUNS()
	if len(wall) < 2 {
		wall, cpu = cutEvenly(r.SamplesNS), cutEvenly(r.CPUSamplesNS)
	}
	if len(r.CPUSamplesNS) != len(r.SamplesNS) {
		cpu = nil
	}
	calls := int64(1)
	if r.CallsPerBatch != nil && *r.CallsPerBatch > 0 {
		calls = *r.CallsPerBatch
	}
	var all []repetition
	for i, samples := range wall {
		if len(samples) == 0 {
			continue
		}
		one := repetition{int64(len(samples)) * calls, invocations.Median(samples), math.NaN()}
		switch {
		case cpu != nil:
			one.cpuNS = invocations.Median(cpu[i])
		case r.CPUMedianNS != nil:
			one.cpuNS = *r.CPUMedianNS
		}
		all = append(all, one)
	}
	return all
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

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// positive is nil for what is no ratio: NaN, infinities, zero and less.
func positive(v float64) *float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return nil
	}
	return &v
}

package schedule

import (
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// calmBatches tell how much a launch was disturbed: the quantile calmQuantile of their times is that of batches beside
	// which nobody worked.
	calmBatches  = 2
	calmQuantile = 0.1
)

// calm returns by which factor the time of each launch of a variant is multiplied so that it is that of its calm batches.
// What a neighbour adds to half of the few batches of a short launch moves their median by some percent, and hardly the
// fastest ones. If calls themselves take several times, median and fastest batches differ in all launches: the factor leaves
// what they differ by in the launch that was disturbed least. It is 1 for launches of too few batches.
func calm(results []invocations.Result) []float64 {
	longer, least := make([]float64, len(results)), math.Inf(1) // how much longer the median is than the fastest ones
	for i := range results {
		r := &results[i]
		if len(r.SamplesNS) < calmBatches {
			continue
		}
		if low := stats.Quantile(slices.Sorted(slices.Values(r.SamplesNS)), calmQuantile); low > 0 {
			longer[i] = r.Summary.MedianNS / low
			least = min(least, longer[i])
		}
	}
	for i, by := range longer {
		if longer[i] = 1; by > 0 {
			longer[i] = least / by
		}
	}
	return longer
}

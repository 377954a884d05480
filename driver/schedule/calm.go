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
func calm(results []invocations.Result) (factors []float64) {
	least := math.Inf(1) // times as long as the fastest batches, which the median of a launch is
	for i := range results {
		longer := math.NaN()
		if r := &results[i]; len(r.SamplesNS) >= calmBatches {
			longer = r.Summary.MedianNS / stats.Quantile(slices.Sorted(slices.Values(r.SamplesNS)), calmQuantile)
		}
		if !(longer >= 1) || math.IsInf(longer, 0) { // calls that take no time
			longer = math.NaN()
		} else {
			least = min(least, longer)
		}
		factors = append(factors, longer)
	}
	for i, longer := range factors {
		if factors[i] = 1; !math.IsNaN(longer) {
			factors[i] = least / longer
		}
	}
	return factors
}

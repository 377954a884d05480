package hatcsv

import "slices"

// means are the five numbers of hatlib.benchmark_hat 0.0.41 over the batch means m, sorted, of n batches, and their
// variance. They have the unit of m.
type means struct {
	mean             float64
	medianOfMeans    float64 // m[n/2]: the upper one of an even number
	meanOfSmallMeans float64 // mean of the lower half, at least one
	// robustMean is the mean without n/5 batches at each end, rounded down at the low end and up at the high end, as in
	// Python's slice [n//5 : -n//5].
	robustMean    float64
	hasRobustMean bool // false for a single batch, of which nothing remains; hatlib then writes -1
	minOfMeans    float64
	variance      float64 // of the batch means, over n-1
}

// newMeans computes the means of at least one batch, which it does not change.
func newMeans(batches []float64) means {
	m := slices.Sorted(slices.Values(batches))
	n := len(m)
	h := means{mean: mean(m), medianOfMeans: m[n/2], meanOfSmallMeans: mean(m[:max(1, n/2)]), minOfMeans: m[0]}
	if robust := m[n/5 : n-(n+4)/5]; len(robust) > 0 {
		h.robustMean, h.hasRobustMean = mean(robust), true
	}
	for _, v := range m {
		h.variance += (v - h.mean) * (v - h.mean) / float64(max(1, n-1))
	}
	return h
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

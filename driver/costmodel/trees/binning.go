package trees

import "slices"

// mostBins is the number of values of a column that are told apart.
const mostBins = 64

// binning replaces each number of a column by the number of its bin. A bin holds equal numbers if the column has at
// most mostBins of them, and else a range with about as many rows as the others.
type binning struct {
	codes      [][]uint8
	thresholds [][]float64 // thresholds[j][b] lies between the numbers of bin b and those of bin b+1 of column j
	start      []int       // the place of a column's first bin in a histogram; one more for the end
	width      int
}

func newBinning(columns [][]float64) binning {
	b := binning{start: []int{0}}
	for _, c := range columns {
		thresholds := thresholds(c)
		codes := make([]uint8, len(c))
		for i, v := range c {
			at, _ := slices.BinarySearch(thresholds, v)
			codes[i] = uint8(at)
		}
		b.codes = append(b.codes, codes)
		b.thresholds = append(b.thresholds, thresholds)
		b.width += len(thresholds) + 1
		b.start = append(b.start, b.width)
	}
	return b
}

// thresholds returns numbers between neighbouring values of a column, ascending. A number that is equal to a threshold
// belongs below it.
func thresholds(column []float64) []float64 {
	sorted := slices.Clone(column)
	slices.Sort(sorted)
	var between []float64
	distinct := slices.Compact(slices.Clone(sorted))
	if len(distinct) <= mostBins {
		for i, v := range distinct[1:] {
			between = append(between, middle(distinct[i], v))
		}
		return between
	}
	for b := 1; b < mostBins; b++ {
		at := b * len(sorted) / mostBins
		if sorted[at-1] < sorted[at] {
			between = append(between, middle(sorted[at-1], sorted[at]))
		}
	}
	return slices.Compact(between)
}

// middle returns a number from low up to below high, so that low is not above it and high is.
func middle(low, high float64) float64 {
	m := low + (high-low)/2
	if m < low || m >= high {
		return low
	}
	return m
}

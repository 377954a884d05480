package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	leastStudent = 24 // pairs that have Student's test; see SymmetryTest
	mostSteps    = 60
	leastScale   = 1e-9 // no two times are known as well
	// clipOne and clipMany are how many times the median of the absolute values a ratio counts at most, in pairs of one
	// ratio and of several. Where a short turn is wild, others of its pair are not.
	clipOne, clipMany = 2, 1
)

// SymmetryTest returns the two-sided p-value of "pairs are distributed evenly around zero". Each pair has one ratio or
// several. Ratios far from zero count as if they were nearer, so that wild ones count little, and a pair is the mean of
// its ratios. With few pairs, their mean is compared with those of all ways to change their signs. That is exact
// whatever the pairs are like: a clock that moves in steps, or two classes of launches, give few values, and tests for
// smooth distributions take their inner ones for agreement. Many pairs have Student's test. NaN if there are none.
func SymmetryTest(pairs [][]float64) float64 { return symmetryAround(pairs, 0) }

func symmetryAround(pairs [][]float64, center float64) float64 {
	if len(pairs) == 0 {
		return math.NaN()
	}
	x, _ := clipped(pairs, center)
	mean := stats.Mean(x)
	switch {
	case mean == 0:
		return 1
	case len(x) < leastStudent:
		return flipTest(x)
	}
	standard := stats.StdDev(x) / math.Sqrt(float64(len(x)))
	return studentP(mean/standard, len(x)-1) // without any deviation, t is infinite and p is 0
}

// clipped returns the mean distance of the ratios of each pair from a center, wild ones clipped, and the share of all
// ratios that are not.
func clipped(pairs [][]float64, center float64) (means []float64, inner float64) {
	var sizes []float64
	for _, ratios := range pairs {
		for _, v := range ratios {
			sizes = append(sizes, math.Abs(v-center))
		}
	}
	clip := clipOne * Median(sizes)
	if len(sizes) > len(pairs) {
		clip = clipMany * Median(sizes)
	}
	means = make([]float64, len(pairs))
	for i, ratios := range pairs {
		for _, v := range ratios {
			v -= center
			if math.Abs(v) <= clip {
				inner++
			}
			means[i] += max(-clip, min(clip, v)) / float64(len(ratios))
		}
	}
	return means, inner / float64(len(sizes))
}

// symmetryCenter returns the value around which the clipped ratios of pairs, at least two, are in balance, and its
// standard error (that of Huber's estimators: Robust Statistics, 1981, 3.2).
func symmetryCenter(pairs [][]float64) (center, standard float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, ratios := range pairs {
		low, high = min(low, slices.Min(ratios)), max(high, slices.Max(ratios))
	}
	for range mostSteps {
		center = low + (high-low)/2
		x, _ := clipped(pairs, center)
		switch mean := stats.Mean(x); {
		case mean > 0:
			low = center
		case mean < 0:
			high = center
		default:
			low, high = center, center
		}
	}
	x, inner := clipped(pairs, center)
	return center, stats.StdDev(x) / (inner * math.Sqrt(float64(len(x))))
}

// flipTest returns the share of the ways to change the signs of x whose sum is as far from 0 as that of x. The ways of
// each half of x are in order, so that those of both need not be added up one by one.
func flipTest(x []float64) float64 {
	whole := math.Abs(stats.Mean(x)) * float64(len(x)) * (1 - 1e-9)
	one, other := signedSums(x[:len(x)/2]), signedSums(x[len(x)/2:])
	as, from := 0, len(other) // other[from:] make sums of whole or more
	for _, sum := range one {
		for from > 0 && sum+other[from-1] >= whole {
			from--
		}
		as += len(other) - from
	}
	return 2 * float64(as) / float64(len(one)*len(other)) // each sum has its mirror image
}

// signedSums returns the sums of x with all signs, in order.
func signedSums(x []float64) []float64 {
	sums := []float64{0}
	for _, v := range x {
		less, more := slices.Clone(sums), sums
		for i, sum := range sums {
			less[i], more[i] = sum-math.Abs(v), sum+math.Abs(v)
		}
		sums = merged(less, more)
	}
	return sums
}

// merged returns the values of two lists that are in order, in order.
func merged(a, b []float64) []float64 {
	all := make([]float64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// symmetryInterval returns the interval of values around which pairs may be distributed evenly: SymmetryTest does not
// reject them at the level. center is one of these values, and scale says how far away to look first. An end is
// infinite if the test rejects nothing on that side, as with few pairs.
func symmetryInterval(pairs [][]float64, center, scale, level float64) (low, high float64) {
	if all := slices.Concat(pairs...); slices.Min(all) == slices.Max(all) {
		return center, center
	}
	scale = max(scale, leastScale) // it is zero if most ratios are the same
	end := func(direction float64) float64 {
		refused := func(distance float64) bool { return symmetryAround(pairs, center+direction*distance) <= level }
		inside, outside := 0.0, scale
		for range mostSteps {
			if refused(outside) {
				break
			}
			inside, outside = outside, 2*outside
		}
		if !refused(outside) {
			return direction * math.Inf(1)
		}
		for range mostSteps {
			if outside-inside <= 1e-4*outside {
				break
			}
			if middle := (inside + outside) / 2; refused(middle) {
				outside = middle
			} else {
				inside = middle
			}
		}
		return center + direction*outside
	}
	return end(-1), end(1)
}

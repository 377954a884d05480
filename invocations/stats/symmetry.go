package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	leastStudent = 24 // pairs that have Student's test; see SymmetryTest
	mostSteps    = 60
	centerSteps  = 40   // halvings of the range of all ratios: a millionth of a millionth is left
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
func SymmetryTest(pairs [][]float64) float64 { return newSymmetry(pairs).around(0) }

// symmetry asks of many centers whether pairs are distributed evenly around them.
type symmetry struct {
	pairs [][]float64
	// sizes and means are those of clipped, which has them again and again.
	sizes []float64 // one for each ratio
	means []float64 // one for each pair
}

func newSymmetry(pairs [][]float64) *symmetry {
	ratios := 0
	for _, one := range pairs {
		ratios += len(one)
	}
	return &symmetry{pairs: pairs, sizes: make([]float64, ratios), means: make([]float64, len(pairs))}
}

// around returns what SymmetryTest does, of evenly around a center.
func (s *symmetry) around(center float64) float64 {
	if len(s.pairs) == 0 {
		return math.NaN()
	}
	x, _ := s.clipped(center)
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
// ratios that are not. The means are good until the next call.
func (s *symmetry) clipped(center float64) (means []float64, inner float64) {
	sizes := s.sizes[:0]
	for _, ratios := range s.pairs {
		for _, v := range ratios {
			sizes = append(sizes, math.Abs(v-center))
		}
	}
	clip := selectQuantile(sizes, 0.5)
	if len(sizes) > len(s.pairs) {
		clip *= clipMany
	} else {
		clip *= clipOne
	}
	for i, ratios := range s.pairs {
		sum := 0.0
		for _, v := range ratios {
			v -= center
			if math.Abs(v) <= clip {
				inner++
			}
			sum += max(-clip, min(clip, v))
		}
		s.means[i] = sum / float64(max(1, len(ratios)))
	}
	return s.means, inner / float64(len(sizes))
}

// center returns the value around which the clipped ratios of pairs, at least two, are in balance, and its standard
// error (that of Huber's estimators: Robust Statistics, 1981, 3.2).
func (s *symmetry) center() (center, standard float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, ratios := range s.pairs {
		low, high = min(low, slices.Min(ratios)), max(high, slices.Max(ratios))
	}
	for range centerSteps {
		center = low + (high-low)/2
		x, _ := s.clipped(center)
		switch mean := stats.Mean(x); {
		case mean > 0:
			low = center
		case mean < 0:
			high = center
		default:
			low, high = center, center
		}
	}
	x, inner := s.clipped(center)
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
	sums, next := make([]float64, 1, 1<<len(x)), make([]float64, 0, 1<<len(x))
	for _, v := range x {
		sums, next = withBothSigns(next[:0], sums, math.Abs(v)), sums
	}
	return sums
}

// withBothSigns appends each of the sums less v, and each more v, to a list. All are in order.
func withBothSigns(list, sums []float64, v float64) []float64 {
	less := 0 // number of those less v that are in the list
	for _, sum := range sums {
		for ; less < len(sums) && sums[less]-v <= sum+v; less++ {
			list = append(list, sums[less]-v)
		}
		list = append(list, sum+v)
	}
	return list
}

// interval returns the interval of values around which pairs may be distributed evenly: SymmetryTest does not reject
// them at the level. center is one of these values, and scale says how far away to look first. An end is infinite if
// the test rejects nothing on that side, as with few pairs.
func (s *symmetry) interval(center, scale, level float64) (low, high float64) {
	if all := slices.Concat(s.pairs...); slices.Min(all) == slices.Max(all) {
		return center, center
	}
	scale = max(scale, leastScale) // it is zero if most ratios are the same
	end := func(direction float64) float64 {
		refused := func(distance float64) bool { return s.around(center+direction*distance) <= level }
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

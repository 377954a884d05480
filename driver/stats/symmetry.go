package stats

import (
	"math"
	"math/rand/v2"

	"github.com/aclements/go-moremath/stats"
)

const (
	leastStudent = 24 // values that have Student's test; see SymmetryTest
	mostFlips    = 1 << 14
	clipAt       = 2
	tableBits    = 8 // signs that a table holds the sums of
	mostSteps    = 60
)

// SymmetryTest returns the two-sided p-value of "d is distributed evenly around zero". Values beyond twice the
// median of the absolute values count as that much, so that wild ones count little. With few values, their mean is
// compared with those of all ways to change their signs, or of some thousands. That is exact whatever the values are
// like: a clock that moves in steps, or two classes of launches, give few values, and tests for smooth distributions
// take their inner ones for agreement. Many values have Student's test. NaN if there are none.
func SymmetryTest(d []float64) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	sizes := make([]float64, len(d))
	for i, v := range d {
		sizes[i] = math.Abs(v)
	}
	clip := clipAt * Median(sizes)
	x := make([]float64, len(d))
	for i, v := range d {
		x[i] = max(-clip, min(clip, v))
	}
	mean := stats.Mean(x)
	switch {
	case mean == 0:
		return 1
	case len(d) < leastStudent:
		return flipTest(x)
	}
	standard := stats.StdDev(x) / math.Sqrt(float64(len(x)))
	return studentP(mean/standard, len(x)-1) // without any deviation, t is infinite and p is 0
}

// flipTest returns the share of the ways to change the signs of x whose sum is as far from 0 as that of x.
func flipTest(x []float64) float64 {
	ways := 1 << (len(x) - 1) // the first value keeps its sign: the other half of the ways mirrors these
	draw := ways > mostFlips
	random := rand.New(rand.NewPCG(uint64(len(x)), mostFlips))
	whole, as := math.Abs(stats.Mean(x))*float64(len(x))*(1-1e-9), 0
	sums := flipSums(x)
	for way := range min(ways, mostFlips) {
		signs := uint64(way) << 1
		if draw {
			signs = random.Uint64()
		}
		sum := 0.0
		for _, table := range sums {
			sum += table[signs%uint64(len(table))]
			signs >>= tableBits
		}
		if math.Abs(sum) >= whole {
			as++
		}
	}
	if draw {
		return float64(as+1) / float64(mostFlips+1)
	}
	return float64(as) / float64(ways)
}

// flipSums returns, for each eight values, their sums with all signs: where the number of a sum has a bit, the value is
// subtracted.
func flipSums(x []float64) (tables [][]float64) {
	for len(x) > 0 {
		some := x[:min(tableBits, len(x))]
		x = x[len(some):]
		table := []float64{stats.Mean(some) * float64(len(some))}
		for _, v := range some {
			for _, sum := range table {
				table = append(table, sum-2*v)
			}
		}
		tables = append(tables, table)
	}
	return tables
}

// symmetryInterval returns the values around which SymmetryTest does not refuse, at a level, that d is distributed
// evenly. center is among them, and scale says how far away to look first. Without a limit that is found, an end is
// infinite: few values refuse nothing.
func symmetryInterval(d []float64, center, scale, level float64) (low, high float64) {
	if scale == 0 { // all but wild values are the same
		return center, center
	}
	end := func(direction float64) float64 {
		refused := func(distance float64) bool {
			moved := make([]float64, len(d))
			for i, v := range d {
				moved[i] = v - center - direction*distance
			}
			return SymmetryTest(moved) <= level
		}
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
		for outside-inside > 1e-4*scale {
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

package stats

import (
	"math"
	"slices"
)

// exactLimit is the largest sample size, on either side, for which the exact distribution of U is computed.
const exactLimit = 50

// MannWhitney is the two-sided p-value of the Mann-Whitney U test: how often two samples of one distribution differ in rank as much as a and b do. It is
// exact without ties and with at most 50 values a side; beyond, it is the normal approximation with corrections for ties and continuity. Three
// values a side can never reach 0.05. It is 1 when all values are equal, and NaN when a side is empty or holds a NaN.
func MannWhitney(a, b []float64) float64 {
	n, m := len(a), len(b)
	if n == 0 || m == 0 || slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) {
		return math.NaN()
	}
	u, ties := rankSum(a, b)
	if ties == 0 && n <= exactLimit && m <= exactLimit {
		return exactU(int(u), n, m)
	}
	nm, total := float64(n)*float64(m), float64(n+m)
	variance := nm / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 {
		return 1
	}
	z := max(0, math.Abs(u-nm/2)-0.5) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}

// rankSum is U, the number of pairs in which a is greater plus half the number of those that are equal, and the sum of t³-t over the sizes t of
// groups of equal values.
func rankSum(a, b []float64) (u, ties float64) {
	type ranked struct {
		value float64
		first bool
	}
	all := make([]ranked, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, ranked{v, true})
	}
	for _, v := range b {
		all = append(all, ranked{v, false})
	}
	slices.SortFunc(all, func(x, y ranked) int {
		switch {
		case x.value < y.value:
			return -1
		case x.value > y.value:
			return 1
		}
		return 0
	})
	below := 0.0 // values of b before the group
	for i := 0; i < len(all); {
		j, fromA, fromB := i, 0.0, 0.0
		for ; j < len(all) && all[j].value == all[i].value; j++ {
			if all[j].first {
				fromA++
			} else {
				fromB++
			}
		}
		u += fromA * (below + fromB/2)
		below += fromB
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return u, ties
}

// exactU is the two-sided p-value of u without ties. The orders of n and m values with a certain U are as many as the partitions of U into at most n parts
// of at most m each, counted here by the greatest part allowed; float64 holds the counts with all the precision that a p-value needs.
func exactU(u, n, m int) float64 {
	ways := make([][]float64, n+1) // by number of parts, by sum
	for parts := range ways {
		ways[parts] = make([]float64, n*m+1)
		ways[parts][0] = 1
	}
	for greatest := 1; greatest <= m; greatest++ {
		for parts := 1; parts <= n; parts++ {
			for sum := greatest; sum <= parts*greatest; sum++ {
				ways[parts][sum] += ways[parts-1][sum-greatest]
			}
		}
	}
	tail, all := 0.0, 0.0
	for sum, count := range ways[n] {
		all += count
		if sum <= min(u, n*m-u) {
			tail += count
		}
	}
	return min(1, 2*tail/all)
}

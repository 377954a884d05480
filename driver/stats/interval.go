package stats

import (
	"math"
	"slices"
)

// medianInterval is the interval that holds the median with at least 95 % confidence, from order statistics: the ranks are those of the
// binomial distribution with p = 1/2. Fewer than six samples have no such interval; it is then their whole range, and known is false.
func medianInterval(x []float64) (low, high float64, known bool) {
	n := len(x)
	if n == 0 {
		return math.NaN(), math.NaN(), false
	}
	s := slices.Sorted(slices.Values(x))
	k := 0 // largest with P(Binomial(n, 1/2) ≤ k-1) ≤ 0.025
	if n > 1000 {
		k = int(float64(n)/2 - 0.98*math.Sqrt(float64(n)))
	} else {
		logP, sum := -float64(n)*math.Ln2, 0.0
		for ; k < n; k++ {
			if sum += math.Exp(logP); sum > 0.025 {
				break
			}
			logP += math.Log(float64(n-k)) - math.Log(float64(k+1))
		}
	}
	// ranks k and n-k+1, counted from one
	at := max(k-1, 0)
	return s[at], s[n-1-at], k > 0
}

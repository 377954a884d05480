package stats

import (
	"math"
	"slices"
)

// TrimmedTest is the two-sided p-value of "the location of d is 0" by Yuen's t test on the mean without a fifth at each end: few values suffice, as they do not
// for tests of ranks, and one wild value in five does no harm. (K. K. Yuen, The two-sample trimmed t for unequal population variances, Biometrika 61, 1974; here its
// one-sample form, after R. R. Wilcox.) It is NaN with fewer than three values.
func TrimmedTest(d []float64) float64 {
	n := len(d)
	if n < 3 {
		return math.NaN()
	}
	const trim = 0.2
	x := slices.Sorted(slices.Values(d))
	cut := int(trim * float64(n))
	trimmed := mean(x[cut : n-cut])
	for i := range cut { // winsorize: what is cut off takes the value of its neighbour
		x[i], x[n-1-i] = x[cut], x[n-1-cut]
	}
	center, squares := mean(x), 0.0
	for _, v := range x {
		squares += (v - center) * (v - center)
	}
	kept := float64(n-2*cut) / float64(n)
	deviation := math.Sqrt(squares/float64(n-1)) / (kept * math.Sqrt(float64(n)))
	switch {
	case trimmed == 0:
		return 1
	case deviation == 0:
		return 0
	}
	return studentP(trimmed/deviation, n-2*cut-1)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// studentP is the chance that Student's t with so many degrees of freedom, at least one, is as far from 0 as t is (Abramowitz and Stegun, 26.7.3 and 26.7.4).
func studentP(t float64, freedom int) float64 {
	theta := math.Atan(math.Abs(t) / math.Sqrt(float64(freedom)))
	sin, cos := math.Sincos(theta)
	first, term := 2, 1.0 // even: 1 + 1/2 cos² + (1·3)/(2·4) cos⁴ + …
	if freedom%2 == 1 {
		first, term = 3, cos // odd: cos + 2/3 cos³ + (2·4)/(3·5) cos⁵ + …
	}
	sum := 0.0
	for k := first; k <= freedom; k += 2 {
		sum += term
		term *= cos * cos * float64(k-1) / float64(k)
	}
	within := sin * sum
	if freedom%2 == 1 {
		within = 2 / math.Pi * (theta + within)
	}
	return min(1, max(0, 1-within))
}

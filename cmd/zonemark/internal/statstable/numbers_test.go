package statstable

import (
	"math"
	"math/rand/v2"
	"testing"

	"zonemark/driver/report"
)

// TestAppendedNumbers holds the fast texts against those of the package report: around each power of ten, where the
// number of digits changes, for odd values, and for many others.
func TestAppendedNumbers(t *testing.T) {
	values := []float64{0, -1, -1234.5, 0.3, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324, math.MaxInt64}
	for exponent := -14; exponent <= 14; exponent++ {
		for _, digits := range []float64{1, 2.5, 9.5, 9.94, 9.95, 9.96, 9.9949, 9.995, 9.9994, 9.9995, 9.99951, 9.9999} {
			v := digits * math.Pow(10, float64(exponent))
			values = append(values, v, math.Nextafter(v, 0), math.Nextafter(v, math.Inf(1)))
		}
	}
	for n := range 10_100 {
		values = append(values, float64(n))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		v := math.Exp(random.Float64()*60 - 30)
		values = append(values, v, math.Round(v), math.Round(v*10)/10)
	}
	for _, v := range values {
		if got, want := string(appendTime(nil, v)), report.Time(v); got != want {
			t.Errorf("appendTime(%v) = %q; report.Time returns %q", v, got, want)
		}
		if got, want := string(appendPercent(nil, v)), report.Percent(v); got != want {
			t.Errorf("appendPercent(%v) = %q; report.Percent returns %q", v, got, want)
		}
		if n := int64(v); n >= 0 {
			if got, want := string(appendGrouped(nil, n)), report.Grouped(n); got != want {
				t.Errorf("appendGrouped(%d) = %q; report.Grouped returns %q", n, got, want)
			}
		}
	}
}

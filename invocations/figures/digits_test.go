package figures

import (
	"encoding/json"
	"math"
	"testing"
)

func TestRounded(t *testing.T) {
	for _, c := range []struct{ v, want float64 }{
		{0, 0}, {725.2512397238744, 725.25124}, {-1.6332780267732041, -1.63327803}, {0.1, 0.1}, {1e-9 / 3, 3.33333333e-10},
		{123456789.4, 123456789}, {999999999.6, 1e9}, {1234567891.4, 1234567891.4}, {12345678901, 12345678901},
		{1e300, 1e300}, {math.Inf(1), math.Inf(1)}, {9.9999999996, 10}, {1e-300 / 3, 1e-300 / 3},
	} {
		if got := Rounded(c.v); got != c.want {
			t.Errorf("%v: %v, want %v", c.v, got, c.want)
		}
	}
	if !math.IsNaN(Rounded(math.NaN())) {
		t.Error("a number was made of NaN")
	}
}

// FuzzRounded checks that rounding changes a number by half of its last digit at most, does not change it again, and
// leaves as few digits as it should.
func FuzzRounded(f *testing.F) {
	for _, v := range []float64{725.2512397238744, 5e-324, 1e22 + 0.5, 0.000244140625, 99999999.95} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		got := Rounded(v)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		if math.Abs(got-v) > 5.0000001e-9*math.Abs(v) {
			t.Errorf("%v becomes %v", v, got)
		}
		if again := Rounded(got); again != got {
			t.Errorf("%v becomes %v and then %v", v, got, again)
		}
		text, err := json.Marshal(got)
		if size := math.Abs(v); err != nil || size >= 1e-6 && size < 1e8 && v != math.Trunc(v) && len(text) > 18 {
			t.Errorf("%v is written as %s, %v", v, text, err)
		}
	})
}

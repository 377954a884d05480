package adams2019

import (
	"math"
	"testing"
)

// TestSpearman: "some order" is the example of an encyclopedia, "ties" is computed by hand: 8.75 / 9.5.
func TestSpearman(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"same order", []float64{1, 5, 9}, []float64{0.1, 0.2, 70}, 1},
		{"opposite", []float64{1, 5, 9}, []float64{3, 2, 1}, -1},
		{"some order", []float64{106, 86, 100, 101, 99, 103, 97, 113, 112, 110},
			[]float64{7, 0, 27, 50, 28, 29, 20, 12, 6, 17}, -0.17575757575757575},
		{"ties", []float64{1, 2, 2, 3, 4}, []float64{5, 6, 7, 7, 8}, 8.75 / 9.5},
	} {
		if got := spearman(test.a, test.b); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: %v, not %v", test.name, got, test.want)
		}
	}
	for name, pair := range map[string][2][]float64{"none": {}, "one": {{1}, {2}}, "equal": {{1, 1, 1}, {1, 2, 3}}} {
		if got := spearman(pair[0], pair[1]); !math.IsNaN(got) {
			t.Errorf("%s: %v, not NaN", name, got)
		}
	}
}

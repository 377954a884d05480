package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"zonemark/invocations/testsize"
)

// TestLaunchIntervalCoversASecondRun draws runs of normal launches, and of such with some that are off: the median of
// one lies in the interval of another as often as the interval says.
func TestLaunchIntervalCoversASecondRun(t *testing.T) {
	countsRates(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, off := range []float64{0, 0.1} { // share of launches that are off by ten deviations
		for _, n := range []int{3, 5, 8, 20, 40} {
			run := func() []float64 {
				medians := make([]float64, n)
				for i := range medians {
					if medians[i] = 1000 + random.NormFloat64(); random.Float64() < off {
						medians[i] += 10
					}
				}
				return medians
			}
			trials := testsize.Of(1000, 4000)
			covered := 0
			for range trials {
				i, second := LaunchInterval(run()), Median(run())
				if i.Low <= second && second <= i.High {
					covered++
				}
			}
			if covered < testsize.AtLeast(trials, 0.92) || off == 0 && covered > testsize.AtMost(trials, 0.975) {
				t.Errorf("%d launches, %g off: %d of %d intervals hold the median of a second run, want about 95 %%", n, off,
					covered, trials)
			}
		}
	}
}

// Of five launches, the one that takes longer may be the first of a class; of ten, it is one that is off.
func TestFirstOfAClass(t *testing.T) {
	const precision = 0.01
	five := []float64{66.2, 66.4, 66.2, 66.2, 79.1}
	if i := LaunchInterval(five); i.Within(precision, 1) {
		t.Errorf("of five: %+v", i)
	}
	if i := LaunchInterval(append(five, 66.1, 66.3, 66.2, 66.2, 66.3)); !i.Within(precision, 1) {
		t.Errorf("of ten: %+v", i)
	}
}

func TestLaunchIntervalOfOne(t *testing.T) {
	if i := LaunchInterval([]float64{5}); i != (Interval{5, 5, 5}) {
		t.Errorf("one launch: %+v", i)
	}
}

func TestStudentQuantile95(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.706, 4: 2.776, 20: 2.086, 29: 2.045, 60: 2.000, 1000: 1.962} {
		if got := studentQuantile(upper95, freedom); math.Abs(got-want) > 0.001 {
			t.Errorf("%d degrees of freedom: %.4f, want %.3f", freedom, got, want)
		}
	}
}

func TestTwoClasses(t *testing.T) {
	for _, c := range []struct {
		name    string
		medians []float64
		want    bool
	}{
		{"one", []float64{100, 100.2, 99.9, 100.1, 100}, false},
		{"two", []float64{184, 240, 184.2, 239.5, 184.1}, true},
		{"one is off", []float64{184, 184.1, 240, 184.2, 184}, false},
		{"evenly spread", []float64{100, 110, 120, 130, 140, 150}, false},
		{"close", []float64{100, 100, 101, 101, 101}, false},
		{"equal within", []float64{5, 5, 7, 7}, true},
		{"few", []float64{5, 7}, false},
		{"none", nil, false},
	} {
		if classes, got := TwoClasses(c.medians); got != c.want {
			t.Errorf("%s: %v (%+v), want %v", c.name, got, classes, c.want)
		}
	}
}

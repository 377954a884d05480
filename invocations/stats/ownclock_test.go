package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"zonemark/invocations/testsize"
)

func TestOwnClockOf(t *testing.T) {
	for _, c := range []struct {
		name   string
		ratios []float64
		known  bool
		ratio  float64
		belief Belief
	}{
		{"no launch", nil, false, 0, TakenFor1},
		{"launches in which nobody has looked", []float64{0, 0}, false, 0, TakenFor1},
		{"scalar code", []float64{1.0001, 0.9999, 1, 1.0002, 1}, true, 1, TakenFor1},
		{"wide vectors", []float64{0.929, 0.931, 0.928, 0.93, 0.929}, true, 0.929, Sure},
		{"wide vectors on a machine whose clock moves", []float64{0.95, 0.91, 0.93, 0.94, 0.92}, true, 0.93, Sure},
		{"some launches that were too short to look", []float64{0.929, 0, 0.928, 0, 0.93}, true, 0.929, Sure},
		{"scalar code on a machine whose clock moves", []float64{1.02, 0.98, 1, 1.01, 0.99}, true, 1, TakenFor1},
		{"steady, but less than can be told", []float64{0.997, 0.997, 0.997, 0.997, 0.997}, true, 0.997, TakenFor1},
		{"one launch, near 1", []float64{0.99}, true, 0.99, TakenFor1},
		{"one launch, far from 1", []float64{0.93}, true, 0.93, Likely},
		{"one launch, above 1", []float64{1.07}, true, 1.07, TakenFor1},
		{"above 1 in each of few launches", []float64{1.05, 1.04, 1.06}, true, 1.05, TakenFor1},
		{"above 1 for sure", []float64{1.05, 1.05, 1.051, 1.049}, true, 1.05, Sure},
		{"far from 1, and launches scatter as much", []float64{0.8, 1.1, 0.9}, true, 0.9, Open},
		{"far from 1 in each of few launches", []float64{0.95, 0.94, 0.96}, true, 0.95, Likely},
	} {
		own, known := OwnClockOf(c.ratios)
		if known != c.known || math.Abs(own.Ratio-c.ratio) > 1e-9 || own.Belief != c.belief || own.Lowest > own.Ratio {
			t.Errorf("%s: %+v, %t", c.name, own, known)
		}
	}
}

// TestOwnClockRates draws the launches of functions that leave the clock as it is, and of such that lower it, beside
// neighbours who move it. If looks differ by 8 %, as on a host that moves the clock each millisecond, scalar code is
// seldom taken for code that changes it, and of code that does so it is said in most cases that it may.
func TestOwnClockRates(t *testing.T) {
	countsRates(t)
	random := rand.New(rand.NewPCG(1, 2))
	const moved = 0.08
	for _, scatter := range []float64{0.0005, 0.005, 0.02, moved} {
		for _, n := range []int{2, 3, 5, 10, 30} {
			trials := testsize.Of(500, 2000)
			alarms, counted, found, missed := 0, 0, 0, 0
			for range trials {
				scalar, wide := make([]float64, n), make([]float64, n)
				for i := range n {
					scalar[i] = math.Exp(scatter * random.NormFloat64())
					wide[i] = 0.929 * math.Exp(scatter*random.NormFloat64())
				}
				own, _ := OwnClockOf(scalar)
				if own.Belief == Sure {
					alarms++
				}
				if own.Counts() {
					counted++
				}
				switch own, _ := OwnClockOf(wide); {
				case own.Counts():
					found++
				case own.Belief == TakenFor1:
					missed++
				}
			}
			if alarms > testsize.AtMost(trials, 0.02) {
				t.Errorf("%d launches that scatter by %g: %d of %d functions seem to change a clock that they do not",
					n, scatter, alarms, trials)
			}
			if counted > testsize.AtMost(trials, 0.08) {
				t.Errorf("%d launches that scatter by %g: a clock of their own counts for %d of %d functions that have none",
					n, scatter, counted, trials)
			}
			if (n > 3 || scatter < 0.02) && scatter < moved && found < testsize.AtLeast(trials, 0.99) {
				t.Errorf("%d launches that scatter by %g: %d of %d functions that lower it are found", n, scatter, found,
					trials)
			}
			if missed > testsize.AtMost(trials, 0.2) {
				t.Errorf("%d launches that scatter by %g: nothing says that %d of %d functions may lower it", n, scatter, missed,
					trials)
			}
		}
	}
}

func TestClocksDiffer(t *testing.T) {
	for _, c := range []struct {
		name   string
		a, b   []float64
		differ bool
	}{
		{"one clock", []float64{3.7, 3.7, 3.701}, []float64{3.7, 3.699, 3.7}, false},
		{"two clocks", []float64{3.7, 3.7, 3.701}, []float64{4.18, 4.179, 4.18}, true},
		{"within what they scatter", []float64{3.5, 3.7, 3.9, 3.6, 3.8}, []float64{3.6, 3.75, 3.9, 3.8, 3.55}, false},
		{"two clocks, and one launch with that of the other side", []float64{3.48, 3.66, 3.47, 3.47, 3.46},
			[]float64{3.26, 3.36, 3.35, 3.36, 3.37}, true},
		{"one launch each, alike", []float64{3.7}, []float64{3.71}, false},
		{"one launch each", []float64{3.7}, []float64{4.1}, true},
		{"not known", nil, []float64{4.1}, true},
	} {
		if got := ClocksDiffer(c.a, c.b); got != c.differ {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestComparable(t *testing.T) {
	slow, fast := []float64{3.7, 3.7, 3.701}, []float64{4.18, 4.179, 4.18}
	for _, c := range []struct {
		name              string
		rows              []Clocks
		cycles, reference bool
	}{
		{"scalar code", []Clocks{{1, slow}, {1, fast}}, true, true},
		{"wide vectors on one side", []Clocks{{1, fast}, {0.93, slow}}, false, true},
		{"wide vectors on both", []Clocks{{0.93, slow}, {0.93, slow}}, false, true},
		{"journals of before, at one clock", []Clocks{{0, slow}, {0, slow}}, true, true},
		{"journals of before, at two clocks", []Clocks{{0, slow}, {0, fast}}, false, false},
		{"one journal of before, at the same clock", []Clocks{{0, slow}, {1, slow}}, true, true},
		{"one journal of before, at another clock", []Clocks{{0, slow}, {1, fast}}, false, false},
		{"one journal of before of wide vectors", []Clocks{{0, slow}, {0.93, slow}}, false, false},
		{"three of which two differ", []Clocks{{0, slow}, {0, slow}, {0, fast}}, false, false},
		{"nothing known", []Clocks{{}, {}}, false, false},
	} {
		if cycles, reference := Comparable(c.rows...); cycles != c.cycles || reference != c.reference {
			t.Errorf("%s: cycles %t, reference %t", c.name, cycles, reference)
		}
	}
}

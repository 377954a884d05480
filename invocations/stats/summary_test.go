package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchmath"
)

// ranks returns the 1-based order statistics that MedianInterval takes from n samples.
func ranks(n int) (low, high int) {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	l, h := MedianInterval(x)
	return int(l), int(h)
}

// Source: the usual table of 95 % confidence intervals for a median from the sign test (Conover, Practical
// Nonparametric Statistics; Dixon and Massey, Introduction to Statistical Analysis, table A-25).
func TestMedianIntervalAgainstPublishedTable(t *testing.T) {
	for n, want := range map[int][2]int{
		1: {1, 1}, 2: {1, 2}, 3: {1, 3}, 4: {1, 4}, 5: {1, 5}, // no such interval: the whole range
		6: {1, 6}, 7: {1, 7}, 8: {1, 8}, 9: {2, 8}, 10: {2, 9}, 11: {2, 10}, 12: {3, 10}, 13: {3, 11},
		14: {3, 12}, 15: {4, 12}, 16: {4, 13},
		17: {5, 13}, 18: {5, 14}, 19: {5, 15}, 20: {6, 15}, 25: {8, 18}, 30: {10, 21}, 50: {18, 33}, 100: {40, 61},
	} {
		if low, high := ranks(n); low != want[0] || high != want[1] {
			t.Errorf("n = %d: ranks %d and %d, want %d and %d", n, low, high, want[0], want[1])
		}
	}
}

// TestMedianIntervalAgainstBinomial computes the coverage exactly: the interval has to reach 95 %, and the next
// narrower one must not.
func TestMedianIntervalAgainstBinomial(t *testing.T) {
	// missed is P(Binomial(n, 1/2) < k) doubled, as a fraction of 2^n: the probability that ranks k and n+1-k miss the
	// median.
	missed := func(n, k int) *big.Rat {
		sum, term := new(big.Int), big.NewInt(1)
		for i := range k {
			sum.Add(sum, term)
			term.Mul(term, big.NewInt(int64(n-i))).Div(term, big.NewInt(int64(i+1)))
		}
		return new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	allowed := big.NewRat(5, 100)
	for n := 6; n <= 1000; n++ {
		low, high := ranks(n)
		if low+high != n+1 {
			t.Fatalf("n = %d: ranks %d and %d are not symmetric", n, low, high)
		}
		if missed(n, low).Cmp(allowed) > 0 {
			t.Errorf("n = %d: ranks %d and %d miss the median too often", n, low, high)
		}
		if missed(n, low+1).Cmp(allowed) <= 0 {
			t.Errorf("n = %d: ranks %d and %d are wider than needed", n, low, high)
		}
	}
	for _, n := range []int{1001, 2000, 5001} { // the normal approximation is one rank off at most
		low, _ := ranks(n)
		if missed(n, low-1).Cmp(allowed) > 0 || missed(n, low+2).Cmp(allowed) <= 0 {
			t.Errorf("n = %d: rank %d is more than one off", n, low)
		}
	}
}

// TestMedianIntervalAgainstBenchmath uses the statistics of benchstat as an oracle. It may shift its interval by a rank
// to one side.
func TestMedianIntervalAgainstBenchmath(t *testing.T) {
	for n := 6; n <= 200; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i + 1)
		}
		want := benchmath.AssumeNothing.Summary(benchmath.NewSample(x, &benchmath.DefaultThresholds), 0.95)
		low, high := MedianInterval(x)
		if math.Abs(low-want.Lo) > 1 || math.Abs(high-want.Hi) > 1 || Median(x) != want.Center {
			t.Errorf(
				"n = %d: median %v in [%v, %v], benchmath says %v in [%v, %v]",
				n,
				Median(x),
				low,
				high,
				want.Center,
				want.Lo,
				want.Hi,
			)
		}
	}
}

// TestMedianIntervalCovers draws from a skewed distribution whose median is known.
func TestMedianIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const draws = 4000
	for _, n := range []int{6, 15, 40} {
		covered := 0
		for range draws {
			x := make([]float64, n)
			for i := range x {
				x[i] = random.ExpFloat64()
			}
			slices.Sort(x)
			if low, high := MedianInterval(x); low <= math.Ln2 && math.Ln2 <= high {
				covered++
			}
		}
		if share := float64(covered) / draws; share < 0.94 {
			t.Errorf("n = %d: %v of the intervals hold the median, want 0.95 or more", n, share)
		}
	}
}

func TestSummarize(t *testing.T) {
	samples := []float64{9, 1, 8, 2, 7, 3, 6, 4, 5, 100}
	cpu := []float64{3, 1, 2}
	keptSamples, keptCPU := slices.Clone(samples), slices.Clone(cpu)
	got := Summarize(samples, cpu)
	want := Summary{
		N:           10,
		MedianNS:    5.5,
		CILowNS:     2,
		CIHighNS:    9,
		MinNS:       1,
		P90NS:       18.1,
		P99NS:       91.81,
		MeanNS:      14.5,
		MADNS:       2.5,
		CPUMedianNS: 2,
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if !slices.Equal(samples, keptSamples) || !slices.Equal(cpu, keptCPU) {
		t.Error("the samples were changed")
	}
}

func TestSummarizeFew(t *testing.T) {
	if got := Summarize(nil, []float64{1}); got != (Summary{}) {
		t.Errorf("without samples: %+v", got)
	}
	want := Summary{N: 1, MedianNS: 7, CILowNS: 7, CIHighNS: 7, MinNS: 7, P90NS: 7, P99NS: 7, MeanNS: 7}
	if got := Summarize([]float64{7}, nil); got != want {
		t.Errorf("one sample: %+v", got)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		x    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{5, 1, 3}, 3}, {[]float64{2, 2, 1, 9}, 2}} {
		kept := slices.Clone(test.x)
		if got := Median(test.x); got != test.want {
			t.Errorf("median of %v is %v, want %v", kept, got, test.want)
		}
		if !slices.Equal(test.x, kept) {
			t.Errorf("%v became %v", kept, test.x)
		}
	}
	low, high := MedianInterval(nil)
	if !math.IsNaN(Median(nil)) || !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("of nothing: %v in [%v, %v], want NaN", Median(nil), low, high)
	}
}

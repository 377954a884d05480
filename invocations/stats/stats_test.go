package stats

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchmath"

	"zonemark/invocations/testsize"
)

// times draws n times around ns with the relative spread.
func times(random *rand.Rand, n int, ns, spread float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = ns * math.Exp(spread*random.NormFloat64())
	}
	return x
}

// TestMannWhitneyOracle compares with the test that benchstat uses.
func TestMannWhitneyOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		n, m := 1+random.IntN(60), 1+random.IntN(60)
		a, b := times(random, n, 100, 0.05), times(random, m, 100*(1+0.1*random.Float64()), 0.05)
		if ties := random.IntN(2) == 0; ties {
			if n, m = n+60, m+60; true { // the oracle is exact with few values and ties, ours is not
				a, b = times(random, n, 100, 0.05), times(random, m, 102, 0.05)
			}
			for _, x := range [][]float64{a, b} {
				for i := range x {
					x[i] = math.Round(x[i])
				}
			}
		}
		oracle := benchmath.AssumeNothing.Compare(
			benchmath.NewSample(a, &benchmath.DefaultThresholds),
			benchmath.NewSample(b, &benchmath.DefaultThresholds),
		)
		if got := MannWhitney(a, b); math.Abs(got-oracle.P) > 1e-9 {
			t.Fatalf("%d against %d values: p = %v, oracle %v\na %v\nb %v", len(a), len(b), got, oracle.P, a, b)
		}
	}
}

func TestMannWhitneyKnown(t *testing.T) {
	tests := []struct {
		name string
		a, b []float64
		want float64
	}{
		{"three a side never reach 0.05", []float64{1, 2, 3}, []float64{4, 5, 6}, 0.1},
		{"four a side", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70},
		{"all equal", []float64{1, 1, 1}, []float64{1, 1, 1, 1}, 1},
		{"empty", nil, []float64{1}, math.NaN()},
		{"NaN", []float64{math.NaN()}, []float64{1}, math.NaN()},
	}
	for _, test := range tests {
		got := MannWhitney(test.a, test.b)
		if !(math.Abs(got-test.want) < 1e-12 || math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: p = %v, want %v", test.name, got, test.want)
		}
		if forth, back := MannWhitney(test.a, test.b), MannWhitney(test.b, test.a); forth != back &&
			!math.IsNaN(forth) {
			t.Errorf("%s: p = %v, with sides exchanged %v", test.name, forth, back)
		}
	}
}

func TestHolm(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		p    []float64
		want []bool
	}{
		{nil, []bool{}},
		{[]float64{0.04}, []bool{true}},
		{[]float64{0.04, 0.03}, []bool{false, false}},              // 0.03 > 0.05/2
		{[]float64{0.04, 0.01, 0.02}, []bool{true, true, true}},    // 0.05/3, 0.05/2, 0.05/1
		{[]float64{0.06, 0.01, 0.02}, []bool{false, true, true}},   //
		{[]float64{0.001, 0.03, 0.04}, []bool{true, false, false}}, // the second fails, so the third is not looked at
		{[]float64{0.04, nan, nan}, []bool{true, false, false}},
	}
	for _, test := range tests {
		if got := Holm(test.p, 0.05); !slices.Equal(got, test.want) {
			t.Errorf("Holm(%v) = %v, want %v", test.p, got, test.want)
		}
	}
}

// studentTable holds the 97.5 % and 99.5 % quantiles of the tables, by degrees of freedom.
func studentTable() map[int][2]float64 {
	return map[int][2]float64{
		1: {12.7062, 63.6567}, 2: {4.30265, 9.92484}, 3: {3.18245, 5.84091},
		4: {2.77645, 4.60409}, 9: {2.26216, 3.24984}, 30: {2.04227, 2.75000},
	}
}

// TestStudent compares with the quantiles of the tables for 95 % and 99 %.
func TestStudent(t *testing.T) {
	for freedom, quantiles := range studentTable() {
		for i, want := range []float64{0.05, 0.01} {
			for _, sign := range []float64{1, -1} {
				if got := studentP(sign*quantiles[i], freedom); math.Abs(got/want-1) > 1e-4 {
					t.Errorf("%d degrees of freedom, t = %v: p = %v, want %v", freedom, quantiles[i], got, want)
				}
			}
		}
	}
}

// TestStudentQuantile compares with the same tables.
func TestStudentQuantile(t *testing.T) {
	for freedom, want := range studentTable() {
		for i, q := range []float64{0.975, 0.995} {
			if got := studentQuantile(q, freedom); math.Abs(got/want[i]-1) > 1e-4 {
				t.Errorf("quantile %v with %d degrees of freedom: %v, want %v", q, freedom, got, want[i])
			}
			if got := studentQuantile(1-q, freedom); math.Abs(got/want[i]+1) > 1e-4 {
				t.Errorf("quantile %v with %d degrees of freedom: %v, want %v", 1-q, freedom, got, -want[i])
			}
		}
	}
}

// What Student's t exceeds with a chance has that chance, however small.
func TestStudentBeyond(t *testing.T) {
	for _, freedom := range []int{1, 2, 7, 30, 5000} {
		for _, chance := range []float64{0.5, 0.3, 0.01, 1e-7, 1e-20} {
			if got := studentP(studentBeyond(chance, freedom), freedom) / 2; math.Abs(got/chance-1) > 1e-6 {
				t.Errorf("%d degrees of freedom: %g instead of %g", freedom, got, chance)
			}
		}
	}
	if got := studentBeyond(0.1, 0); !math.IsInf(got, 1) {
		t.Errorf("no degree of freedom: %g", got)
	}
}

func TestTrimmedTest(t *testing.T) {
	d := []float64{0.10, 0.11, 0.09, 0.105, 0.095, 0.1}
	clean := TrimmedTest(d)
	d[0] = 50
	if wild := TrimmedTest(d); clean > 1e-3 || wild > 1e-2 {
		t.Errorf("p = %v, with a wild value %v; want both small", clean, wild)
	}
	for name, test := range map[string]struct {
		d    []float64
		want float64
	}{
		"equal":     {[]float64{1, 1, 1}, 0},
		"zero":      {[]float64{0, 0, 0}, 1},
		"symmetric": {[]float64{-1, 0, 1}, 1},
		"few":       {[]float64{1, 2}, math.NaN()},
	} {
		if got := TrimmedTest(test.d); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: p = %v, want %v", name, got, test.want)
		}
	}
}

func TestPairedBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	drift := times(random, 40, 100, 0.5) // both sides see the same machine
	a, b := slices.Clone(drift), slices.Clone(drift)
	for i := range a {
		a[i] *= math.Exp(0.01 * random.NormFloat64())
		b[i] *= 1.1 * math.Exp(0.01*random.NormFloat64())
	}
	ratio, low, high := pairedBootstrap(a, b, BootstrapOptions{})
	if !(low < 1.1 && 1.1 < high && low <= ratio && ratio <= high && high-low < 0.02) {
		t.Errorf("ratio %v [%v, %v]; want a narrow interval around 1.1 in spite of the drift", ratio, low, high)
	}
	again, _, _ := pairedBootstrap(a, b, BootstrapOptions{})
	inverse, _, _ := pairedBootstrap(b, a, BootstrapOptions{})
	if again != ratio || math.Abs(inverse*ratio-1) > 1e-12 {
		t.Errorf("ratio %v, again %v, inverse %v", ratio, again, inverse)
	}
	if d := LogRatios(a, b); slices.Equal(
		resampleMedians(d, BootstrapOptions{Resamples: 100}),
		resampleMedians(d, BootstrapOptions{Resamples: 100, Seed: 1}),
	) {
		t.Error("the seed changes nothing")
	}
	_, low80, high80 := pairedBootstrap(a, b, BootstrapOptions{Confidence: 0.8})
	if !(low < low80 && high80 < high) {
		t.Errorf("80 %% interval [%v, %v] is not inside [%v, %v]", low80, high80, low, high)
	}
	bad := []float64{0, -1, math.NaN(), math.Inf(1), 2}
	if r, _, _ := pairedBootstrap(bad, []float64{1, 1, 1, 1, 4, 9}, BootstrapOptions{}); r != 2 {
		t.Errorf("ratio %v, want 2 from the only usable pair", r)
	}
	if r, low, high := pairedBootstrap(nil, nil, BootstrapOptions{}); !math.IsNaN(r) || !math.IsNaN(low) ||
		!math.IsNaN(high) {
		t.Errorf("no pairs: %v [%v, %v], want NaN", r, low, high)
	}
}

// TestMinimumDetectableEffect checks the promise: an effect of that size is found in about 80 % of all experiments.
func TestMinimumDetectableEffect(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const pairs, trials, spread = 30, 400, 0.05
	effect := 2.80 * 1.2533 * spread / math.Sqrt(pairs)
	found, predicted := 0, 0.0
	for trial := range trials {
		a := times(random, pairs, 100, 0)
		b := times(random, pairs, 100*math.Exp(effect), spread)
		_, low, high := pairedBootstrap(a, b, BootstrapOptions{Resamples: 500, Seed: uint64(trial)})
		if low > 1 || high < 1 {
			found++
		}
		predicted += MinimumDetectableEffect(LogRatios(a, b)) / trials
	}
	if power := float64(found) / trials; power < 0.7 || power > 0.9 {
		t.Errorf("power %v at the detectable effect, want about 0.8", power)
	}
	if want := math.Expm1(effect); math.Abs(predicted/want-1) > 0.1 {
		t.Errorf("detectable effect %v on average, want about %v", predicted, want)
	}
	if v := MinimumDetectableEffect([]float64{1}); !math.IsNaN(v) {
		t.Errorf("one pair detects %v, want NaN", v)
	}
}

func TestMedianInterval(t *testing.T) {
	// ranks of the textbooks for 95 %, counted from one
	for n, rank := range map[int]int{6: 1, 9: 2, 12: 3, 20: 6, 30: 10, 50: 18, 100: 40} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(n - i)
		}
		low, high, known := medianInterval(x)
		if low != float64(rank) || high != float64(n-rank+1) || !known {
			t.Errorf("n = %d: [%v, %v] known %v, want ranks %d and %d", n, low, high, known, rank, n-rank+1)
		}
	}
	if low, high, known := medianInterval([]float64{3, 1, 2, 5, 4}); low != 1 || high != 5 || known {
		t.Errorf("five samples: [%v, %v] known %v, want the range, not known", low, high, known)
	}
	if low, high, known := medianInterval(slices.Repeat([]float64{7}, 2000)); low != 7 || high != 7 || !known {
		t.Errorf("2,000 samples: [%v, %v] known %v", low, high, known)
	}
}

// rounds makes variants with the given times, measured side by side on a machine that drifts.
func rounds(random *rand.Rand, n int, spread float64, ns ...float64) []Variant {
	variants := make([]Variant, len(ns))
	for range n {
		drift := math.Exp(0.3 * random.NormFloat64())
		for i := range ns {
			x := times(random, 3, ns[i]*drift*math.Exp(spread*random.NormFloat64()), 0.001)
			variants[i].PairedNS = append(variants[i].PairedNS, Median(x))
			variants[i].SamplesNS = append(variants[i].SamplesNS, x...)
		}
	}
	return variants
}

func standings(r Ranking) map[int]Standing {
	m := map[int]Standing{}
	for _, row := range r.Rows {
		m[row.Variant] = row.Standing
	}
	return m
}

// A variant whose time is too short to be measured may be the best: no slower one is called that, and the ranking says
// why. Those that are slower than another one are so all the same.
func TestRankTooShort(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	short := func(name string) Variant {
		return Variant{Name: name, PairedNS: []float64{-0.01, 0, 0.01}, SamplesNS: []float64{-0.01, 0, -0.02}}
	}
	two := Rank([]Variant{short("empty"), {Name: "long", SamplesNS: times(random, 50, 100, 0.001)}}, RankOptions{})
	if want := map[int]Standing{0: Unknown, 1: Unknown}; !maps.Equal(standings(two), want) || two.Rows[0].Ratio != 1 ||
		!strings.HasSuffix(two.Note, "; empty takes no time that can be measured, and may be the best") {
		t.Errorf("%+v", two)
	}
	several := Rank(append(rounds(random, 8, 0.001, 100, 200), short("a"), short("b")), RankOptions{})
	if want := map[int]Standing{0: Unknown, 1: Slower, 2: Unknown, 3: Unknown}; !maps.Equal(standings(several), want) ||
		several.Note != "2 variants take no time that can be measured, and may be the best" {
		t.Errorf("%+v", several)
	}
}

func TestRank(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	nan := math.NaN()
	missing := rounds(random, 12, 0.002, 120, 100)
	missing[0].PairedNS[3], missing[1].PairedNS[7] = nan, nan
	tests := []struct {
		name     string
		variants []Variant
		method   string
		rounds   int
		want     map[int]Standing
	}{
		{
			"clear",
			rounds(random, 12, 0.002, 120, 100, 100.1, 300),
			Paired,
			12,
			map[int]Standing{1: Best, 2: Same, 0: Slower, 3: Slower},
		},
		{"noisy", rounds(random, 6, 0.3, 101, 100), Paired, 6, map[int]Standing{1: Best, 0: Unknown}},
		{"below the floor", []Variant{
			{PairedNS: slices.Repeat([]float64{100}, 10), SamplesNS: slices.Repeat([]float64{100}, 10)},
			{PairedNS: slices.Repeat([]float64{100.2}, 10), SamplesNS: slices.Repeat([]float64{100.2}, 10)},
		}, Paired, 10, map[int]Standing{0: Best, 1: Same}},
		{"missing rounds", missing, Paired, 10, map[int]Standing{1: Best, 0: Slower}},
		{
			"few rounds",
			[]Variant{{SamplesNS: times(random, 50, 100, 0.02)}, {SamplesNS: times(random, 50, 150, 0.02)}},
			MedianIntervals,
			0,
			map[int]Standing{0: Best, 1: Slower},
		},
		{
			"few rounds, equal",
			[]Variant{{SamplesNS: times(random, 50, 100, 0.001)}, {SamplesNS: times(random, 50, 100, 0.001)}},
			MedianIntervals,
			0,
			nil,
		},
		{"intervals that samples do not tell", []Variant{
			{
				SamplesNS: times(random, 50, 100, 0.001),
				Low:       98,
				High:      102,
			}, {SamplesNS: times(random, 50, 101, 0.001), Low: 99, High: 103},
			{SamplesNS: times(random, 50, 110, 0.001), Low: 108, High: 112},
		}, MedianIntervals, 0, map[int]Standing{0: Best, 1: Unknown, 2: Slower}},
		{
			"five rounds",
			rounds(random, 5, 0.001, 120, 100, 100.5, 300),
			Paired,
			5,
			map[int]Standing{1: Best, 2: Same, 0: Slower, 3: Slower},
		},
		{"three equal rounds", []Variant{
			{
				PairedNS:  []float64{100, 101, 100},
				SamplesNS: []float64{100, 101, 100},
			}, {PairedNS: []float64{100, 101, 100}, SamplesNS: []float64{100, 101, 100}},
			{PairedNS: []float64{200, 202, 200}, SamplesNS: []float64{200, 202, 200}},
		}, Paired, 3, map[int]Standing{0: Best, 1: Same, 2: Slower}},
		{
			"three samples",
			[]Variant{{SamplesNS: []float64{1, 2, 3}}, {SamplesNS: []float64{10, 20, 30}}},
			MedianIntervals,
			0,
			map[int]Standing{0: Best, 1: Unknown},
		},
		{
			"nothing timed",
			[]Variant{{}, {SamplesNS: []float64{0, 0}}},
			MedianIntervals,
			0,
			map[int]Standing{0: Unknown, 1: Unknown},
		},
		{
			"one untimed",
			append(rounds(random, 8, 0.001, 100, 200), Variant{}),
			Paired,
			8,
			map[int]Standing{0: Best, 1: Slower, 2: Unknown},
		},
		{"none", nil, MedianIntervals, 0, map[int]Standing{}},
	}
	for _, test := range tests {
		r := Rank(test.variants, RankOptions{})
		if r.Method != test.method || r.Pairs != test.rounds || (r.Note == "") != (r.Method == Paired) {
			t.Errorf("%s: method %q, %d rounds, note %q", test.name, r.Method, r.Pairs, r.Note)
		}
		got := standings(r)
		if test.want == nil { // either may win, the other is the same
			if got[r.Rows[0].Variant] != Best || got[r.Rows[1].Variant] != Same {
				t.Errorf("%s: %v", test.name, got)
			}
		} else if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%+v", test.name, diff, r.Rows)
		}
		for i := 2; i < len(r.Rows); i++ {
			if r.Rows[i].Ratio < r.Rows[i-1].Ratio {
				t.Errorf("%s: out of order: %+v", test.name, r.Rows)
			}
		}
	}
}

// TestFalseAlarms ranks identical variants and counts how often any of them is called slower, and different ones and
// counts how often that is missed. The seeds are fixed, so that the figures are.
func TestFalseAlarms(t *testing.T) {
	countsRates(t)
	tests := []struct {
		name     string
		rounds   int
		variants int
		limit    float64 // of the share of rankings with an alarm
	}{
		{"6 rounds, 2 variants", 6, 2, 0.06},
		{"6 rounds, 6 variants", 6, 6, 0.06},
		{"20 rounds, 6 variants", 20, 6, 0.06},
		{"10 rounds, 2 variants", 10, 2, 0.06},
		{"10 rounds, 6 variants", 10, 6, 0.06},
		{"30 rounds, 2 variants", 30, 2, 0.06},
		{"few rounds, 2 variants", 5, 2, 0.05},
		{"few rounds, 6 variants", 5, 6, 0.05},
		{"least rounds, 2 variants", 3, 2, 0.05},
		{"too few rounds, 2 variants", 2, 2, 0.05},
	}
	trials := testsize.Of(100, 400)
	for _, test := range tests {
		random := rand.New(rand.NewPCG(9, uint64(test.rounds)))
		alarms, claims, missed := 0, 0, 0
		o := RankOptions{Bootstrap: BootstrapOptions{Resamples: 1000}}
		for range trials {
			identical := rounds(random, test.rounds, 0.02, slices.Repeat([]float64{100}, test.variants)...)
			for _, row := range Rank(identical, o).Rows {
				if row.Standing == Slower {
					alarms++
					break
				}
			}
			r := Rank(rounds(random, test.rounds, 0.02, 100, 108), o)
			if standings(r)[1] == Same || standings(r)[1] == Best {
				claims++
			}
			if standings(r)[1] != Slower {
				missed++
			}
		}
		t.Logf("%s: of %d trials, A/A alarms %d; +8 %%: called same or best %d, not found %d", test.name, trials, alarms,
			claims, missed)
		if most := testsize.AtMost(trials, test.limit); alarms > most {
			t.Errorf("%s: %d of %d identical rankings raise an alarm, want at most %d", test.name, alarms, trials, most)
		}
		if test.rounds >= leastRanked && claims > testsize.AtMost(trials, 0.02) {
			t.Errorf("%s: %d of %d with +8 %% are called same or best", test.name, claims, trials)
		}
		if test.rounds >= 5 && missed > testsize.AtMost(trials, 0.2) {
			t.Errorf("%s: %d of %d with +8 %% are missed", test.name, missed, trials)
		}
	}
}

// pairedBootstrap returns the ratio of b to a and its confidence interval, where a[i] and b[i] were measured next to
// each other: the exponential of the median of ln(b[i]/a[i]), and percentiles of its bootstrap distribution. Pairing
// takes out the drift that both sides share. Pairs without a positive, finite time on both sides are left out; without
// any pair the result is NaN. With few pairs the interval is too narrow.
func pairedBootstrap(a, b []float64, o BootstrapOptions) (ratio, low, high float64) {
	o = o.withDefaults()
	d := LogRatios(a, b)
	medians := resampleMedians(d, o)
	tail := (1 - o.Confidence) / 2
	return math.Exp(Median(d)), math.Exp(Quantile(medians, tail)), math.Exp(Quantile(medians, 1-tail))
}

func TestMeanNearMedian(t *testing.T) {
	for _, c := range []struct {
		x          []float64
		near, want float64
	}{
		{[]float64{1, 1, 1, 2, 2}, 1, 1.4},
		{[]float64{1, 1, 1, 2, 2, 900}, 1, 1.4}, // the median is 1.5
		{[]float64{1, 9}, 1, 5},
		{[]float64{3}, 0, 3},
		{[]float64{7, math.Inf(1), math.Inf(1)}, 1, math.Inf(1)},
		{[]float64{1, 1, 9, 9}, 1, 5}, // none is near
	} {
		if got := MeanNearMedian(c.x, c.near); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
	if got := Typical([]float64{100, 100, 100, 101, 101, 150}); math.Abs(got-100.4) > 1e-12 {
		t.Errorf("typical is %v, want 100.4", got)
	}
	if got := MeanNearMedian(nil, 1); !math.IsNaN(got) {
		t.Errorf("of nothing: %v", got)
	}
}

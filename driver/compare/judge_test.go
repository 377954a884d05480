package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/invocations/testsize"
)

// launch makes a launch of a function that takes ns, with noise of the launch, of its clock and of its batches.
func launch(r *rand.Rand, ns, noise float64, contended bool) invocations.Result {
	ns *= 1 + noise*r.NormFloat64()
	ghz := 3.5 + 0.05*float64(r.IntN(3))
	out := invocations.Result{ID: "0123456789abcdef", Status: invocations.OK}
	out.Canary.OwnClock = 1
	for range 12 {
		batch := ns * (1 + 0.005*r.ExpFloat64())
		if contended {
			batch *= 1 + r.Float64()
			out.Verdicts = []invocations.Verdict{invocations.Contended}
		}
		out.SamplesNS = append(out.SamplesNS, batch*3.5/ghz)
		out.CyclesSamples = append(out.CyclesSamples, batch*3.5*(1+0.003*r.NormFloat64()))
	}
	out.ReduceCycles()
	return out
}

// measure makes pairs of launches until the row is decided or so many were made, and returns the verdict.
func measure(r *rand.Rand, slowdown, noise, contended float64, pairs int, o Options) Verdict {
	j := NewJudge(1, o)
	var results [2][]invocations.Result
	for n := 1; n <= pairs; n++ {
		results[0] = append(results[0], launch(r, 1000, noise, r.Float64() < contended))
		results[1] = append(results[1], launch(r, 1000*(1+slowdown), noise, r.Float64() < contended))
		if j.Decided(0, results, n == pairs) {
			break
		}
	}
	return j.rows[0].verdict(j.differ()[0], j.options)
}

// TestJudgeOwnClock judges a wide kernel that takes 3 % longer than a scalar one and fewer cycles, since it lowers its
// clock by 7 %. Cycles scatter less than times and would call it faster. Launches that have not looked at the clock of
// scalar code show two clocks, and the times decide, too.
func TestJudgeOwnClock(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, looks := range []bool{true, false} {
		for range 20 {
			j := NewJudge(1, Options{})
			var results [2][]invocations.Result
			for n := 1; n <= 40; n++ {
				for side, own := range []float64{1, 0.93} {
					l := launch(random, 1000*(1+0.03*float64(side)), 0.001, false)
					for i, ns := range l.SamplesNS {
						ns *= 1 + 0.003*random.NormFloat64()
						cycles := 1000 * 3.5 * own * (1 + 0.03*float64(side)) * (1 + 0.001*random.NormFloat64())
						l.SamplesNS[i], l.CyclesSamples = ns, append(l.CyclesSamples, cycles)
					}
					l.ReduceCycles()
					if l.Canary.OwnClock = 0; looks {
						l.Canary.OwnClock = own * (1 + 0.01*random.NormFloat64())
					}
					results[side] = append(results[side], l)
				}
				if j.Decided(0, results, n == 40) {
					break
				}
			}
			if v := j.rows[0].verdict(j.differ()[0], j.options); v != Slower {
				t.Fatalf("looks %t: %s by %s: %+v", looks, v, j.rows[0].by, j.rows[0].Difference)
			}
		}
	}
}

// A function that is slower in less than three batches of four is not the same, though its faster batches are.
func TestJudgeSlowerNowAndThen(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		j := NewJudge(1, Options{})
		var results [2][]invocations.Result
		for n := 1; n <= 40; n++ {
			for side := range results {
				l := launch(random, 1000, 0.0001, false)
				l.Cycles = stats.Cycles{}
				for i := range l.SamplesNS {
					if l.SamplesNS[i] = 1000 * (1 + 0.0001*random.NormFloat64()); side == 1 && i%3 != 0 {
						l.SamplesNS[i] *= 1.1 + random.Float64()
					}
				}
				results[side] = append(results[side], l)
			}
			if j.Decided(0, results, n == 40) {
				break
			}
		}
		if v := j.rows[0].verdict(j.differ()[0], j.options); v == Same {
			t.Fatalf("by %s: %s", j.rows[0].by, v)
		}
	}
}

// TestValuesOfTurns: a launch in turns has cycles in each turn, but in disturbed ones, as it has times.
func TestValuesOfTurns(t *testing.T) {
	l := invocations.Result{}
	l.SamplesNS, l.MergedSamples = []float64{10, 11, 12, 30, 31}, []int{3, 0, 2}
	l.CyclesSamples = []float64{40, 44, 48, 121, 123}
	l.ReduceCycles()
	for _, c := range []struct {
		by   Figure
		want []float64
	}{{ByTime, []float64{11, math.NaN(), 30.5}}, {ByReference, []float64{44, math.NaN(), 122}}, {ByCycles, nil}} {
		if got := values(&l, c.by); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("by %s: %v, want %v", c.by, got, c.want)
		}
	}
}

// What another tenant of memory does for some turns slows both sides of those turns, so that little is left of it.
func TestJudgeTurns(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const turns, each = 6, 9
	found := 0
	for range 50 {
		j := NewJudge(1, Options{Margin: 0.003})
		var results [2][]invocations.Result
		for n := 1; n <= 10; n++ {
			results[0], results[1] = append(results[0], invocations.Result{}), append(results[1], invocations.Result{})
			for range turns {
				neighbour := 1 + 0.4*float64(random.IntN(2))
				for side, list := range results {
					l := &list[n-1]
					l.MergedSamples = append(l.MergedSamples, each+side) // as many as their length allows
					for range each + side {
						l.SamplesNS = append(l.SamplesNS, 1000*neighbour*(1+0.02*float64(side))*(1+0.01*random.NormFloat64()))
					}
				}
			}
			if j.Decided(0, results, n == 10) {
				break
			}
		}
		if v := j.rows[0].verdict(j.differ()[0], j.options); v == Slower {
			found++
		}
	}
	if found < 45 {
		t.Errorf("2 %% are found in %d of 50 comparisons beside a neighbour", found)
	}
}

// The clock of a core changes within turns. Batches of both sides that are next to each other have the same clock.
func TestJudgeNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const turns, each = 4, 12
	count := map[Verdict]int{}
	for run := range 100 {
		slowdown := 0.02 * float64(run%2)
		j := NewJudge(1, Options{Margin: 0.003})
		var results [2][]invocations.Result
		for n := 1; n <= 10; n++ {
			var pair [2]invocations.Result
			for range turns {
				near := slowdown + 0.002*random.NormFloat64()
				for side := range pair {
					l := &pair[side]
					l.MergedSamples = append(l.MergedSamples, each)
					l.Neighbours = append(l.Neighbours, near*float64(2*side-1))
					for range each {
						l.SamplesNS = append(l.SamplesNS, 1000*(1+0.3*random.Float64())*(1+slowdown*float64(side)))
					}
				}
			}
			results[0], results[1] = append(results[0], pair[0]), append(results[1], pair[1])
			if j.Decided(0, results, n == 10) {
				break
			}
		}
		row := &j.rows[0]
		v := row.verdict(j.differ()[0], j.options)
		if count[v]++; row.by != ByNeighbours || slowdown == 0 && v == Slower || v == Faster {
			t.Errorf("a slowdown of %g is %s by %s", slowdown, v, row.by)
		}
		if ratio := row.Ratio - 1; ratio < slowdown-0.003 || ratio > slowdown+0.003 {
			t.Errorf("a slowdown of %g is taken for %g", slowdown, ratio)
		}
	}
	if count[Slower] < 45 {
		t.Errorf("2 %% are found in %d of 50 comparisons", count[Slower])
	}
}

// Arguments change places after half of the turns. So their pages slow each side in one half, and nothing is left of it.
func TestJudgeExchange(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const turns, each, pages = 8, 9, 0.07
	for _, slowdown := range []float64{0, 0.02} {
		count := map[Verdict]int{}
		for range 50 {
			j := NewJudge(1, Options{Margin: 0.003})
			var results [2][]invocations.Result
			for n := 1; n <= 10; n++ {
				for side := range results {
					l := invocations.Result{}
					for turn := range turns {
						ns := 1000 * (1 + slowdown*float64(side))
						if (turn >= turns/2) == (side == 0) {
							ns *= 1 + pages
						}
						l.MergedSamples = append(l.MergedSamples, each)
						for range each {
							l.SamplesNS = append(l.SamplesNS, ns*(1+0.01*random.NormFloat64()))
						}
					}
					results[side] = append(results[side], l)
				}
				if j.Decided(0, results, n == 10) {
					break
				}
			}
			count[j.rows[0].verdict(j.differ()[0], j.options)]++
		}
		if slowdown > 0 && count[Slower] < 45 || slowdown == 0 && count[Slower]+count[Faster] > 2 {
			t.Errorf("with pages that cost 7 %%, %v %% more time is found: %v", 100*slowdown, count)
		}
	}
}

// The judge chooses figures and pairs by how well they agree. That must not raise alarms.
func TestJudgeAlarms(t *testing.T) {
	trials := testsize.Of(50, 500)
	for _, c := range []struct {
		name                       string
		slowdown, noise, contended float64
		want                       Verdict
		least                      float64 // share of trials with that verdict
	}{
		{"equal, quiet", 0, 0.001, 0, Same, 0},
		{"equal, noisy", 0, 0.05, 0, Undecided, 0},
		{"equal, half of the launches disturbed", 0, 0.001, 0.5, Same, 0},
		{"half a percent slower, quiet", 0.005, 0.001, 0, Slower, 0.9},
		{"two percent slower, a quarter of the launches disturbed", 0.02, 0.005, 0.25, Slower, 0.9},
		{"two percent faster", -0.02, 0.005, 0, Faster, 0.9},
		{"five percent slower, noisy", 0.05, 0.03, 0, Slower, 0.8},
	} {
		random := rand.New(rand.NewPCG(3, 4))
		count := map[Verdict]int{}
		n := trials
		if c.slowdown != 0 {
			n = testsize.Of(20, 50)
		}
		for range n {
			count[measure(random, c.slowdown, c.noise, c.contended, 40, Options{Margin: 0.003})]++
		}
		t.Logf("%s: %v", c.name, count)
		wrong := count[Slower] + count[Faster]
		if c.slowdown != 0 {
			wrong = n - count[Undecided] - count[c.want]
		}
		if most := testsize.AtMost(n, 0.015); wrong > most {
			t.Errorf("%s: wrong in %d of %d, want at most %d: %v", c.name, wrong, n, most, count)
		}
		if least := testsize.AtLeast(n, c.least); count[c.want] < least {
			t.Errorf("%s: %s in %d of %d, want at least %d: %v", c.name, c.want, count[c.want], n, least, count)
		}
	}
}

// Pairs of which both launches were disturbed count if they agree better than the quiet ones alone, of which there are
// enough.
func TestJudgeDisturbedAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	j := NewJudge(1, Options{Margin: 0.003})
	var results [2][]invocations.Result
	for n := range 4 * leastQuietPairs {
		for side := range results {
			noise, l := 0.1, invocations.Result{ID: "a", Status: invocations.OK}
			if n%4 != 0 {
				noise, l.Verdicts = 0.0001, []invocations.Verdict{invocations.Contended}
			}
			l.SamplesNS = slices.Repeat([]float64{1000 * (1 + 0.01*float64(side)) * (1 + noise*random.NormFloat64())}, 12)
			results[side] = append(results[side], l)
		}
	}
	j.Decided(0, results, true)
	if row := j.rows[0]; row.disturbed != 3*leastQuietPairs || row.verdict(j.differ()[0], j.options) != Slower {
		t.Errorf("%d of %d pairs were disturbed: %s", row.disturbed, row.pairs, row.verdict(j.differ()[0], j.options))
	}
}

// The level is that of all rows together, unless the share of false ones among those that differ is asked for.
func TestJudgeDiffer(t *testing.T) {
	for _, c := range []struct {
		fdr    bool
		shares []float64 // p of each row, in levels
		want   []bool
	}{
		{false, []float64{0.6, 0.6}, []bool{false, false}},
		{false, []float64{0.4, 0.6}, []bool{true, true}},
		{false, []float64{0.4, math.NaN()}, []bool{true, false}},
		{true, []float64{0.6, 0.6}, []bool{true, true}},
	} {
		j := NewJudge(len(c.shares), Options{FDR: c.fdr})
		for i, share := range c.shares {
			j.rows[i].P = share * j.options.Alpha
		}
		if got := j.differ(); !slices.Equal(got, c.want) {
			t.Errorf("p of %v levels: %v, want %v", c.shares, got, c.want)
		}
	}
}

// With many rows, the chance of any alarm is still that of one.
func TestJudgeManyRows(t *testing.T) {
	const rows = 20
	random := rand.New(rand.NewPCG(5, 6))
	alarmed := 0
	trials := testsize.Of(20, 60)
	for range trials {
		j := NewJudge(rows, Options{Margin: 0.003})
		for row := range rows {
			var results [2][]invocations.Result
			for n := 1; n <= 26; n++ {
				for side := range results {
					results[side] = append(results[side], launch(random, 1000, 0.002, false))
				}
				if j.Decided(row, results, n == 26) {
					break
				}
			}
		}
		differ := j.differ()
		for row := range j.rows {
			if v := decide(j.rows[row].Difference, differ[row], j.options); v == Slower || v == Faster {
				alarmed++
				break
			}
		}
	}
	if alarmed > testsize.AtMost(trials, 0.05) {
		t.Errorf("%d of %d comparisons of %d equal rows raise an alarm", alarmed, trials, rows)
	}
}

// Rows that could not be measured, or that have no times, are no error.
func TestJudgeWithoutTimes(t *testing.T) {
	j := NewJudge(2, Options{})
	crashed := []invocations.Result{{ID: "a", Status: invocations.Crashed}}
	if !j.Decided(0, [2][]invocations.Result{crashed, crashed}, true) {
		t.Error("a crash does not end the row")
	}
	before := &Set{Measurements: []Measurement{
		{ID: "a", Name: "f", Status: invocations.OK}, {ID: "b", Name: "gone", Status: invocations.OK},
		{ID: "c", Name: "broken", Status: invocations.OK},
	}}
	after := &Set{Measurements: []Measurement{
		{ID: "d", Name: "f", Status: invocations.OK}, {ID: "e", Name: "broken", Status: invocations.Crashed},
	}}
	rows := j.Rows(before, after)
	if len(rows) != 3 || rows[0].Verdict != Undecided || rows[1].Verdict != Broken || rows[2].Verdict != Missing {
		t.Errorf("%+v", rows)
	}
}

// A row that was decided stays as it is: what other rows find later relaxes the correction for all rows, and changes no
// decision. Rows are told as they were decided.
func TestJudgeKeepsWhatIsDecided(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	const rows = 6
	for _, o := range []Options{{}, {FDR: true}, {Margin: 0.004, FDR: true}} {
		changed, decided := 0, 0
		for range 5 {
			j, sets := NewJudge(rows, o), [2]*Set{{}, {}}
			var then [rows]Verdict
			for i := range rows {
				id := string(rune('a' + i))
				var results [2][]invocations.Result
				slowdown := 0.02 * random.Float64() * random.Float64()
				for n := 1; n <= 60; n++ {
					for side := range results {
						one := launch(random, 1000*(1+slowdown*float64(side)), 0.01, false)
						one.ID = id
						results[side] = append(results[side], one)
					}
					if j.Decided(i, results, n == 60) {
						break
					}
				}
				then[i] = j.rows[i].verdict(j.differ()[i], j.options)
				for _, set := range sets {
					set.Measurements = append(set.Measurements, Measurement{ID: id, Name: id, Status: invocations.OK})
				}
			}
			for i, r := range j.Rows(sets[0], sets[1]) {
				if then[i] == Undecided {
					continue
				}
				if decided++; r.Verdict != then[i] {
					changed++
				}
			}
		}
		if changed > 0 || decided < rows {
			t.Errorf("%+v: %d of %d decisions have changed", o, changed, decided)
		}
	}
}

// A side whose calls leave work to threads decides nothing, however fast they are.
func TestJudgeUnfinished(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for unfinished := -1; unfinished < 2; unfinished++ {
		j := NewJudge(1, Options{})
		var results [2][]invocations.Result
		for n := 1; n <= 10; n++ {
			results[0], results[1] = append(results[0], launch(r, 1000, 0.001, false)), append(results[1], launch(r, 500, 0.001, false))
			if j.Decided(0, results, n == 10) {
				break
			}
		}
		var sets [2]*Set
		for side := range sets {
			m := Measurement{ID: results[side][0].ID, Name: "post", Status: invocations.OK, Time: Values{Launches: []float64{1000}}}
			if side == unfinished {
				m.Verdicts = []invocations.Verdict{invocations.Unfinished}
			}
			sets[side] = &Set{Measurements: []Measurement{m}}
		}
		row, want := j.Rows(sets[0], sets[1])[0], Undecided
		if unfinished < 0 {
			want = Faster
		}
		if row.Verdict != want || (len(row.Notes) > 0) != (unfinished >= 0) {
			t.Errorf("side %d: %s, %q", unfinished, row.Verdict, row.Notes)
		}
	}
}

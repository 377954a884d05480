package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// pairsOf measures pairs of a plan whose invocations are named by letters, two by two. They are decided after so many
// launches.
func pairsOf(p *plan.Plan, launches int, finished ...int) Strategy {
	var of [][2]int
	for i := 0; i < p.Len(); i += 2 {
		of = append(of, [2]int{i, i + 1})
	}
	return siteOf(p).Pairs(&Pairs{Of: of, Decided: func(_ int, r [2][]invocations.Result, _ bool) bool {
		return len(r[0]) >= launches && len(r[1]) >= launches
	}}, func(i int) bool { return slices.Contains(finished, i) })
}

// long answers with calls that are too long for turns.
func long(s *Series, l *Launch) (invocations.Result, time.Duration) {
	r, took := takes(same)(s, l)
	r.CallsPerBatch = 100_000
	return r, took
}

// Both sides are launched one after the other, in random order and then in the reverse order, so that each is as often
// the first. No other pair is between them.
func TestPairOrders(t *testing.T) {
	const launches = 20
	p := planOf("abcd", func(string, *plan.Entry) {})
	f := follow(t, pairsOf(p, launches), long)
	firsts := map[string]string{}
	for i := 0; i < len(f.orders); i += 2 {
		one, other := f.orders[i], f.orders[i+1]
		first, second := one.Series[0].Name, other.Series[0].Name
		if one.Number != other.Number || !slices.Contains([]string{"ab", "ba", "cd", "dc"}, first+second) ||
			one.Following != other.Series[0] || other.Following != one.Series[0] {
			t.Fatalf("launches %s and %s are no pair", f.launches[i], f.launches[i+1])
		}
		if one.Supervised != (one.Number == 0) || one.FollowingSupervised != (one.Number == 0) || other.FollowingSupervised {
			t.Errorf("%s: %+v", f.launches[i], one)
		}
		pair := min(first, second)
		firsts[pair] += first
	}
	for pair, order := range firsts {
		if len(order) != launches || strings.Count(order, pair) != launches/2 {
			t.Errorf("who was first: %s", order)
		}
		for i := 0; i < launches; i += 2 {
			if order[i] == order[i+1] {
				t.Errorf("%c is the first in the launches %d and %d", order[i], i, i+1)
			}
		}
		if order == strings.Repeat(order[:2], launches/2) {
			t.Errorf("the order is not random: %s", order)
		}
	}
}

// Eight pairs take turns, and the next ones follow when all are decided.
func TestPairsOfAWindow(t *testing.T) {
	p := planOf("abcdefghijklmnopqrst", func(string, *plan.Entry) {})
	f := follow(t, pairsOf(p, 3), long)
	for i, l := range f.orders {
		name := l.Series[0].Name
		if first := i < 8*2*3; first != (name <= "p") || l.Number != (i%48)/map[bool]int{true: 16, false: 4}[first] {
			t.Fatalf("launch %d: %s", i, f.launches[i])
		}
	}
}

// A side whose partner cannot run is measured alone, and before the pairs. Of pairs, the second side has the layouts of
// the first one.
func TestPairAlone(t *testing.T) {
	p := planOf("abcdef", func(string, *plan.Entry) {})
	f := follow(t, pairsOf(p, 2, 0, 4, 5), takes(same))
	if got := fmt.Sprint(f.launches[:5]); got != "[b0 b1 b2 b3 b4]" || len(f.launches) != 8 {
		t.Errorf("launches %v", f.launches)
	}
	for _, s := range f.series {
		if !s.paired || (s.like != nil) != (s.Name == "d") {
			t.Errorf("%s: %+v", s.Name, s)
		}
	}
}

// After their first launches, both sides are launched at the same time if each uses one core and is not too long. They
// make batches by turns if calls are short, the system can do that, and both have the same clock.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		name   string
		edit   func(*invocations.Result)
		plan   func(*plan.Entry)
		system bool
		turns  bool
		steps  bool
	}{
		{"short calls", func(*invocations.Result) {}, nil, true, true, true},
		{"another system", func(*invocations.Result) {}, nil, false, true, false},
		{"a fixed number of calls", func(*invocations.Result) {}, func(p *plan.Entry) { p.Invocation.Measure.Iterations = 7 },
			true, true, false},
		{"long calls", func(r *invocations.Result) { r.Summary.MinNS = 2 * longestStepped }, nil, true, true, false},
		{"another clock", func(r *invocations.Result) {
			if r.Canary.OwnClock = 1; r.ID == "b" {
				r.Canary.OwnClock = 0.93
			}
		}, nil, true, true, false},
		{"calls below a nanosecond", func(r *invocations.Result) { r.Summary.MinNS = 0.5 }, nil, true, true, false},
		{"a device", func(r *invocations.Result) { r.Canary.Why = "a device does the work" }, nil, true, false, false},
		{"very long calls", func(r *invocations.Result) { r.Summary.MinNS = 2 * longBatch * TurnNS },
			nil, true, false, false},
		{"no samples", func(r *invocations.Result) { r.SamplesNS = nil }, nil, true, false, false},
	} {
		p := planOf("ab", func(_ string, p *plan.Entry) {
			if c.plan != nil {
				c.plan(p)
			}
		})
		site := siteOf(p)
		site.Steps = c.system
		s := site.Pairs(&Pairs{Of: [][2]int{{0, 1}}, Decided: func(_ int, r [2][]invocations.Result, _ bool) bool {
			return len(r[0]) == 5
		}}, func(int) bool { return false })
		f := follow(t, s, func(s *Series, l *Launch) (invocations.Result, time.Duration) {
			r, took := takes(same)(s, l)
			c.edit(&r)
			return r, took
		})
		for i, l := range f.orders {
			together := c.turns && i >= 2
			if l.Kind == Together != together || together && (len(l.Series) != 2 || l.Series[0].Name != "a" ||
				l.Turns < leastTurns || l.Turns > mostTurns || l.Turns%2 != 0 || l.Steps != c.steps || !l.Fresh) {
				t.Errorf("%s: launch %s: %+v", c.name, f.launches[i], l)
			}
			if together && l.Number%2 == 1 && l.First != 1-f.orders[i-1].First && i > 2 {
				t.Errorf("%s: side %d begins the launches %d and %d", c.name, l.First, l.Number-1, l.Number)
			}
		}
	}
}

// The number of turns follows from the least time, from the time that loading takes, and from what there is time for.
func TestTurnsOfPair(t *testing.T) {
	for _, c := range []struct {
		least, most, loading time.Duration
		want                 int
	}{
		{0, 0, 0, leastTurns},
		{10 * 8 * TurnNS, 0, 0, 8},
		{10 * 7 * TurnNS, 0, 0, 8},
		{time.Minute, 0, 0, mostTurns},
		{0, 0, 2 * 10 * TurnNS, 10},
		{time.Minute, 7 * 12 * turnCost, 0, 12},
		{time.Minute, time.Millisecond, time.Second, leastTurns},
	} {
		p := &pair{}
		for k := range p.sides {
			p.sides[k] = seriesOf(invocations.Measure{MinTimeNS: int64(c.least), MaxTimeNS: int64(c.most)},
				combinetest.MadeUp(10))
			p.sides[k].loading = c.loading
		}
		if got := p.turns(); got != c.want {
			t.Errorf("%+v: %d turns", c, got)
		}
		p.sides[1].Results[0].Status = invocations.Failed
		if got := p.turns(); got != 1 {
			t.Errorf("%+v: %d turns after a failure", c, got)
		}
	}
}

// A first launch that has taken others' work for its own threads does not keep a pair from turns for good.
func TestTurnsAfterABusyLaunch(t *testing.T) {
	p := &pair{}
	for k := range p.sides {
		p.sides[k] = seriesOf(invocations.Measure{}, combinetest.MadeUp(10))
	}
	p.sides[1].Results[0].Canary.Why = "threads of its own do part of the work"
	if got := p.turns(); got != 1 {
		t.Errorf("%d turns", got)
	}
	p.sides[1].Results = append(p.sides[1].Results, combinetest.MadeUp(10))
	p.sides[1].Results[1].SamplesNS = []float64{longBatch * TurnNS} // one batch, which others interrupted
	if got := p.turns(); got == 1 {
		t.Error("no turns after a launch on one core")
	}
}

// A first launch in a bad moment does not keep a pair from steps for good.
func TestStepsFastest(t *testing.T) {
	for _, c := range []struct {
		ns   [2][]float64
		want bool
	}{
		{[2][]float64{nil, {10}}, false},
		{[2][]float64{{10}, {10}}, true},
		{[2][]float64{{10}, {2 * longestStepped}}, false},
		{[2][]float64{{10, 10}, {2 * longestStepped, 10}}, true},
	} {
		p := &pair{sides: [2]*Series{{}, {}}}
		for k, side := range p.sides {
			side.Results = make([]invocations.Result, len(c.ns[k]))
			for i, ns := range c.ns[k] {
				side.Results[i].Summary.MinNS = ns
			}
		}
		if got := p.stepwise(); got != c.want {
			t.Errorf("%v: %t", c.ns, got)
		}
	}
}

// If one side puts random contents into other orders, and the other one only restores, that is launched again and does both.
func TestReorderAlike(t *testing.T) {
	p := planOf("ab", func(string, *plan.Entry) {})
	f := follow(t, pairsOf(p, 3), func(s *Series, l *Launch) (invocations.Result, time.Duration) {
		r, took := takes(same)(s, l)
		r.Fresh = s.fresh().With(invocations.Fresh{Restored: s.Name == "a", Reordered: s.Name == "b"})
		return r, took
	})
	if got, want := fmt.Sprint(f.numbers("a"), f.numbers("b")), "[0 0 1 2] [0 0 1 2]"; got != want {
		t.Errorf("launches %s, want %s", got, want)
	}
	for name, s := range f.series {
		for i := range s.Results {
			if s.Results[i].Fresh != (invocations.Fresh{Restored: true, Reordered: true}) {
				t.Errorf("launch %d of %s finds %+v", i, name, s.Results[i].Fresh)
			}
		}
	}
}

// If one side restores its arguments, the other one is launched again and shall, too. What it had before does not
// count.
func TestRestoreAlike(t *testing.T) {
	for _, c := range []struct{ finds, cannot, want string }{
		{"", "", "[0 1 2] [0 1 2]"}, {"ab", "", "[0 1 2] [0 1 2]"}, {"b", "", "[0 0 1 2] [0 1 2]"},
		{"a", "", "[0 1 2] [0 0 1 2]"}, {"a", "b", "[0 1 2] [0 0 1 2]"},
	} {
		p := planOf("ab", func(string, *plan.Entry) {})
		var wrong []string
		f := follow(t, pairsOf(p, 3), func(s *Series, l *Launch) (invocations.Result, time.Duration) {
			r, took := takes(same)(s, l)
			finds := strings.Contains(c.finds, s.Name) || s.fresh().Restored
			if r.Restored = finds && !strings.Contains(c.cannot, s.Name); l.Number > 0 && c.finds != "" && !s.fresh().Restored &&
				c.cannot == "" {
				wrong = append(wrong, s.Name)
			}
			return r, took
		})
		if got := fmt.Sprint(f.numbers("a"), f.numbers("b")); got != c.want || wrong != nil {
			t.Errorf("%+v: launches %s; not restored: %v", c, got, wrong)
		}
		for name, s := range f.series {
			if len(s.Results) != 3 || s.Results[0].Restored != (c.finds != "" && name != c.cannot) {
				t.Errorf("%+v: %s has %d launches, restored: %t", c, name, len(s.Results), s.Results[0].Restored)
			}
		}
	}
}

// A pair is asked for its decision after each of its launches, with the results of both sides. It is the last time if
// no further launch can be made.
func TestPairDecisions(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*plan.Entry)
		took time.Duration
		want int // number of launches until the last decision
	}{
		{"a number", func(p *plan.Entry) { p.Invocation.Measure.Launches = 3 }, time.Millisecond, 3},
		{"no time", func(p *plan.Entry) { p.Invocation.Measure.MaxTimeNS = int64(4 * time.Minute) }, time.Minute, 4},
		{"called once", func(p *plan.Entry) { p.Invocation.Measure.CheckOnly = true }, time.Millisecond, 1},
	} {
		p := planOf("ab", func(_ string, p *plan.Entry) { c.edit(p) })
		asked := 0
		decided := func(number int, r [2][]invocations.Result, last bool) bool {
			if asked++; number != 0 || len(r[0]) != asked || len(r[1]) != asked || last != (asked == c.want) {
				t.Errorf("%s: pair %d, %d and %d launches, last %t", c.name, number, len(r[0]), len(r[1]), last)
			}
			return false
		}
		s := siteOf(p).Pairs(&Pairs{Of: [][2]int{{0, 1}}, Decided: decided}, func(int) bool { return false })
		f := follow(t, s, func(s *Series, l *Launch) (invocations.Result, time.Duration) {
			r, _ := long(s, l)
			return r, c.took
		})
		if asked != c.want || strings.Join(f.order, "") != "ab" {
			t.Errorf("%s: %d decisions; %v are finished", c.name, asked, f.order)
		}
	}
}

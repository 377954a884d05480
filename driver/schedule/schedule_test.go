package schedule

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// planOf returns a plan of entries named by letters, which edit changes.
func planOf(names string, edit func(name string, p *plan.Entry)) *plan.Plan {
	whole := &plan.Plan{}
	for _, letter := range names {
		name := string(letter)
		p := plan.Entry{Invocation: invocations.Invocation{ID: name, Name: name, Measure: invocations.Measure{
			MaxTimeNS: int64(time.Hour), MinTimeNS: int64(time.Second), CPU: -1}}}
		edit(name, &p)
		whole.Add(p)
	}
	return whole
}

// siteOf returns where a plan is measured, with nothing known of the machine.
func siteOf(p *plan.Plan) *Site {
	return &Site{Plan: p, Random: rand.New(rand.NewPCG(7, 1)), Steps: true}
}

// answers says what a launch of an invocation gives, and how long it takes.
type answers func(s *Series, l *Launch) (invocations.Result, time.Duration)

// takes answers with a launch of a time for each name, in nanoseconds, that takes a millisecond.
func takes(ns func(name string, launch int) float64) answers {
	return func(s *Series, l *Launch) (invocations.Result, time.Duration) {
		r := combinetest.MadeUp(ns(s.Name, l.Number))
		r.ID, r.Number, r.CallsPerBatch = s.Name, l.Number, 1
		return r, time.Millisecond
	}
}

// same is the time of all functions alike.
func same(string, int) float64 { return 1000 }

// followed is what came of a strategy.
type followed struct {
	launches []string // names of what was launched, with the numbers of the launches: "a0", or "a0+b0" at the same time
	orders   []Launch
	finished map[string]*invocations.Dropped // by name
	alsoRan  map[string]*invocations.Dropped // of those that were only left out, which are finished without
	order    []string                        // of finishing
	series   map[string]*Series
}

// follow makes the launches of a strategy, and checks what holds for all of them: each invocation has its launches one
// after the other, is open until it is finished, is finished once, and is launched no more then.
func follow(t *testing.T, s Strategy, answer answers) *followed {
	t.Helper()
	f := &followed{finished: map[string]*invocations.Dropped{}, alsoRan: map[string]*invocations.Dropped{},
		series: map[string]*Series{}}
	all := len(s.Open())
	for l := s.Next(); l != nil; l = s.Next() {
		if len(f.orders) == 10_000 {
			t.Fatalf("it does not end: %v", f.launches[:50])
		}
		var names []string
		for _, one := range l.Series {
			names = append(names, fmt.Sprint(one.Name, l.Number))
			f.series[one.Name] = one
			if _, was := f.finished[one.Name]; was {
				t.Fatalf("%s is launched though it is finished", one.Name)
			}
			if !slices.Contains(s.Open(), one) {
				t.Fatalf("%s is launched and not open", one.Name)
			}
			result, took := answer(one, l)
			one.Took(result, took)
		}
		f.launches, f.orders = append(f.launches, strings.Join(names, "+")), append(f.orders, *l)
		for _, done := range s.Made() {
			if _, was := f.finished[done.Name]; was {
				t.Fatalf("%s is finished twice", done.Name)
			}
			f.finished[done.Name], f.order = done.Dropped, append(f.order, done.Name)
			if done.AlsoRan {
				f.finished[done.Name], f.alsoRan[done.Name] = nil, done.Dropped
			}
			if slices.Contains(s.Open(), done.Series) {
				t.Errorf("%s is finished and open", done.Name)
			}
		}
		if len(s.Open())+len(f.finished) != all {
			t.Fatalf("%d are open and %d finished of %d", len(s.Open()), len(f.finished), all)
		}
	}
	if len(f.finished) != all || s.Next() != nil {
		t.Errorf("%d of %d are finished: %v", len(f.finished), all, slices.Sorted(maps.Keys(f.finished)))
	}
	return f
}

// count returns how many launches an invocation had.
func (f *followed) count(name string) (n int) {
	for _, l := range f.orders {
		for _, s := range l.Series {
			if s.Name == name {
				n++
			}
		}
	}
	return n
}

// numbers returns the numbers of the launches of an invocation.
func (f *followed) numbers(name string) (list []int) {
	for _, l := range f.orders {
		for _, s := range l.Series {
			if s.Name == name {
				list = append(list, l.Number)
			}
		}
	}
	return list
}

// upTo returns 0, 1, … below n.
func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// What each strategy launches, and when it has enough: by the number of launches, by agreement, by time, and by how
// launches end.
func TestStrategies(t *testing.T) {
	far := func(name string, launch int) float64 { return 1000 + 200*float64(launch%3%2) }
	launches := func(n int) func(string, *plan.Entry) {
		return func(_ string, p *plan.Entry) { p.Invocation.Measure.Launches = n }
	}
	precise := func(_ string, p *plan.Entry) { p.Invocation.Measure.Precision = 0.01 }
	failing := func(at string, launch int) answers {
		return func(s *Series, l *Launch) (invocations.Result, time.Duration) {
			r, took := takes(same)(s, l)
			if s.Name == at && l.Number == launch {
				return invocations.Result{Status: invocations.Crashed, Number: l.Number}, took
			}
			return r, took
		}
	}
	slow := func(s *Series, l *Launch) (invocations.Result, time.Duration) {
		r, _ := takes(far)(s, l)
		return r, time.Minute
	}
	pairs := func(pairs int) func(*Site) Strategy { // which are decided after so many launches
		return func(s *Site) Strategy {
			return s.Pairs(&Pairs{Of: [][2]int{{0, 1}, {2, 3}}, Decided: func(_ int, r [2][]invocations.Result, _ bool) bool {
				return len(r[0]) == pairs
			}}, func(int) bool { return false })
		}
	}
	blocks := func(blocks ...[]int) func(*Site) Strategy { return func(s *Site) Strategy { return s.Blocks(blocks) } }
	each := blocks([]int{0}, []int{1}, []int{2}, []int{3})
	once := func(_ string, p *plan.Entry) { p.Invocation.Measure.CheckOnly = true }
	race := func(_ string, p *plan.Entry) {
		p.MostLaunches, p.Invocation.Measure.Launches = 12, 10
	}
	apart := func(name string, launch int) float64 { // b is the best, and d far from it
		return map[string]float64{"a": 1100, "b": 1000, "c": 1200, "d": 9000}[name] * (1 + 0.0001*float64(launch%3))
	}
	bestCrashes := func(s *Series, l *Launch) (invocations.Result, time.Duration) {
		if s.Name == "b" && l.Number == 1 {
			return invocations.Result{Status: invocations.Crashed}, time.Millisecond
		}
		return takes(apart)(s, l)
	}
	brief := func(_ string, p *plan.Entry) { p.Invocation.Measure.MaxTimeNS = int64(2 * time.Minute) }
	for _, c := range []struct {
		name   string
		edit   func(string, *plan.Entry)
		of     func(*Site) Strategy
		answer answers
		want   string // launches of a, b, c and d
		kinds  string // A alone, C called, T together: of all launches, each once
	}{
		{"called once", once, blocks([]int{0, 1, 2, 3}), takes(same), "1 1 1 1", "C"},
		{"called once, one crashes", once, blocks([]int{0, 1, 2, 3}), failing("b", 0), "1 1 1 1", "C"},
		{"three launches", launches(3), each, takes(far), "3 3 3 3", "A"},
		{"one launch", launches(1), each, takes(far), "1 1 1 1", "A"},
		{"until they agree", precise, each, takes(same), "7 7 7 7", "A"},
		{"they do not agree", precise, each, takes(far), "60 60 60 60", "A"},
		{"no time", func(n string, p *plan.Entry) {
			precise(n, p)
			p.Invocation.Measure.MaxTimeNS = int64(8 * time.Minute)
		}, each, slow, "8 8 8 8", "A"},
		{"one crashes", launches(3), each, failing("c", 1), "3 3 2 3", "A"},
		{"pairs", launches(0), pairs(4), takes(same), "4 4 4 4", "AT"},
		{"pairs, a number of launches", launches(3), pairs(9), takes(same), "3 3 3 3", "AT"},
		{"pairs, no time", brief, pairs(9), slow, "2 2 2 2", "AT"},
		{"pairs, a side crashes", launches(0), pairs(4), failing("a", 0), "1 1 4 4", "AT"},
		{"race", race, blocks([]int{0, 1, 2, 3}), takes(apart), "2 10 2 1", "A"},
		{"race, the best crashes", race, blocks([]int{0, 1, 2, 3}), bestCrashes, "10 2 2 1", "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := follow(t, c.of(siteOf(planOf("abcd", c.edit))), c.answer)
			var counts []string
			for _, name := range []string{"a", "b", "c", "d"} {
				counts = append(counts, fmt.Sprint(f.count(name)))
				if got := f.numbers(name); !slices.Equal(got, upTo(len(got))) {
					t.Errorf("%s has the launches %v", name, got)
				}
			}
			if got := strings.Join(counts, " "); got != c.want {
				t.Errorf("launches %s, want %s: %v", got, c.want, f.launches)
			}
			kinds := map[string]bool{}
			for _, l := range f.orders {
				kinds["ACT"[l.Kind:l.Kind+1]] = true
			}
			if got := strings.Join(slices.Sorted(maps.Keys(kinds)), ""); got != c.kinds {
				t.Errorf("kinds of launches %s, want %s", got, c.kinds)
			}
		})
	}
}

// A round has a launch of each that is left, in an order of its own. What is likely to follow is the next one of it.
func TestRounds(t *testing.T) {
	edit := func(name string, p *plan.Entry) {
		if p.Invocation.Measure.Launches = 6; name == "c" {
			p.Invocation.Measure.Launches = 2
		}
	}
	s := siteOf(planOf("abcdefgh", edit))
	f := follow(t, s.Blocks([][]int{{0, 1, 2}, {3}, {4, 5, 6, 7}}), takes(same))
	orders, at := map[string]bool{}, 0
	for round := range 6 {
		width := 8
		if round >= 2 {
			width = 7
		}
		some := f.orders[at : at+width]
		at += width
		var names []string
		for k, l := range some {
			names = append(names, l.Series[0].Name)
			if l.Number != round || k+1 < width && l.Following != some[k+1].Series[0] {
				t.Errorf("round %d: launch %d of %s, %s follows", round, l.Number, l.Series[0].Name, l.Following.Name)
			}
			if l.Supervised != (round == 0) || l.FollowingSupervised != (round == 0 && k+1 < width) || l.Shared || l.Fresh {
				t.Errorf("round %d, launch %d: %+v", round, k, l)
			}
		}
		orders[fmt.Sprint(names)] = true
		if slices.Sort(names); len(slices.Compact(names)) != width {
			t.Errorf("round %d: %v", round, names)
		}
	}
	if len(orders) < 5 {
		t.Errorf("6 rounds have %d orders", len(orders))
	}
}

// With one launch each, executors may be shared, and first launches follow first launches.
func TestOneLaunch(t *testing.T) {
	s := siteOf(planOf("abc", func(_ string, p *plan.Entry) { p.Invocation.Measure.Launches = 1 }))
	for _, l := range follow(t, s.Blocks([][]int{{0}, {1}, {2}}), takes(same)).orders {
		if !l.Shared || !l.Supervised || !l.FollowingSupervised {
			t.Errorf("%+v", l)
		}
	}
	s = siteOf(planOf("a", func(_ string, p *plan.Entry) { p.Invocation.Measure.Iterations = 3 }))
	for _, l := range follow(t, s.Blocks([][]int{{0}}), takes(same)).orders {
		if l.Supervised || l.FollowingSupervised {
			t.Errorf("a fixed number of calls is supervised: %+v", l)
		}
	}
}

// Races come before the others of their blocks, each for itself; the others are measured together. A race of no more
// than are looked for is none.
func TestRacesComeFirst(t *testing.T) {
	edit := func(name string, p *plan.Entry) {
		m := &p.Invocation.Measure
		if m.Launches = 10; strings.Contains("abcdefg", name) {
			p.MostLaunches = 12
		}
		if m.Mode = invocations.Warm; strings.Contains("defg", name) {
			m.Mode = invocations.Cold
		}
		if strings.Contains("hij", name) {
			m.Launches = 2
		}
	}
	for _, c := range []struct {
		top  int
		want string
	}{{0, "abc defg hij"}, {3, "defg abchij"}, {4, "abcdefghij"}} {
		s := siteOf(planOf("abcdefghij", edit))
		s.Top = c.top
		f := follow(t, s.Blocks([][]int{{0, 1, 2, 7, 3, 4, 5, 6}, {8}, {9}}), takes(same))
		var groups []string // of those that were launched for the first time together
		for i, l := range f.orders {
			if l.Number > 0 {
				continue
			}
			if i == 0 || f.orders[i-1].Number > 0 {
				groups = append(groups, "")
			}
			groups[len(groups)-1] += l.Series[0].Name
		}
		for i := range groups {
			letters := strings.Split(groups[i], "")
			slices.Sort(letters)
			groups[i] = strings.Join(letters, "")
		}
		if got := strings.Join(groups, " "); got != c.want {
			t.Errorf("top %d: %s, want %s", c.top, got, c.want)
		}
	}
}

// What is called once is called in a random order, and supervised.
func TestOnce(t *testing.T) {
	p := planOf("abcdefgh", func(_ string, p *plan.Entry) { p.Invocation.Measure.CheckOnly = true })
	s, orders := siteOf(p), map[string]bool{}
	for range 5 {
		f := follow(t, s.Blocks([][]int{{0, 1, 2, 3, 4, 5, 6, 7}}), takes(same))
		orders[strings.Join(f.launches, " ")] = true
		for _, l := range f.orders {
			if !l.Supervised || l.Fresh || l.Following != nil {
				t.Errorf("%+v", l)
			}
		}
	}
	if len(orders) != 5 {
		t.Errorf("5 blocks have %d orders", len(orders))
	}
}

package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/plan"
	"zonemark/invocations"
)

// raceOf is a race of variants that are named by letters.
func raceOf(names string, most int) (*Site, Strategy) {
	s := siteOf(planOf(names, func(_ string, p *plan.Entry) { p.MostLaunches, p.Invocation.Measure.Launches = most, 10 }))
	var block []int
	for i := range names {
		block = append(block, i)
	}
	return s, s.Blocks([][]int{block})
}

// stairs are times of which each is longer by 30 ns than the one before, with a little scatter.
func stairs(name string, launch int) float64 {
	n := int(name[0] - 'a')
	return (1000 + 30*float64(n)) * (1 + 0.001*float64((7*n+3*launch)%5))
}

// The best has as many launches as without a race, others are dropped, and say by whom. Rounds of short launches share
// an executor, the last few have their own.
func TestRaceDrops(t *testing.T) {
	const names = "abcdefghijklmnopqrst"
	_, s := raceOf(names, 30)
	f := follow(t, s, takes(stairs))
	if f.count("a") != 10 || f.finished["a"] != nil || f.count("t") > 2 || len(f.orders) > 4*len(names) {
		t.Errorf("%d launches of the best, %d of the last, %d in all", f.count("a"), f.count("t"), len(f.orders))
	}
	for _, letter := range names[1:] {
		name := string(letter)
		if d := f.finished[name]; d == nil || d.Best != "a" || d.Launches != f.count(name) ||
			!(1 < d.Low && d.Low <= d.Ratio && d.Ratio <= d.High) {
			t.Errorf("%s: %+v", name, d)
		}
	}
	for i, l := range f.orders {
		short := l.Number < 10-fullLaunches
		look := usualLook
		switch {
		case l.Number < mostLooks:
			look = briefLook
		case l.Number == mostLooks:
			look = thoroughLook
		case l.Number == 10-fullLaunches:
			look = fullLook
		}
		begins := i == 0 || f.orders[i-1].Number != l.Number
		if l.Shared != short || l.Short != short || l.Fresh != begins || l.Look != look ||
			l.Supervised != (l.Number == 0) || l.FollowingSupervised && l.Number > 0 {
			t.Errorf("launch %s: %+v", f.launches[i], l)
		}
	}
}

// A race that nothing decides ends with all of them: after the most launches, or when the time is over; one of variants
// that are alike after the least.
func TestRaceEnds(t *testing.T) {
	unsure := func(name string, launch int) float64 { return 1000 + 40*float64((int(name[0])+launch)%2) }
	for _, c := range []struct {
		name   string
		answer answers
		want   int
	}{
		{"alike", takes(same), 10}, {"undecided", takes(unsure), 30},
		{"no time", func(s *Series, l *Launch) (invocations.Result, time.Duration) {
			r, _ := takes(unsure)(s, l)
			return r, 5 * time.Minute
		}, 12},
	} {
		_, s := raceOf("abcd", 30)
		f := follow(t, s, c.answer)
		for _, name := range strings.Split("abcd", "") {
			if f.count(name) != c.want || f.finished[name] != nil {
				t.Errorf("%s: %s has %d launches, want %d", c.name, name, f.count(name), c.want)
			}
		}
	}
}

// Launches of a race are short, but the last few of those that everybody has who is left.
func TestRaceShortAgain(t *testing.T) {
	unsure := func(name string, launch int) float64 { return 1000 + 40*float64((int(name[0])+launch)%2) }
	_, s := raceOf("abcd", 14)
	for i, l := range follow(t, s, takes(unsure)).orders {
		if l.Short != (l.Number < 10-fullLaunches || l.Number >= 10) {
			t.Errorf("launch %d: %+v", i, l)
		}
	}
}

// While many are left, short launches go on until all is decided. Those of full length come then, or when no others are
// left to make.
func TestRaceOfCrowd(t *testing.T) {
	unsure := func(name string, launch int) float64 { return 1000 + 40*float64((int(name[0])+launch)%2) }
	settles := func(name string, launch int) float64 {
		if launch < 3 {
			return unsure(name, launch)
		}
		return 1020
	}
	many := func() Strategy { // of eight variants, of which seven are looked for
		s, _ := raceOf("abcdefgh", 30)
		s.Top = crowd + 1
		return s.Blocks([][]int{{0, 1, 2, 3, 4, 5, 6, 7}})
	}
	for _, c := range []struct {
		name string
		ns   func(name string, launch int) float64
		full []int // launches of full length
	}{
		{"alike", same, []int{10, 11, 12}}, {"undecided", unsure, []int{27, 28, 29}},
	} {
		f := follow(t, many(), takes(c.ns))
		for i, l := range f.orders {
			asks := messageOf(l.Series[0], &l).LookForLeft
			if l.Short == slices.Contains(c.full, l.Number) || asks != (l.Number == c.full[0]) {
				t.Errorf("%s: launch %s: %+v", c.name, f.launches[i], l)
			}
		}
		if got := f.count("a"); got != c.full[2]+1 {
			t.Errorf("%s: %d launches of each", c.name, got)
		}
	}
	full, last := 0, 0
	for _, l := range follow(t, many(), takes(settles)).orders {
		if last = max(last, l.Number); !l.Short && l.Series[0].Name == "a" {
			full++
		}
	}
	if full != fullLaunches || last <= 12 || last >= 26 {
		t.Errorf("decided in between: %d launches, of which %d have full length", last+1, full)
	}
}

// Of more variants than a crowd that are alike, all but a crowd leave after the first thorough look, without a verdict.
func TestRaceThins(t *testing.T) {
	const names = "abcdefghijklmnopqrst"
	_, s := raceOf(names, 30)
	f := follow(t, s, takes(same))
	count := map[int]int{}
	for _, letter := range names {
		count[f.count(string(letter))]++
	}
	const left = len(names) - crowd
	if len(f.finished) != len(names) || len(f.alsoRan) != left || count[mostLooks+1] != left || count[10] != crowd {
		t.Errorf("%v have so many launches, %d were left out", count, len(f.alsoRan))
	}
	for name, d := range f.finished {
		if d != nil {
			t.Errorf("%s was dropped: %+v", name, d)
		}
	}
	for _, d := range f.alsoRan {
		if d.Launches != mostLooks+1 || d.Best == "" || !(d.Low <= 1 && d.High >= 1) {
			t.Errorf("left out: %+v", d)
		}
	}
}

// If the thorough look finds that calls need restored arguments, brief looks do not count. The others are compared with
// those of the same rounds: what all have in common in a round is taken out.
func TestRaceForgets(t *testing.T) {
	_, s := raceOf("abcd", 30)
	drift := []float64{1, 1.3, 0.9, 1.2, 1.1, 0.8, 1.25}
	f := follow(t, s, func(s *Series, l *Launch) (invocations.Result, time.Duration) {
		restored := s.Name == "a" && l.Number >= mostLooks
		r, took := takes(func(_ string, launch int) float64 {
			ns := 1000 * drift[launch%len(drift)]
			if restored {
				ns *= 0.9
			}
			return ns
		})(s, l)
		r.Restored = restored
		return r, took
	})
	a := f.series["a"]
	if len(a.Results) != 10-mostLooks || a.forgotten != mostLooks || f.finished["a"] != nil || !a.fresh().Restored {
		t.Errorf("%d launches count, %d do not", len(a.Results), a.forgotten)
	}
	if d := f.finished["b"]; d == nil || d.Best != "a" {
		t.Errorf("b: %+v", d)
	}
}

// While launches jump and most variants are left, looks stay brief: a thorough one of all would take long.
func TestRaceLooksFurther(t *testing.T) {
	jumping := func(name string, launch int) float64 {
		n := int(name[0] - 'a')
		return 1000 * (1 + 0.3*float64((n+launch)%2))
	}
	apart := func(name string, launch int) float64 { // a few may be the best, by launches that jump
		if name > "d" {
			return 10 * jumping(name, launch)
		}
		return jumping(name, launch)
	}
	for _, c := range []struct {
		name     string
		ns       func(string, int) float64
		thorough int // number of the launch
	}{{"nobody is dropped", jumping, mostLooks + furtherLooks}, {"most are", apart, mostLooks}, {"alike", same, mostLooks}} {
		_, s := raceOf("abcdefghijklmnopqrst", 30)
		for _, l := range follow(t, s, takes(c.ns)).orders {
			if (l.Look == thoroughLook) != (l.Number == c.thorough) || (l.Look == briefLook) != (l.Number < c.thorough) {
				t.Errorf("%s: look %d of launch %d", c.name, l.Look, l.Number)
				break
			}
		}
	}
}

// Launches that lost the CPU drop nobody, however long they took.
func TestRaceLostCPU(t *testing.T) {
	_, s := raceOf("abcdefghij", 30)
	f := follow(t, s, func(s *Series, l *Launch) (invocations.Result, time.Duration) {
		r, took := takes(stairs)(s, l)
		r.Verdicts = []invocations.Verdict{invocations.Contended}
		if s.Name == "a" && l.Number < enoughLooks-1 {
			for i := range r.SamplesNS {
				r.SamplesNS[i] *= 5
			}
			r.Summary.MedianNS *= 5
		}
		return r, took
	})
	if f.finished["a"] != nil {
		t.Errorf("the best: %+v", f.finished["a"])
	}
}

// On a busy machine, most launches take a third longer. The best has fewer quiet ones than a result needs, so all of
// its launches count; others keep only their quiet ones. It is compared with them by all launches: the intervals that
// drop some hold their true ratios.
func TestRaceAmongDisturbed(t *testing.T) {
	_, s := raceOf("abcdefghijklmnopqrst", 30)
	f := follow(t, s, func(s *Series, l *Launch) (invocations.Result, time.Duration) {
		n := int(s.Name[0] - 'a')
		if l.Number%3 == n%3 && (n > 0 || l.Number == 6) {
			return takes(stairs)(s, l)
		}
		r, took := takes(func(name string, launch int) float64 { return 1.3 * stairs(name, launch) })(s, l)
		r.Verdicts = []invocations.Verdict{invocations.Contended}
		return r, took
	})
	left := 0
	for name, dropped := range f.finished {
		d := cmp.Or(dropped, f.alsoRan[name])
		if d == nil {
			continue
		}
		left++
		if is := stairs(name, 0) / stairs(d.Best, 0); d.Low > 1.005*is || d.High < 0.995*is {
			t.Errorf("%s takes %.3f times as long as %s, and was dropped by %.3f to %.3f", name, is, d.Best, d.Low, d.High)
		}
	}
	if f.finished["a"] != nil || f.count("a") < 10 || f.count("t") >= 10 || left == 0 {
		t.Errorf("%d launches of the best (%+v), %d of the slowest; %d have left", f.count("a"), f.finished["a"], f.count("t"),
			left)
	}
}

// On a machine whose neighbours take turns, two of three launches are disturbed, each by another factor. The quiet ones
// of each variant find the best soon, though no round was quiet for all, and one variant never had a quiet one.
func TestRaceOfQuietLaunches(t *testing.T) {
	const names = "abcdefghijklmnopqrst"
	_, s := raceOf(names, 30)
	f := follow(t, s, func(s *Series, l *Launch) (invocations.Result, time.Duration) {
		n, longer := int(s.Name[0]-'a'), 1.0
		if l.Number%3 != n%3 || s.Name == "b" {
			longer = 1.1 + 0.1*float64((5*n+7*l.Number)%6)
		}
		r, took := takes(func(name string, launch int) float64 { return longer * stairs(name, launch) })(s, l)
		if longer > 1 {
			r.Verdicts = []invocations.Verdict{invocations.Contended}
		}
		r.CyclesCounted = true
		for _, ns := range r.SamplesNS {
			r.CyclesSamples = append(r.CyclesSamples, 3*ns)
		}
		return r, took
	})
	if f.finished["a"] != nil {
		t.Errorf("%d launches of the best: %+v", f.count("a"), f.finished["a"])
	}
	for _, letter := range names[2:] {
		name := string(letter)
		if d := cmp.Or(f.finished[name], f.alsoRan[name]); d == nil {
			t.Errorf("%s is left, after %d launches", name, f.count(name))
		} else if is := stairs(name, 0) / stairs(d.Best, 0); d.Low > 1.005*is || d.High < 0.995*is {
			t.Errorf("%s takes %.3f times as long as %s: dropped by %.3f to %.3f", name, is, d.Best, d.Low, d.High)
		}
	}
}

// As many are left as are looked for.
func TestRaceForSeveral(t *testing.T) {
	s, _ := raceOf("abcdefghijklmnop", 30)
	s.Top = 3
	f := follow(t, s.Blocks([][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}), takes(stairs))
	var left []string
	for name, dropped := range f.finished {
		if dropped == nil {
			left = append(left, fmt.Sprint(name, f.count(name)))
		}
	}
	if slices.Sort(left); fmt.Sprint(left) != "[a10 b10 c10]" {
		t.Errorf("%v are left", left)
	}
}

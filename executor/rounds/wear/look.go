package wear

import (
	"math"
	"slices"
	"time"

	"zonemark/invocations/stats"
)

const (
	sideBatches = 5          // of each side of a pair; the median counts
	sideNS      = 100_000    // of batches of a side, after which no further one is made
	longNS      = 20_000_000 // of a batch, whose caches are its own
	shortNS     = sideNS     // the same in a short launch: the contents of both sides were copied alike
	// longLearning is the length of a call, in nanoseconds, whose branches are learned slowly.
	longLearning = 50_000
)

// Look makes pairs of batches.
type Look struct {
	Contents interface{ UseWorn(worn bool) } // what the arguments of the next batches hold
	Run      func() (ns float64, err error)  // makes a batch, and returns its time
	Now      func() time.Time
	Most     int  // pairs
	Short    bool // the launch is a short one
	// Learns is the number of calls in a batch if branches must be learned anew after a change of contents; else 0.
	// LearnedNS is the time of a call that has learned them.
	Learns    int64
	LearnedNS float64
}

// Matters makes pairs, and reports whether they show that what calls leave matters, and by which factor; see Matters. Pairs
// that do so by chance are rare, but there are many functions: others must show it again, in the same direction. A single
// pair is of calls of seconds, and matters only if it shows much.
func (l *Look) Matters() (factor float64, matters bool, err error) {
	if slower, err := l.mayLearn(); err != nil || !slower {
		return 1, false, err
	}
	first, err := l.Pairs()
	if factor, matters = l.matters(first); err != nil || !matters || len(first) == 1 {
		return factor, matters && err == nil, err
	}
	second, err := l.Pairs()
	if err != nil {
		return factor, false, err
	}
	again, matters := l.matters(second)
	return factor, matters && (again > 1) == (factor > 1), nil
}

// UsualNS returns what calls took in a launch of so many batches: the least of them if most were not quiet. Beside a
// neighbour, a call takes up to twice as long, which calls that learn nothing would seem to take as well.
func UsualNS(of stats.Summary, quiet, batches int64) float64 {
	if 2*quiet < batches {
		return of.MinNS
	}
	return of.MedianNS
}

// matters reports whether pairs show that contents matter. If branches are learned meanwhile, few pairs scatter by that, so
// it is enough that each of them shows a difference; of many, one more may show none. Who is taken to learn without need
// finds the same contents in another order, which does no harm.
func (l *Look) matters(pairs []Pair) (factor float64, matters bool) {
	factor, matters = Matters(pairs)
	if l.Learns == 0 || matters || len(pairs) < Brief {
		return factor, matters
	}
	least, allowed := leastFactor, len(pairs)/agreeing
	if len(pairs) < few {
		least, allowed = leastOfFew, 0
	}
	contrary := 0
	for _, p := range pairs {
		change := p.FreshNS / p.WornNS
		if small := math.Abs(math.Log(change)) < math.Log1p(least); (change > 1) != (factor > 1) || allowed == 0 && small {
			contrary++
		}
	}
	return factor, contrary <= allowed && math.Abs(math.Log(factor)) > math.Log1p(least)
}

// Pairs makes pairs, in alternating order, until no further ones are needed.
func (l *Look) Pairs() ([]Pair, error) {
	var pairs []Pair
	begun, long := l.Now(), float64(longNS)
	if l.Short && l.Learns == 0 {
		long = shortNS
	}
	for !Enough(pairs, l.Most, l.Now().Sub(begun)) {
		var p Pair
		order := []bool{true, false}
		if len(pairs)%2 == 1 {
			slices.Reverse(order)
		}
		for _, worn := range order {
			l.Contents.UseWorn(worn)
			ns, err := l.side(long)
			if err != nil {
				return nil, err
			}
			if worn {
				p.WornNS = ns
			} else {
				p.FreshNS = ns
			}
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// side returns the median time of some batches. Before them, one or more that do not count bring back what the change of
// contents has taken from the caches, unless batches are so long, in nanoseconds, that this does not matter.
func (l *Look) side(long float64) (float64, error) {
	var all []float64
	ns, err := l.Run()
	for range l.learning(ns) {
		if err == nil && ns <= long {
			ns, err = l.Run()
		}
	}
	if err != nil || ns > long {
		return ns, err
	}
	least := 1
	if l.Learns > 0 { // two pairs decide, and one disturbed batch would hide that they agree
		least = 3
	}
	for spent := 0.0; len(all) < least || len(all) < sideBatches && spent < sideNS; {
		ns, err := l.Run()
		if err != nil {
			return 0, err
		}
		all = append(all, ns)
		spent += ns
	}
	return stats.Median(all), nil
}

// mayLearn reports whether a look at branches is worth it: if calls on other contents take as long as those that have
// learned, there is nothing to learn, which takes a few calls to see.
func (l *Look) mayLearn() (slower bool, err error) {
	if l.Learns == 0 {
		return true, nil
	}
	least := l.LearnedNS * float64(l.Learns) * (1 + leastFactor)
	if l.Most == Brief {
		least *= 1 + leastBrief
	}
	l.Contents.UseWorn(false)
	for range 3 {
		if ns, err := l.Run(); err != nil || ns < least {
			return false, err
		}
	}
	return true, nil
}

// learning returns how many further batches of such a length do not count, since branches are learned in them. An AMD Zen 4
// knows half of those of a quicksort of 3,000 numbers in the third call, and of those of 20,000 decisions in the second
// one. Of 60,000, it learns a third in twenty calls.
func (l *Look) learning(ns float64) int64 {
	if l.Learns == 0 {
		return 0
	}
	calls := int64(12)
	switch {
	case l.Most > Brief:
	case ns > longLearning*float64(l.Learns):
		calls = 8
	default:
		calls = 3
	}
	return calls / l.Learns
}

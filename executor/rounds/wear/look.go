package wear

import (
	"slices"
	"time"

	"zonemark/invocations/stats"
)

const (
	sideBatches = 5          // of each side of a pair; the median counts
	sideNS      = 100_000    // of batches of a side, after which no further one is made
	longNS      = 20_000_000 // of a batch, whose caches are its own
	shortNS     = sideNS     // the same in a short launch: the contents of both sides were copied alike
)

// Look makes pairs of batches.
type Look struct {
	Contents interface{ UseWorn(worn bool) } // what the arguments of the next batches hold
	Run      func() (ns float64, err error)  // makes a batch, and returns its time
	Now      func() time.Time
	Most     int  // pairs
	Short    bool // the launch is a short one
	Settling int  // further batches that do not count after a change of contents, unless they are long
}

// Matters makes pairs, and reports whether they show that what calls leave matters, and by which factor; see Matters. Pairs
// that do so by chance are rare, but there are many functions: others must show it again, in the same direction. A single
// pair is of calls of seconds, and matters only if it shows much.
func (l *Look) Matters() (factor float64, matters bool, err error) {
	first, err := l.Pairs()
	if factor, matters = Matters(first); err != nil || !matters || len(first) == 1 {
		return factor, matters && err == nil, err
	}
	second, err := l.Pairs()
	if err != nil {
		return factor, false, err
	}
	again, matters := Matters(second)
	return factor, matters && (again > 1) == (factor > 1), nil
}

// Pairs makes pairs, in alternating order, until no further ones are needed.
func (l *Look) Pairs() ([]Pair, error) {
	var pairs []Pair
	begun, long := l.Now(), float64(longNS)
	if l.Short {
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
	for range 1 + l.Settling {
		if ns, err := l.Run(); err != nil || ns > long {
			return ns, err
		}
	}
	for spent := 0.0; len(all) == 0 || len(all) < sideBatches && spent < sideNS; {
		ns, err := l.Run()
		if err != nil {
			return 0, err
		}
		all = append(all, ns)
		spent += ns
	}
	return stats.Median(all), nil
}

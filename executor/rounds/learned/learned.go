// Package learned finds out whether calls take longer if each of them finds random contents in another order. Timed
// calls find the same contents again and again: the processor learns the branches that these take, as it does not in a
// program that computes something new.
package learned

import (
	"fmt"
	"math"
	"time"

	"zonemark/executor/rounds/wear"
)

const (
	// LongestNS is the length of a call, in nanoseconds, from which on it has more branches than processors learn.
	LongestNS = 1e6
	// nearBytes and mostBytes are what sets take that lie near the core, and what may be drawn again and again.
	nearBytes, mostBytes = 32 << 10, 1 << 20
	mostSets             = 64 // of short calls, as many hide what is at the ends of a batch
	matters              = 1.2
)

// Sets returns of how many sets of arguments, each of so many bytes, a batch consists. It returns 0 if they are too large
// to be drawn again and again.
func Sets(bytes int64) int {
	switch {
	case bytes <= 0 || bytes > mostBytes:
		return 0
	case bytes > nearBytes:
		return 1
	}
	return int(min(mostSets, nearBytes/bytes))
}

// Contents are those of sets of arguments.
type Contents interface {
	// Draw gives each set the same contents, or with other those in an order of its own that none had before.
	Draw(other bool) error
}

// Look makes pairs of batches, on the same contents and on those in other orders, by turns. run makes one and returns its
// time. A batch finds the sets as near to the core on both sides, since both are written before it.
func Look(c Contents, run func() (ns float64, err error), now func() time.Time) (pairs []wear.Pair, err error) {
	for begun := now(); !wear.Enough(pairs, wear.Most, now().Sub(begun)); {
		var p wear.Pair
		for i := range 2 {
			other := i != len(pairs)%2
			if err := c.Draw(other); err != nil {
				return nil, err
			}
			ns, err := run()
			if err != nil {
				return nil, err
			}
			if other {
				p.FreshNS = ns
			} else {
				p.WornNS = ns
			}
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// Note says how many times as long calls take in other orders; "" if pairs do not show that it matters.
func Note(pairs []wear.Pair) string {
	factor, differs := wear.Matters(pairs)
	if !differs || math.Abs(math.Log(factor)) < math.Log(matters) {
		return ""
	}
	if factor < 1 {
		return fmt.Sprintf("calls take %.2g times as long if each finds its random contents in another order: the time "+
			"depends on that", factor)
	}
	return fmt.Sprintf("calls take at least %.2g times as long if each finds its random contents in another order: the time "+
		"is that of contents which repeat, and whose branches the processor has learned", factor)
}

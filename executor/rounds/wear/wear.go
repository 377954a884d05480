// Package wear decides whether what calls leave of their arguments changes the time of further calls, and whether contents
// that repeat do, by pairs of batches on both contents. It does not know how these are made.
package wear

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"zonemark/invocations/stats"
)

const (
	Most  = 15 // pairs, after which no further one is needed
	Brief = 2  // pairs of a launch that only decides a race; one if it shows nothing
)

const (
	// LongestLearnedNS is the length of a call, in nanoseconds, from which on it has more branches than processors learn, and
	// MostLearnedBytes is what a set of arguments takes that may be put into other orders again and again.
	LongestLearnedNS = 1e6
	MostLearnedBytes = 1 << 20
)

const (
	few         = 5                      // pairs, as many as show a small difference, at least
	fewTime     = 200 * time.Millisecond // after which few pairs are enough
	longTime    = time.Second            // after which two are
	longest     = 5 * time.Second        // after which one is
	leastFactor = 0.01                   // relative difference that matters
	leastOfFew  = 0.05                   // the same if there are few pairs
	clearOfFew  = 3                      // times the range of few pairs, which a difference exceeds
	leastOfOne  = 0.5                    // the same of a single pair, which anything may have disturbed
	agreeing    = 5                      // of so many pairs, all but one agree
	leastBrief  = 0.02                   // relative difference of a pair that another one follows in a brief look
)

// Pair is the time of batches of equal length next to each other: on what calls have left of the arguments, and on what
// the arguments held at first. Before each batch, its contents were copied to the same places, so that the copies have
// the same effect on caches. In a look at branches, worn contents repeat, and fresh ones have another order.
type Pair struct{ WornNS, FreshNS float64 }

// Matters reports whether pairs show that what calls leave of their arguments changes the time of calls: fresh takes
// factor times as long as worn. The pairs differ by more than they scatter: nearly all of them agree on which of the two
// is slower, and their median difference matters. If disturbances hit both sides alike, fifteen pairs of equal sides agree so
// far in less than one of a hundred launches.
func Matters(pairs []Pair) (factor float64, matters bool) {
	if len(pairs) == 0 {
		return 1, false
	}
	factors := make([]float64, len(pairs))
	slower := 0
	for i, p := range pairs {
		factors[i] = p.FreshNS / p.WornNS
		if p.FreshNS > p.WornNS {
			slower++
		}
	}
	factor = stats.Median(factors)
	least, allowed := leastFactor, len(pairs)/agreeing-1
	switch {
	case len(pairs) == 1:
		least, allowed = leastOfOne, 0
	case len(pairs) < few:
		scatter := math.Log(slices.Max(factors) / slices.Min(factors))
		least, allowed = max(leastOfFew, math.Expm1(clearOfFew*scatter)), 0
	}
	contrary := min(slower, len(pairs)-slower)
	return factor, contrary <= allowed && math.Abs(math.Log(factor)) > math.Log1p(least)
}

// Enough reports whether no further pairs are needed when this much time is spent on some: there are as many as there may
// be, or whatever follows, Matters will find no agreement.
func Enough(pairs []Pair, most int, spent time.Duration) bool {
	slower, faster := 0, 0
	for _, p := range pairs {
		if p.FreshNS > p.WornNS {
			slower++
		} else {
			faster++
		}
	}
	switch {
	case len(pairs) >= most, min(slower, faster) > Most/agreeing-1:
		return true
	case most == Brief && len(pairs) == 1:
		return spent > longest || math.Abs(math.Log(pairs[0].FreshNS/pairs[0].WornNS)) < leastBrief
	case len(pairs) >= few:
		return spent > fewTime
	case len(pairs) >= 2:
		return spent > longTime
	}
	return len(pairs) == 1 && spent > longest
}

// Note says by how much calls on fresh contents take longer than on what earlier calls have left.
func Note(factor float64) string {
	how := "%s times as fast"
	if factor < 1 {
		how, factor = "%s times as slow", 1/factor
	}
	digits := 0
	if factor < 100 {
		digits = 3 - len(strconv.Itoa(int(factor)))
	}
	how = fmt.Sprintf(how, strconv.FormatFloat(factor, 'f', digits, 64))
	return "calls change their arguments, and would be " + how + " on what earlier calls have left: the original contents " +
		"are restored before each call, which is not timed"
}

// NoteOrder says by how much calls take longer if each finds its random contents in another order.
func NoteOrder(factor float64) string {
	return fmt.Sprintf("random contents are put into another order before each call, which is not timed: calls take %.3g "+
		"times as long as on contents that repeat, whose branches the processor learns", factor)
}

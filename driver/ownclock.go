package driver

import (
	"fmt"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// ownClockOf returns what a function does to the clock of its core itself, by launches of which some have looked. A ratio
// that does not count is 1. It reports whether the ratio is known.
func ownClockOf(results []invocations.Result) (own stats.OwnClock, known bool) {
	var ratios []float64
	for i := range results {
		ratios = append(ratios, results[i].Canary.OwnClock)
	}
	if own, known = stats.OwnClockOf(ratios); known && !own.Counts {
		own.Ratio = 1
	}
	return own, known
}

// ownClockNote says what a function does to its clock; "" if nothing is sure.
func ownClockNote(own stats.OwnClock) string {
	if !own.Sure {
		return ""
	}
	verb := "lowers"
	if own.Ratio > 1 {
		verb = "raises"
	}
	return fmt.Sprintf("it %s the clock of its core: %.3g of that of scalar code, which is part of its time", verb,
		own.Ratio)
}

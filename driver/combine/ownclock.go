package combine

import (
	"fmt"
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// ownClockOf returns what a function does to the clock of its core itself, by launches of which some have looked. It
// reports whether that is known. It is not if the calling thread mostly waits: the clock of a core that slept tells
// nothing.
func ownClockOf(results []invocations.Result) (own stats.OwnClock, known bool) {
	if worksShare(results) < worksFully {
		return stats.OwnClock{}, false
	}
	var ratios []float64
	for i := range results {
		ratios = append(ratios, results[i].Canary.OwnClock)
	}
	return stats.OwnClockOf(ratios)
}

const (
	beyondCaches = 1 << 20 // bytes; larger arguments do not fit into caches at the core's clock
	worksFully   = 0.9     // share of its time in which a thread that does not wait works, as the system counts it
	mostStops    = 0.01    // share of stops that is taken out of times which still count as undisturbed
	stopsVague   = 0.5     // by how much of themselves stops may be more or less than looks have seen
	oddCycles    = 0.1     // fraction by which counted cycles differ from what the clock makes: the system works, too
)

// clockedOf returns the launches whose clock is known, for times at the machine's usual clock of ghz. Those with
// counted cycles are chosen if counted is true; see launchCycles. All reference times come from here.
func clockedOf(results []invocations.Result, counted bool, own stats.OwnClock, ghz float64) stats.Clocked {
	c := stats.Clocked{
		Usual: ghz, Memory: results[0].SetBytes > beyondCaches, Works: worksShare(results), ReadsClock: results[0].ReadsClock,
	}
	var stops []float64
	longer := c.Works // the share of a stop by which calls take longer
	if c.ReadsClock {
		longer /= 2 // all or nothing, see stopsVague
	}
	for i := range results {
		one := &results[i]
		if one.Cycles.N == 0 || one.CyclesCounted != counted {
			continue
		}
		clock := launchClock(one)
		if !(clock > 0) {
			continue
		}
		c.NS, c.GHz = append(c.NS, one.Summary.MedianNS), append(c.GHz, clock)
		stops = append(stops, longer*one.Canary.Stops)
		if !counted {
			c.Courses = append(c.Courses, one.Cycles.Course)
		}
		if own.Counts() {
			c.Own = append(c.Own, one.Canary.OwnClock) // 0: it did not look
		}
	}
	if !counted { // a guest's counters stop with it
		c.NS = withoutStops(c.NS, stops)
	}
	return c
}

// sawStops is the share of launches that have seen the stops that are taken out of all of them.
const sawStops = 0.75

// withoutStops returns times of launches without what stops of the machine add to them, as fractions: what each launch has
// seen, or, if launches then scatter more, what three of four have seen at least. A look of some milliseconds sees one stop
// more or less by chance, and stops during looks that no batch had while others worked.
func withoutStops(ns, stops []float64) []float64 {
	usual := stats.Quantile(slices.Sorted(slices.Values(stops)), 1-sawStops)
	each, alike := make([]float64, len(ns)), make([]float64, len(ns))
	for i := range ns {
		each[i], alike[i] = ns[i]/(1+stops[i]), ns[i]/(1+usual)
	}
	if stats.Scatter(each) > stats.Scatter(alike) {
		return alike
	}
	return each
}

// stopsOf returns by how much stops of the machine lengthen the batches of launches whose reference times are without
// that, as a fraction: their mean, since a host may stop it in some of the launches only.
func stopsOf(results []invocations.Result, counted bool) float64 {
	if counted {
		return 0
	}
	sum := 0.0
	for i := range results {
		sum += results[i].Canary.Stops
	}
	return worksShare(results) * sum / float64(len(results))
}

// launchClock returns the clock of the core during the batches of a launch: the cycles of the calls over their time. If
// the calls take no time, or if the system worked for them, whose cycles do not count, it is that of the canary.
func launchClock(r *invocations.Result) float64 {
	seen := r.Canary.GHz
	if byProbes := r.Canary.ScalarGHz * r.Canary.OwnClock; byProbes > 0 {
		seen = byProbes
	}
	ghz := r.Cycles.Typical / r.Summary.MedianNS
	odd := r.CyclesCounted && r.Canary.ScalarGHz > 0 && math.Abs(ghz/seen-1) > oddCycles
	if odd || !(ghz > 0) || math.IsInf(ghz, 0) {
		return seen
	}
	return ghz
}

// worksShare returns the share of their time in which the calling thread works; 1 if that is not known.
func worksShare(results []invocations.Result) float64 {
	var shares []float64
	for i := range results {
		s := &results[i].Summary
		if gross := s.MedianNS + results[i].OverheadNS; gross > 0 && s.CPUMedianNS > 0 {
			shares = append(shares, s.CPUMedianNS/gross)
		}
	}
	if len(shares) == 0 {
		return 1
	}
	if share := stats.Median(shares); share < worksFully {
		return share
	}
	return 1
}

// sameOwnClock is the difference, as a logarithm, of own clocks that are alike.
const sameOwnClock = 0.01

// OwnClocksDiffer reports whether two invocations, by their launches, change the clock of their core themselves, and not
// alike.
func OwnClocksDiffer(one, other []invocations.Result) bool {
	was, wasKnown := ownClockOf(one)
	is, isKnown := ownClockOf(other)
	if !wasKnown || !isKnown {
		return wasKnown && was.Counts() || isKnown && is.Counts()
	}
	return math.Abs(math.Log(was.Taken()/is.Taken())) > sameOwnClock
}

// ownClockNote says what a function does to its clock; "" if nothing is sure.
func ownClockNote(own stats.OwnClock) string {
	if own.Belief != stats.Sure {
		return ""
	}
	verb := "lowers"
	if own.Ratio > 1 {
		verb = "raises"
	}
	return fmt.Sprintf("it %s the clock of its core to %.3g of the clock of scalar code, and its time includes that", verb,
		own.Ratio)
}

// lowestOwn is the least clock of its own that a function is thought to have. Processors that we know lower theirs to
// 0.7 at most, with AVX-512 on all cores.
const lowestOwn = 0.6

// leftOpen returns the lowest own clock that launches leave open.
func leftOpen(own stats.OwnClock) float64 { return max(own.Lowest, lowestOwn) }

// withOpenClock returns a time at the reference clock that covers an own clock which launches leave open. The figure
// takes it for 1.
func withOpenClock(i stats.Interval, own stats.OwnClock) stats.Interval {
	if own.Belief == stats.Open {
		i.High = max(i.High, i.Value/leftOpen(own))
	}
	return i
}

// openClockNote says that launches agree but for what the function does to its clock.
func openClockNote(own stats.OwnClock) string {
	return fmt.Sprintf("its launches agree in cycles, but not on the clock of its core: that is %.3g of the clock of scalar "+
		"code, and they leave open %.3g to 1. The figure is that of 1, the interval covers the others; more launches tell "+
		"(--launches 30)", own.Ratio, leftOpen(own))
}

package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// OwnClock is how a function changes the clock of its core itself: the clock during its calls as a multiple of that of
// scalar code.
type OwnClock struct {
	Ratio  float64 // median over launches
	Lowest float64 // the least ratio that launches, as they scatter, leave open
	Belief
}

// Belief is how far an own clock is believed.
type Belief int

const (
	TakenFor1 Belief = iota
	Open             // taken for 1, too, though launches say less: they scatter too much to tell
	Likely           // so much lower than 1, by launches that scatter so little or are so few, that it is likelier so
	Sure             // it differs from 1 by more than launches scatter
)

// Counts reports whether the ratio is not taken for 1.
func (b Belief) Counts() bool { return b >= Likely }

// Taken returns the ratio that figures are made with.
func (o OwnClock) Taken() float64 {
	if o.Counts() {
		return o.Ratio
	}
	return 1
}

const (
	// leastOwn is the least difference from 1, as a logarithm, that counts. The clock of scalar code next to batches is
	// not known better.
	leastOwn = 0.005
	// openOwn is how far a ratio is below 1 that counts by openAlpha already, or if nothing tells how launches scatter.
	// It is open if launches scatter too much for that. Nothing that we know raises the clock above that of scalar code,
	// so a higher ratio must be sure.
	openOwn = 0.02
	// openAlpha is the chance of taking a ratio that is 1 for one so much lower. Of three launches that agree within a
	// fifth of the difference, ownAlpha would believe none. Where the clock moves from look to look, the median of a few
	// is easily a tenth off.
	openAlpha = 0.05
	// ownAlpha is the chance of taking a ratio that is 1 for another one.
	ownAlpha = 0.01
	// clocksAlpha is the chance of taking equal clocks for different ones. Rows are then compared by time, which is
	// right, too.
	clocksAlpha = 0.05
	// fewestOwn is the least number of launches whose scatter says something, and fewestSure that which makes sure.
	fewestOwn, fewestSure = 2, 3
)

// OwnClockOf judges the ratios of launches; those that are not positive were not measured. It reports whether there is
// one.
func OwnClockOf(ratios []float64) (o OwnClock, known bool) {
	logs := sortedLogs(ratios)
	if len(logs) == 0 {
		return OwnClock{}, false
	}
	middle := LaunchInterval(logs)
	o.Ratio, o.Lowest = math.Exp(middle.Value), math.Exp(middle.Low)
	p := 0.0
	if len(logs) >= fewestOwn {
		p = locationTest(logs)
	}
	switch {
	case len(logs) >= fewestSure && math.Abs(middle.Value) >= leastOwn && p <= ownAlpha:
		o.Belief = Sure
	case middle.Value <= -openOwn && p <= 2*openAlpha: // p has both sides
		o.Belief = Likely
	case middle.Value <= -openOwn:
		o.Belief = Open
	}
	return o, true
}

// locationTest returns the p-value of "the location of d is 0" by Student's test. Of ten values or more, a fifth is
// left out at each end.
func locationTest(d []float64) float64 {
	const enough = 10
	if len(d) >= enough {
		return TrimmedTest(d)
	}
	mean, deviation := stats.Mean(d), stats.StdDev(d)
	if deviation == 0 {
		if mean == 0 {
			return 1
		}
		return 0
	}
	return studentP(mean/deviation*math.Sqrt(float64(len(d))), len(d)-1)
}

// ClocksDiffer reports whether the clocks of two groups of launches differ by more than they scatter. It reports true
// if nothing is known of a group's, or if a single launch differs from the others by a hundredth.
func ClocksDiffer(a, b []float64) bool {
	x, y := sortedLogs(a), sortedLogs(b)
	if len(x) == 0 || len(y) == 0 {
		return true
	}
	apart := math.Abs(Quantile(x, 0.5) - Quantile(y, 0.5))
	if apart < leastOwn {
		return false
	}
	if len(x) < 2 || len(y) < 2 {
		return apart >= 2*leastOwn
	}
	return Independent(a, b, 0, 0).P < clocksAlpha
}

// Clocks is what is known of the clock of a core during the launches of a row.
type Clocks struct {
	Own float64   // what the function does to it, as a multiple of the clock of scalar code; 0: not known
	GHz []float64 // in each launch, in any unit that all rows share; not needed if Own is known
}

// Comparable tells by which figures rows can be compared. Times at a reference clock can be if they keep what each
// function does to its clock. Of rows of which that is not known, they can be if their clocks are alike, and no other
// row has a clock of its own. Cycles can be if no function changes its clock: a cycle is longer if it does. Times
// always can be.
func Comparable(rows ...Clocks) (cycles, reference bool) {
	known, same := true, true
	for _, r := range rows {
		known = known && r.Own > 0
		same = same && (r.Own == 0 || r.Own == 1)
	}
	if known {
		return same, true
	}
	for i := range rows {
		for j := range i {
			bothKnown := rows[i].Own > 0 && rows[j].Own > 0
			same = same && (bothKnown || !ClocksDiffer(rows[i].GHz, rows[j].GHz))
		}
	}
	return same, same
}

// OwnOfAll returns the own clock of a function that several hosts measured; known is false if one of them has none.
func OwnOfAll(hosts []float64) (ratio float64, known bool) {
	if len(hosts) == 0 || slices.Min(hosts) <= 0 {
		return 0, false
	}
	return Median(hosts), true
}

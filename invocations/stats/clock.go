package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// Clocked are launches of a function on cores whose clock is known. A core's clock moves with what its neighbours do,
// and with what the function itself does. The first is corrected, the second is part of the function's time.
type Clocked struct {
	NS    []float64 // medians of the launches
	GHz   []float64 // clock of the core during the calls of each
	Usual float64   // clock that the machine usually has for scalar code, in GHz; 0: that of these launches
	// Own are the multiples of the clock of scalar code at which the function's calls run, by launch; NaN in a launch
	// that did not look. It is nil if the function does not change the clock.
	Own []float64
	// Works is the share of its time in which the calling thread works, 0 to 1. The rest follows no clock.
	// If it hardly works, nothing is corrected.
	Works float64
	// Memory says that the data lies beyond the caches that have the core's clock.
	Memory bool
	// ReadsClock says that calls read the clock: they may wait until a time of day, and follow no clock of the core.
	ReadsClock bool
	// Courses of the clock within the launches tell by how much times follow it, if they have seen it move; nil if cycles
	// were counted.
	Courses []ClockCourse
}

// AtClock are the times of launches at the usual clock.
type AtClock struct {
	NS []float64 // of each launch
	// Follows is the share of a change of the clock that the times follow, 0 to 1.
	Follows float64
	// Vague is how far, as a fraction, the times may be off with 95 % confidence because neither that share nor the
	// clock is known better. All launches are off alike.
	Vague float64
	// Wander is how far the clock was from the usual one, or moved, as a fraction.
	Wander float64
}

const (
	followsFully  = 0.7   // of the share in which the thread works: a function that follows so much follows all of it
	nearSlope     = 2     // standard errors from a share of 0 within which a slope is that
	farSlope      = 4     // standard errors from the whole share that a slope of 0 has at least
	usualFollows  = 0.2   // standard deviation of that share, before anything is measured
	memoryFollows = 0.5   // the same if memory may bound the function
	clearFollows  = 0.15  // standard deviation of the share of calls that read the clock, from which it decides anything
	fullyVague    = 0.005 // standard deviation of the share of a function that follows fully
	ownFollows    = 0.5   // standard deviation of the share, before anything is measured, of one with a clock of its own
	// ownError is how exactly the clock is known that scalar code would have had beside a function that changes it.
	ownError = 0.01
	// hardlyWorks is the share of its time in which the thread of a sleep, say, works at most.
	hardlyWorks = 0.1
	// clockError is how exactly the clock of a launch is known, as a fraction; see native.NewCanary. Clocks that differ
	// by less do not explain times.
	clockError = 5e-4
	// probesOff is how far the clock that probes see may be off in all launches of a run alike, as a fraction. Beside a
	// neighbour it was up to 0.18 % too low, while times agreed within 0.006 %.
	probesOff      = 2e-3
	vagueError     = 1.5 // by how much that may be more than the scatter of a launch's batches shows
	leastExplained = 5   // launches whose times and clocks tell what the one explains of the other
	// probesStray is how far the clock that probes see may stray, as a fraction, while that of the calls stands still: on an
	// Intel processor of 2023, work on the other thread of the core made additions up to 1 % slower.
	probesStray = 8e-3
)

// AtUsual returns the times at the usual clock:
//
//	log NS[i] + weight · log(S[i] ÷ S) + whole · log(S ÷ Usual)
//
// S[i] is the clock that scalar code would have had, GHz[i] ÷ Own[i], and S their median. The weights are those of control
// variates: Follows, less the part of the clocks' scatter, or of their distance from the usual clock, that is error. If the
// clock stands still, times are left as they are. A function that limits its clock itself may not follow what neighbours do
// to that of scalar code; Follows then says so.
func (c Clocked) AtUsual() AtClock {
	seen, exact, own := c.scalar()
	x, middle := centered(seen)
	y, _ := centered(c.NS)
	a := AtClock{NS: make([]float64, len(c.NS))}
	distance := 0.0
	if c.Usual > 0 {
		distance = middle - math.Log(c.Usual)
	}
	var uncertain float64
	// ofMedian is the error of the median of all launches, as a share of that of one.
	scatter, ofMedian := deviation(x), medianError(len(x))/math.Sqrt(float64(max(1, len(x))))
	a.Wander = max(math.Abs(distance), scatter)
	a.Follows, uncertain = c.follows(x, y, exact, own, a.Wander)
	weight, whole := a.Follows*explained(scatter, exact), a.Follows
	if len(c.Courses) > 0 {
		share := explained(a.Wander, math.Hypot(probesOff, ofMedian*vagueClock(c.Courses)))
		whole *= share
		a.Vague = whole * (1 - share) * a.Wander // it may all be error
	}
	for i := range a.NS {
		a.NS[i] = c.NS[i] * math.Exp(weight*x[i]+whole*distance)
	}
	// The clock of the run is itself a median of launches, and what the weight leaves of its error is in all of them alike.
	// Few launches may agree by chance, but no better than probes know the clock of each.
	off := scatter
	if len(c.Courses) > 0 {
		off = max(scatter, exact)
	}
	left := math.Abs(whole-weight) * ofMedian * off
	// The clock of the next run may be as far from the usual one as it moves from launch to launch.
	a.Vague = math.Hypot(a.Vague, math.Hypot(2*uncertain*math.Hypot(distance, scatter), 2*math.Sqrt2*left))
	if own { // looks err, too
		a.Vague = math.Hypot(a.Vague, 2*c.Works*ofMedian*scatter)
	}
	return a
}

// explained returns the share of a difference, or of a scatter, that is not error.
func explained(seen, error float64) float64 {
	if math.Abs(seen) <= error {
		return 0
	}
	return 1 - error*error/(seen*seen)
}

// scalar returns the clock that scalar code would have had in each launch, how exactly that is known, and whether the
// function has another one. Launches that did not look have the median of the multiples of the others.
func (c Clocked) scalar() (ghz []float64, exact float64, own bool) {
	var known []float64
	for _, ratio := range c.Own {
		if ratio > 0 {
			known = append(known, ratio)
		}
	}
	if len(known) == 0 {
		return c.GHz, vagueClock(c.Courses), false
	}
	ghz = make([]float64, len(c.GHz))
	for i := range ghz {
		ratio := Median(known)
		if i < len(c.Own) && c.Own[i] > 0 {
			ratio = c.Own[i]
		}
		ghz[i] = c.GHz[i] / ratio
	}
	return ghz, ownError, true
}

// follows returns the share of a change of the clock that times follow, and its standard deviation: what the slope of
// the batches says, else that of the launches, as far as they tell more than what is usual. wander is how far the clock
// is from the usual one, or moves.
func (c Clocked) follows(x, y []float64, exact float64, own bool, wander float64) (share, uncertain float64) {
	if c.Works < hardlyWorks {
		return 0, 0
	}
	usual, width := c.Works, usualFollows
	switch {
	case c.ReadsClock:
		usual, width = c.Works/2, c.Works/3 // all or nothing
	case c.Memory:
		usual, width = 0, memoryFollows
	case own:
		width = ownFollows
	}
	share, uncertain = usual, width
	slope, standard, known := 0.0, 0.0, false
	if wander > leastWandered && len(c.Own) == 0 {
		slope, standard, known = courseSlope(c.Courses)
	}
	if !known {
		slope, standard, known = slopeOf(x, y, exact)
		if len(c.Courses) > 0 && !c.Memory {
			standard = max(standard, math.Pow(probesStray/deviation(x), 2))
		}
	}
	if known {
		told, before := 1/(standard*standard), 1/(width*width)
		share, uncertain = (slope*told+usual*before)/(told+before), 1/math.Sqrt(told+before)
	}
	share = max(0, min(c.Works, share))
	switch {
	case c.ReadsClock && uncertain > clearFollows:
		return share, uncertain
	case share >= followsFully*c.Works:
		return c.Works, fullyVague + c.Works*(1-c.Works)
	case own && !c.Memory:
		// Or its times do follow, and the looks at the clock of scalar code erred.
		return share, ownFollows
	case known && !c.Memory && math.Abs(slope) <= nearSlope*standard && c.Works-slope >= farSlope*standard:
		return 0, standard // functions follow all or nothing more often than a part: it may wait until a time of day
	}
	return share, uncertain
}

// slopeOf returns by how much the logarithm of the time falls with that of the clock, with its standard error. It is
// not known with few launches, or if the clock stood still.
func slopeOf(x, y []float64, exact float64) (slope, standard float64, known bool) {
	n := len(x)
	if n < leastExplained || n != len(y) {
		return 0, 0, false
	}
	mx, my, sxx, sxy := stats.Mean(x), stats.Mean(y), 0.0, 0.0
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	freedom := float64(n - 2)
	if !(sxx > byChance(freedom)*freedom*exact*exact) || math.IsNaN(sxy) { // a function that takes no time has no logarithm
		return 0, 0, false
	}
	slope = -sxy / sxx
	left := freedom * clockError * clockError
	for i := range x {
		rest := y[i] - my + slope*(x[i]-mx)
		left += rest * rest
	}
	// The variance of Student's t: with few launches, what is left may be small by chance. If the slope is that of one
	// launch, it is what else was different then: the slopes without each launch in turn tell.
	return slope, max(math.Sqrt(left/(freedom-2)/sxx), withoutEach(x, y, mx, my, sxx, sxy)), true
}

// byChance returns by how much the variance of normal values, with so many degrees of freedom, exceeds the expected one in
// one of a hundred cases: the quantile of chi-squared by Wilson and Hilferty.
func byChance(freedom float64) float64 {
	const upper99 = 2.326
	part := 2 / (9 * freedom)
	return math.Pow(1-part+upper99*math.Sqrt(part), 3)
}

// withoutEach returns the jackknife's standard error of a slope: by the slopes without one launch after the other.
func withoutEach(x, y []float64, mx, my, sxx, sxy float64) float64 {
	n, slopes := float64(len(x)), make([]float64, len(x))
	for i := range x {
		share := n / (n - 1) * (x[i] - mx)
		slopes[i] = -(sxy - share*(y[i]-my)) / max(sxx-share*(x[i]-mx), 1e-12)
	}
	return deviation(slopes) * (n - 1) / math.Sqrt(n)
}

// centered returns the logarithms of positive values without their median, and that median.
func centered(v []float64) (logs []float64, middle float64) {
	logs = make([]float64, len(v))
	for i, one := range v {
		logs[i] = math.Log(one)
	}
	middle = Median(logs)
	for i := range logs {
		logs[i] -= middle
	}
	return logs, middle
}

// deviation returns the standard deviation of values; 0 of fewer than two.
func deviation(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	return stats.StdDev(x)
}

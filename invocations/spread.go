package invocations

import "zonemark/invocations/stats"

// Spread is the joint result of several launches of one invocation. Times are in nanoseconds per call, cycles per call.
type Spread struct {
	Launches         int       // number of launches that kept samples
	Numbers          []int     // of the launches, in the order of measuring, from 0
	MediansNS        []float64 // of each launch
	ReferenceMedians []float64 // at the reference clock; nil if the clock is not known
	CyclesMedians    []float64 // nil if cycles were not counted
	Time             stats.Interval
	Reference        stats.Interval // time at the reference clock
	Cycles           stats.Interval // counted cycles
	ReferenceGHz     float64
	// Agree says that the launches agree within the precision that was asked for. The interval of the row may be wider
	// still: it covers how much runs differ.
	Agree bool
	// ReferenceFloor and CyclesFloor are how much the figures of equal runs usually differ on this machine, as fractions.
	// Intervals do not contain them.
	ReferenceFloor, CyclesFloor float64
	OwnClock                    float64 // of the function, as a multiple of that of scalar code; 0: not known
	// Unevenness is the mean time of calls as a multiple of that of the usual ones, if calls are not alike: the medians of
	// launches, and all figures made of them, are means then. It is 0 if calls are alike.
	Unevenness     float64
	WithinNS       float64 // standard error of a launch's median, from the batches of the launch
	BetweenNS      float64 // standard deviation of the launches' medians beyond WithinNS, on each host
	Hosts          int     // number of hosts that measured it, each in launches; 0: one
	BetweenHostsNS float64 // standard deviation of the hosts beyond that of their launches
	// All is of all launches, also of those that were set apart because others were quieter; nil if none was.
	All *Spread
	// Arrays are where arrays began in each of these launches; nil if a launch has others, or if zonemark placed none.
	Arrays []ArrayOffsets
}

// hasInterval reports whether there are launches enough to tell how far a second run would differ.
func (s *Spread) hasInterval() bool { return s.Launches > 1 }

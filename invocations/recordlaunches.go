package invocations

import (
	"math"
	"slices"

	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

// RecordedLaunches are the keys of a journal's result line that hold the results of the launches of an invocation, of
// the canary and of the counters. Reference times are times at the machine's usual clock; cycles are those that the
// processor has counted in user mode.
type RecordedLaunches struct {
	// Launches is the number of launches that kept samples. round_samples says how many of samples_ns each of them has.
	Launches *int `json:"launches,omitempty"`
	LaunchTimes
	// AllLaunches has the same keys about all launches, also about those that were set apart because others were quieter.
	// It is absent if none was.
	AllLaunches *LaunchTimes `json:"all_launches,omitempty"`
	// Placement is fixed or malloc if the user asked for that. It is absent if each launch had its own.
	Placement Placement `json:"placement,omitempty"`
	// ArrayOffsets are the addresses of the arrays in these launches, modulo 4096, by the names of the arrays. The key is
	// absent if the runtime places arrays itself.
	ArrayOffsets map[string][]int64 `json:"array_offsets,omitempty"`
	// Unevenness is the mean time of calls as a multiple of that of the usual ones. It is absent if calls are alike. If it
	// is there, medians of launches are means, as are the figures made of them.
	Unevenness *float64 `json:"unevenness,omitempty"`
	// WithinNS is the standard error of a launch's median.
	WithinNS *float64 `json:"within_ns,omitempty"`
	// BetweenNS is the standard deviation of launches beyond that error.
	BetweenNS *float64 `json:"between_ns,omitempty"`

	// QuietShare is the share of quiet batches among those with probes around them, 0 to 1.
	QuietShare *float64 `json:"quiet_share,omitempty"`
	// ProbedBatches is the number of batches with probes around them.
	ProbedBatches *int64 `json:"probed_batches,omitempty"`
	// Disturbed tells what disturbed the batches that were not quiet. It is absent if all were quiet.
	Disturbed *DisturbedRecord `json:"disturbed,omitempty"`
	// ClockGHz is the effective clock of the core during the kept batches.
	ClockGHz *float64 `json:"clock_ghz,omitempty"`
	// OwnClock is the clock of the core during the calls, divided by its clock during scalar code next to them. It shows
	// what the function itself does to the clock. It is 1 if it differs from 1 by less than launches scatter.
	OwnClock *float64 `json:"own_clock,omitempty"`
	// Stops is the fraction by which the host's stops of this machine lengthen batches of calls, as scalar code next to
	// them shows. It is taken out of the time at the reference clock, unless cycles are counted. It is absent if there
	// were none.
	Stops *float64 `json:"stops,omitempty"`
	// ReferenceNS is the median at the reference clock, the machine's usual clock for scalar code.
	ReferenceNS *float64 `json:"reference_ns,omitempty"`
	// ReferenceLo begins the interval of the reference time for a second run.
	ReferenceLo *float64 `json:"reference_ci_low_ns,omitempty"`
	// ReferenceHi ends that interval.
	ReferenceHi *float64 `json:"reference_ci_high_ns,omitempty"`
	// ReferenceFloor is how much reference times of equal runs usually differ on this machine, as a fraction. Their
	// intervals do not contain it.
	ReferenceFloor *float64 `json:"reference_floor,omitempty"`
	// ReferenceAt is the reference clock.
	ReferenceAt *float64 `json:"reference_clock_ghz,omitempty"`
	// CyclesLow begins the interval of the counted cycles for a second run.
	CyclesLow *float64 `json:"cycles_ci_low,omitempty"`
	// CyclesHigh ends that interval.
	CyclesHigh *float64 `json:"cycles_ci_high,omitempty"`
	// CyclesFloor is how much counted cycles of equal runs usually differ on this machine, as a fraction.
	CyclesFloor *float64 `json:"cycles_floor,omitempty"`

	// Counters are the counts of a call by their names, without those of the loop.
	Counters map[string]float64 `json:"counters,omitempty"`
	// Exact are the names of counters that were equal in all launches.
	Exact []string `json:"exact,omitempty"`
}

// LaunchTimes are the keys that hold the figures of launches.
type LaunchTimes struct {
	// LaunchNumbers are the numbers of these launches, from 0. The key is absent if no launch before them was set
	// apart.
	LaunchNumbers []int `json:"launch_numbers,omitempty"`
	// LaunchMediansNS are the medians of these launches.
	LaunchMediansNS []float64 `json:"launch_medians_ns,omitempty"`
	// LaunchReference are their medians at the reference clock.
	LaunchReference []float64 `json:"launch_reference_ns,omitempty"`
	// LaunchCycles are their medians in counted cycles.
	LaunchCycles []float64 `json:"launch_cycles,omitempty"`
}

// WithAll returns the figures of all launches in place of those of the kept ones.
func (r *RecordedLaunches) WithAll() *RecordedLaunches {
	if r.AllLaunches == nil {
		return r
	}
	all := *r
	all.LaunchTimes = *r.AllLaunches
	return &all
}

// DisturbedRecord is the JSON shape of the numbers of batches that were not quiet, each by one cause.
type DisturbedRecord struct {
	// Core is the number of batches during which the core was shared.
	Core int64 `json:"core,omitempty"`
	// Caches is the number of batches during which others used shared caches or memory.
	Caches int64 `json:"caches,omitempty"`
	// Clock is the number of batches during which the clock of the core changed.
	Clock int64 `json:"clock,omitempty"`
	// Interrupted is the number of batches during which other work took the CPU.
	Interrupted int64 `json:"interrupted,omitempty"`
}

// addLaunches fills the fields about launches from a timed result.
func (r *Record) addLaunches(res Result) {
	if !r.Timed() {
		return
	}
	if c := res.Canary; c.Batches > 0 {
		r.QuietShare, r.ProbedBatches = c.QuietShare(), &c.Batches
		if d := (DisturbedRecord{c.Core, c.Caches, c.Slow, c.Interrupted}); d != (DisturbedRecord{}) {
			r.Disturbed = &d
		}
		if c.GHz > 0 {
			r.ClockGHz = Recorded(c.GHz)
		}
		r.Stops = positive(c.Stops)
	}
	for _, c := range res.Counters {
		if Recorded(c.PerCall) == nil {
			continue
		}
		r.count(c.Name, c.PerCall)
		if c.Exact {
			r.Exact = append(r.Exact, c.Name)
		}
	}
	s := res.Spread
	if s == nil {
		return
	}
	r.Launches, r.WithinNS, r.BetweenNS = &s.Launches, Recorded(s.WithinNS), Recorded(s.BetweenNS)
	if s.Hosts > 1 {
		r.BetweenHostsNS = Recorded(s.BetweenHostsNS)
	}
	for _, a := range s.Arrays {
		if r.ArrayOffsets == nil {
			r.ArrayOffsets = map[string][]int64{}
		}
		r.ArrayOffsets[a.Name] = a.Offsets
	}
	if s.OwnClock > 0 {
		r.OwnClock = Recorded(s.OwnClock)
	}
	r.Unevenness = positive(s.Unevenness)
	if r.LaunchTimes = r.launchTimes(s); s.All != nil {
		all := r.launchTimes(s.All)
		r.AllLaunches = &all
	}
	if s.Reference.Known() {
		r.ReferenceNS = Recorded(s.Reference.Value)
		if s.hasInterval() {
			r.ReferenceLo, r.ReferenceHi = Recorded(s.Reference.Low), Recorded(s.Reference.High)
		}
		r.ReferenceAt = Recorded(s.ReferenceGHz)
		r.ReferenceFloor = positive(s.ReferenceFloor)
	}
	if s.Cycles.Known() && Recorded(s.Cycles.Value) != nil {
		r.count("cycles", s.Cycles.Value)
		if s.hasInterval() {
			r.CyclesLow, r.CyclesHigh = Recorded(s.Cycles.Low), Recorded(s.Cycles.High)
		}
		r.CyclesFloor = positive(s.CyclesFloor)
	}
}

// launchTimes returns the figures of launches.
func (r *Record) launchTimes(s *Spread) (t LaunchTimes) {
	for i, n := range s.Numbers {
		if n != i {
			t.LaunchNumbers = s.Numbers
		}
	}
	t.LaunchMediansNS = r.onlyFinite("launch_medians_ns", s.MediansNS)
	if s.Reference.Known() {
		t.LaunchReference = r.onlyFinite("launch_reference_ns", s.ReferenceMedians)
	}
	if s.Cycles.Known() && Recorded(s.Cycles.Value) != nil {
		t.LaunchCycles = r.onlyFinite("launch_cycles", s.CyclesMedians)
	}
	return t
}

// positive returns a number that is above 0; nil for others.
func positive(v float64) *float64 {
	if !(v > 0) {
		return nil
	}
	return Recorded(v)
}

func (r *Record) count(name string, perCall float64) {
	if r.Counters == nil {
		r.Counters = map[string]float64{}
	}
	r.Counters[name] = figures.Rounded(perCall)
}

// ByLaunch returns the values of the kept launches at the positions of the launches' numbers, with NaN for launches
// that were set apart. It returns values unchanged if there is not one for each launch.
func (r *RecordedLaunches) ByLaunch(values []float64) []float64 {
	n := len(r.LaunchNumbers)
	if n == 0 || n != len(values) || slices.Min(r.LaunchNumbers) < 0 || slices.Max(r.LaunchNumbers) > launchNumberMost {
		return values
	}
	placed := slices.Repeat([]float64{math.NaN()}, slices.Max(r.LaunchNumbers)+1)
	for i, number := range r.LaunchNumbers {
		placed[number] = values[i]
	}
	return placed
}

// launchNumberMost bounds the memory that a journal can make ByLaunch allocate.
const launchNumberMost = 1 << 20

// Clocks returns what is known of the clock of the core during the launches.
func (r *RecordedLaunches) Clocks() stats.Clocks {
	c := stats.Clocks{GHz: ClocksOf(r.LaunchMediansNS, r.LaunchReference, r.LaunchCycles, r.ReferenceAt)}
	if r.OwnClock != nil {
		c.Own = *r.OwnClock
	}
	return c
}

// ClocksOf returns the clock of the core during launches, in GHz, by their times, their times at a reference clock, and
// their cycles. The reference clock, in GHz, may be nil: clocks are then in units of it. It returns nil if nothing
// tells them.
func ClocksOf(timesNS, referenceNS, cycles []float64, referenceGHz *float64) []float64 {
	others, ghz := referenceNS, 1.0
	switch {
	case len(timesNS) == 0:
		return nil
	case len(cycles) == len(timesNS):
		others = cycles
	case len(referenceNS) != len(timesNS):
		return nil
	case referenceGHz != nil:
		ghz = *referenceGHz
	}
	clocks := make([]float64, len(timesNS))
	for i, ns := range timesNS {
		clocks[i] = others[i] * ghz / ns
	}
	return clocks
}

// Reference returns the time at the reference clock. It is not known without such a clock. The ends of its interval are
// NaN if they are not known, as with a single launch.
func (r *RecordedLaunches) Reference() stats.Interval {
	return interval(r.ReferenceNS, r.ReferenceLo, r.ReferenceHi)
}

// Cycles returns the counted cycles, likewise. They are not known without counters.
func (r *RecordedLaunches) Cycles() stats.Interval {
	cycles, counted := r.Counters["cycles"]
	if !counted {
		return stats.Interval{}
	}
	return interval(&cycles, r.CyclesLow, r.CyclesHigh)
}

func interval(at, low, high *float64) stats.Interval {
	switch {
	case at == nil:
		return stats.Interval{}
	case low == nil || high == nil:
		return stats.Interval{Value: *at, Low: math.NaN(), High: math.NaN()}
	}
	return stats.Interval{Value: *at, Low: *low, High: *high}
}

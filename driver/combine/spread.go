package combine

import (
	"fmt"
	"math"
	"slices"

	"zonemark/driver/machine"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	quantumTicks  = 1.0 // ns; resolution of the processor's counter
	quantumSystem = 50.0
	// mostStep is a fraction of a time. Clocks of which a step is more show it by launches that are steps apart.
	mostStep = 0.001
)

// quietLaunches returns the results that were measured while the machine was quiet, by the best level known so far.
func quietLaunches(results []invocations.Result, known *machine.Knowledge) []invocations.Result {
	best := 0.0
	if known != nil {
		best = known.QuietPorts()
	}
	var kept []invocations.Result
	for _, one := range results {
		if len(one.SamplesNS) == 0 || slices.Contains(one.Verdicts, invocations.Contended) {
			continue
		}
		if best > 0 && one.Canary.KeptPorts > machine.LevelNear*best {
			continue
		}
		kept = append(kept, one)
	}
	return kept
}

// spreadOf is a Spread with the interval that decides whether further launches are made. It is the interval of the
// launches alone, at the reference clock if that is known.
type spreadOf struct {
	*invocations.Spread
	decisive stats.Interval
	own      stats.OwnClock
	runs     float64 // how far another run of it may be on this machine, by its earlier runs, as a fraction; 0: unknown
	vague    float64 // how far the reference time may be off because the clock moved, as a fraction
	stops    float64 // what was taken out of the reference time as stops of the machine, as a fraction
	wakes    float64 // how far calls that wait may take another time in some minutes, as a fraction
	batches  odds    // how far batches differ
	launches odds    // how far launches differ
	lone     bool    // a single one does
	uneven   unevenness
	ways     ways // by the times at the reference clock if that is known
	// readsClock says that calls read the processor's clock.
	readsClock bool
}

// leastPrecise is a time in nanoseconds. For shorter times, precision is a fraction of leastPrecise.
const leastPrecise = 1.0

// agree reports whether the launches agree within the precision, also on the clock. It ignores how much runs differ on this
// machine, since further launches would not change that.
func (s spreadOf) agree(precision float64) bool {
	return len(s.MediansNS) > 1 && s.decisive.Within(precision, leastPrecise) && !s.clockOpen()
}

// clockOpen reports whether launches leave open what the function does to the clock that the figure is at.
func (s spreadOf) clockOpen() bool { return s.Reference.Known() && s.own.Belief == stats.Open }

// oddByChance reports whether launches differ, of which too few are known to tell whether that is chance.
func (s spreadOf) oddByChance() bool {
	if s.ways.kinds != nil {
		return false
	}
	return s.launches.apart() >= asksFurther && s.Launches < manyLaunches || s.lone && s.Launches < loneLaunches
}

// headline is the figure that is printed, with its interval.
func (s spreadOf) headline() stats.Interval {
	if s.Reference.Known() {
		return s.Reference
	}
	return s.Time
}

// converged reports whether the interval that is printed is within the precision. It covers what further launches do not
// show, too.
func (s spreadOf) converged(precision float64) bool {
	return s.agree(precision) && s.headline().Within(precision, leastPrecise)
}

// wideNote says why the interval is wider than the precision although the launches, or their cycles, agree.
func (s spreadOf) wideNote(precision float64) string {
	if s.clockOpen() && s.decisive.Within(precision, leastPrecise) {
		return openClockNote(s.own)
	}
	if precision <= 0 || !s.agree(precision) || s.converged(precision) {
		return ""
	}
	const note = "its launches agree, but %s differ by ± %.2g %% on this machine: the interval covers that, and more " +
		"launches do not change it"
	switch {
	case s.wakes > precision:
		return fmt.Sprintf("its launches agree, but calls mostly wait, and how soon the system wakes a thread changes from "+
			"minute to minute: by ± %.2g %% of a call", 100*s.wakes)
	case s.waysNote() != "": // which stands by itself
		return ""
	case s.launches.most() > precision:
		return s.launches.noteOfLaunches()
	case s.batches.most() > precision:
		return s.batches.noteOfBatches()
	case s.runs > precision:
		return fmt.Sprintf(note, "earlier runs of it", 100*s.runs)
	case s.Reference.Known() && s.vague > 0 && s.readsClock:
		return fmt.Sprintf("its launches agree, but calls read the clock: if they wait until a time of day, the core's clock "+
			"changes nothing for them, so that their time at the reference clock is uncertain by ± %.2g %%", 100*s.vague)
	case s.Reference.Known() && s.vague > 0:
		return fmt.Sprintf("its launches agree, but changes of the core's clock, or stops by the host, make its time at "+
			"the reference clock uncertain by ± %.2g %%", 100*s.vague)
	default:
		return fmt.Sprintf(note, "equal runs", 100*s.headline().Half()/s.headline().Value)
	}
}

// medians returns those of launches by which the headline is, and says by which clock, with a blank before it.
func (s spreadOf) medians() (medians []float64, clock string) {
	if s.Reference.Known() {
		return s.ReferenceMedians, " at the reference clock"
	}
	return s.MediansNS, ""
}

// waysNote says that the headline depends on the way to call, "" if it does not.
func (s spreadOf) waysNote() string {
	_, clock := s.medians()
	return s.ways.note(s.headline().Value, s.launches, clock)
}

// spread combines the medians of launches.
func spread(results []invocations.Result, known *machine.Knowledge) spreadOf {
	s := &invocations.Spread{Launches: len(results), Arrays: arraysOf(results)}
	least, ghz := machine.UnknownFloors, 0.0
	if known != nil {
		known.Settle()
		least, ghz = known.Floors(results[0].ID), known.ReferenceGHz()
	}
	batched, uneven := results, unevennessOf(results)
	results, s.Unevenness = uneven.means(results), uneven.factor()
	var errs []float64
	quantum := 0.0
	for _, one := range results {
		s.Numbers, s.MediansNS = append(s.Numbers, one.Number), append(s.MediansNS, one.Summary.MedianNS)
		errs = append(errs, one.Summary.Half95()/1.96)
		quantum = max(quantum, tick(one.Clock)/float64(max(1, one.CallsPerBatch)),
			min(one.Cycles.StepNS, mostStep*one.Summary.MedianNS))
	}
	s.WithinNS = stats.Median(errs)
	s.BetweenNS = stats.Between(s.MediansNS, s.WithinNS)
	wakes, vague, stops := wakeUps(results), 0.0, 0.0
	own, ownKnown := ownClockOf(results)
	if ownKnown {
		s.OwnClock = own.Taken()
	}
	cycles, counted := launchCycles(results)
	var at stats.AtClock
	if len(cycles) > 0 {
		at = clockedOf(results, counted, own, ghz).AtUsual()
	}
	clocked := ghz > 0 && len(at.NS) > 0
	decide := s.MediansNS
	if clocked {
		decide = at.NS
	}
	byWay := waysOf(s.Numbers, decide)
	decisive := byWay.interval(decide)
	runs := least.Time.Own(decisive.Value)
	batches, launches := oddBatches(batched, byWay.factors(decide)), oddLaunches(decide, decisive.Value)
	if clocked {
		s.ReferenceGHz, s.ReferenceMedians, s.ReferenceFloor = ghz, at.NS, least.Reference.Machine
		stops = stopsOf(results, counted)
		runs, vague = least.Reference.Own(decisive.Value), math.Hypot(at.Vague, stopsVague*stops)
		s.Reference = wide(decisive, at.NS, results, max(runs, wakes), quantum).Widen(vague * decisive.Value)
		s.Reference = uneven.doubt.reached(launches.reached(batches.reached(withOpenClock(s.Reference, own))))
	}
	if counted {
		s.CyclesMedians = cycles
		of := byWay.interval(cycles)
		s.Cycles = wide(of, cycles, results, max(least.Cycles.Own(of.Value), (1-at.Follows)*at.Wander), quantum*ghz)
		s.CyclesFloor = least.Cycles.Machine
	}
	s.Time = byWay.interval(s.MediansNS)
	s.Time = wide(s.Time, s.MediansNS, results, max(least.Time.Drift(s.Time.Value), wakes), quantum)
	s.Time = uneven.doubt.reached(launches.reached(batches.reached(s.Time)))
	return spreadOf{s, decisive, own, runs, vague, stops, wakes, batches, launches, lone(decide, decisive.Value), uneven, byWay,
		results[0].ReadsClock}
}

// mostlyWaits is the share of its time in which the calling thread of calls that mostly wait works at most.
const mostlyWaits = 0.5

// How much sooner or later a system wakes a thread in some minutes: by so many nanoseconds, and at most that share of what
// the calls wait. On one virtual machine, sleeps of 100 µs took 168 µs, or 172, 175, and 189, for some seconds each.
const (
	wakeNS    = 5000.0
	wakeShare = 0.03
)

// wakeUps returns how far the time of calls that mostly wait may be another one in some minutes, as a fraction; 0 for
// others. How soon a system wakes a thread changes with what the processor did before, by as much as batches differ, or by
// more. Launches that follow each other agree much better.
func wakeUps(results []invocations.Result) float64 {
	works := worksShare(results)
	if works > mostlyWaits {
		return 0
	}
	var differ []float64
	for i := range results {
		s := &results[i].Summary
		differ = append(differ, max(s.MADNS/s.MedianNS, min(wakeNS/s.MedianNS, wakeShare*(1-works))))
	}
	return stats.Median(differ)
}

// launchCycles returns the cycles of a call in each launch. They are counted cycles if at least half of the launches
// have them, else cycles by the clock that the canary saw if at least half have these, else nil.
func launchCycles(results []invocations.Result) (cycles []float64, counted bool) {
	var byClock []float64
	for _, one := range results {
		switch c := &one.Cycles; {
		case c.N == 0:
		case one.CyclesCounted:
			cycles = append(cycles, c.Median)
		default:
			byClock = append(byClock, c.Median)
		}
	}
	if 2*len(cycles) >= len(results) {
		return cycles, true
	}
	if 2*len(byClock) >= len(results) {
		return byClock, false
	}
	return nil, false
}

// tick returns the resolution of a clock in nanoseconds.
func tick(clock string) float64 {
	if clock == "monotonic" {
		return quantumSystem
	}
	return quantumTicks
}

// wide widens an interval to the machine's floor and to the resolution of the clock. It widens the interval of a single
// launch also to that of the launch's batches.
func wide(i stats.Interval, medians []float64, results []invocations.Result, floor, quantum float64) stats.Interval {
	half := max(floor*math.Abs(i.Value), quantum)
	if len(medians) == 1 {
		half = max(half, math.Sqrt2*results[0].Summary.Half95())
	}
	return i.Widen(half)
}

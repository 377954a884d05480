package driver

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"zonemark/driver/stats"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

const (
	// LeastLaunches is how many launches an invocation has at least that nobody gave a number.
	LeastLaunches = 5
	mostLaunches  = 60
	windowBlocks  = 8   // that are measured together, launch by launch in turns
	shorterLaunch = 4   // how much shorter launches are that were not planned
	leastQuiet    = 3   // launches that were quiet, below which the others count too
	affordFactor  = 3.0 // of --max-time: what the least number of launches may take, loading included
	quantumTicks  = 1.0 // ns that a counter of the processor tells at least
	quantumSystem = 50.0
)

// launched is an invocation under way: what its launches have given so far.
type launched struct {
	index   int // in the plan
	results []invocations.Result
	spent   time.Duration // in all launches
	last    time.Duration // in the last one, from its start to its result
}

// window measures the invocations of some blocks launch by launch, in a new random order for each launch: what changes slowly on the machine meets them all.
func (r *run) window(ctx context.Context, plan []int, rng *rand.Rand) error {
	open := make([]*launched, len(plan))
	for k, i := range plan {
		open[k] = &launched{index: i}
	}
	for launch := 0; len(open) > 0; launch++ {
		rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		var next []*launched
		for _, l := range open {
			if err := r.launch(ctx, l, launch); err != nil {
				return err
			}
			if r.enough(l) {
				if err := r.finish(l.index, r.mergeLaunches(l)); err != nil {
					return err
				}
				continue
			}
			next = append(next, l)
		}
		open = next
	}
	return nil
}

// launch measures an invocation in a fresh executor, with a layout of its own.
func (r *run) launch(ctx context.Context, l *launched, launch int) error {
	p := r.plan.List[l.index]
	m := &p.Invocation.Measure
	total := m.Launches
	if total == 0 {
		total = max(LeastLaunches, launch+1)
	}
	r.report(Progress{Name: p.Invocation.Name, Round: launch, Rounds: total})
	share := int64(cmp.Or(m.Launches, LeastLaunches))
	m.MinTimeNS, m.MaxTimeNS, m.MinIterations = m.MinTimeNS/share, max(1, m.MaxTimeNS/share), (m.MinIterations+share-1)/share
	layout := rand.New(rand.NewPCG(m.Seed, uint64(launch)))
	m.PageOffset = layout.Int64N(pageBytes/invocations.LayoutStep) * invocations.LayoutStep
	m.StackOffset = layout.Int64N(pageBytes/invocations.LayoutStep) * invocations.LayoutStep
	if launch > 0 {
		m.ProfileCalls = 0 // dispatches are asked for once
	}
	if m.Launches == 0 && launch >= LeastLaunches { // what is not known yet is between launches: more of them tell more than longer ones
		m.MinTimeNS /= shorterLaunch
	}
	start := time.Now()
	r.executor.renew()
	if _, err := r.executor.ready(ctx); err != nil {
		return fmt.Errorf("%s: %w", p.Invocation.Name, err)
	}
	r.executor.startAhead(ctx)
	message := &wire.Execute{Invocation: p.Invocation, Round: launch, Last: true, Trusted: launch > 0}
	if launch > 0 {
		message.NoCanary = l.results[0].Canary.Why
	}
	if r.Machine != nil {
		message.QuietPorts, message.QuietMemory = r.Machine.QuietPorts(), r.Machine.QuietMemory()
	}
	result, err := r.execute(ctx, l.index, message)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Invocation.Name, err)
	}
	l.last = time.Since(start)
	l.spent += l.last
	if r.Machine != nil && result.Status == invocations.OK {
		r.Machine.observe(result.Canary)
	}
	r.annotate(p, &result)
	if why := r.executor.counters; strings.HasPrefix(why, "none") && !strings.HasPrefix(r.plan.Environment["counters"], "none") {
		addNew(&result.Notes, []string{"counters: " + why})
	}
	l.results = append(l.results, result)
	return nil
}

// pageBytes is what offsets of layouts stay below: the smallest page in use.
const pageBytes = 4096

// enough says whether an invocation needs no further launch, or can have none.
func (r *run) enough(l *launched) bool {
	m := r.plan.List[l.index].Invocation.Measure
	last, n := l.results[len(l.results)-1], len(l.results)
	budget := time.Duration(m.MaxTimeNS)
	switch {
	case last.Status != invocations.OK, m.CheckOnly, n >= mostLaunches && n >= m.Launches:
		return true
	case m.Launches > 0:
		return n >= m.Launches
	case n < LeastLaunches:
		return float64(l.spent+l.last) > affordFactor*float64(budget)
	}
	kept := r.quietLaunches(l.results)
	if len(kept) >= LeastLaunches && (m.Precision == 0 || r.spread(kept).converged(m.Precision)) {
		return true
	}
	return l.spent+l.last > budget
}

// quietLaunches are the results that were measured in quiet, by the best level that is known now.
func (r *run) quietLaunches(results []invocations.Result) []invocations.Result {
	var kept []invocations.Result
	for _, one := range results {
		if len(one.SamplesNS) == 0 || slices.Contains(one.Verdicts, invocations.Contended) {
			continue
		}
		if best := r.quietPorts(); best > 0 && one.Canary.KeptPorts > levelNear*best {
			continue
		}
		kept = append(kept, one)
	}
	return kept
}

func (r *run) quietPorts() float64 {
	if r.Machine == nil {
		return 0
	}
	return r.Machine.QuietPorts()
}

// spreadOf is a Spread with what decides about it: the interval that its launches alone give, at the reference clock where
// that is known; of a function that does not follow the clock, the narrower one of that and time's.
type spreadOf struct {
	*invocations.Spread
	decisive stats.Interval
}

// leastPrecise is the time in nanoseconds below which precision is a fraction of it, not of the time.
const leastPrecise = 1.0

// converged says whether the launches agree within the precision. What runs differ by here beside that, no further launch would change.
func (s spreadOf) converged(precision float64) bool {
	return s.decisive.Within(precision, leastPrecise)
}

// spread is what launches say together.
func (r *run) spread(results []invocations.Result) spreadOf {
	s := &invocations.Spread{Launches: len(results)}
	least, ghz := floors{floorUnknown, floorUnknown, floorCycles}, 0.0
	if r.Machine != nil {
		r.Machine.settle()
		least, ghz = r.Machine.floors(results[0].ID), r.Machine.ReferenceGHz()
	}
	var errs []float64
	quantum := 0.0
	for _, one := range results {
		s.Numbers, s.MediansNS = append(s.Numbers, one.Round), append(s.MediansNS, one.Summary.MedianNS)
		errs = append(errs, one.Summary.Half95()/1.96)
		quantum = max(quantum, tick(one.Clock)/float64(max(1, one.CallsPerBatch)))
	}
	s.WithinNS = stats.Median(errs)
	decisive := stats.LaunchInterval(s.MediansNS)
	s.Time = wide(decisive, s.MediansNS, results, least.time, quantum)
	s.BetweenNS = stats.Between(s.MediansNS, s.WithinNS)
	if cycles, counted := launchCycles(results); len(cycles) > 0 {
		if ghz > 0 {
			s.ReferenceGHz = ghz
			for _, c := range cycles {
				s.ReferenceMedians = append(s.ReferenceMedians, c/ghz)
			}
			reference, off := stats.LaunchInterval(s.ReferenceMedians), r.offClock(results, s.MediansNS)
			if off == 0 || reference.Half()*decisive.Value < decisive.Half()*reference.Value {
				decisive = reference
			}
			s.Reference = wide(reference, s.ReferenceMedians, results, max(least.reference, off), quantum)
		}
		if counted {
			s.CyclesMedians = cycles
			s.Cycles = wide(stats.LaunchInterval(cycles), cycles, results, max(least.cycles, r.offClock(results, s.MediansNS)), quantum*ghz)
		}
	}
	return spreadOf{s, decisive}
}

// launchCycles are the cycles of a call in each launch: counted ones, or by the clock that the canary saw, of launches that agree on which, at least half of all. None where neither is known in as
// many.
func launchCycles(results []invocations.Result) (cycles []float64, counted bool) {
	var byClock []float64
	for _, one := range results {
		switch median := stats.Median(one.CyclesSamples); {
		case len(one.CyclesSamples) == 0:
		case one.CyclesCounted:
			cycles = append(cycles, median)
		default:
			byClock = append(byClock, median)
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

const (
	clockWanders = 0.12    // of the clock, between runs
	followsFully = 0.7     // of a change of the clock, from which on a function counts as bound by the core alone
	beyondCaches = 1 << 20 // bytes of arguments that do not fit into what runs at the core's clock
)

// offClock is how far, as a fraction, another run may be at the reference clock because the clock of the core is another then and the function follows it only in part: the rest of
// its time is memory's.
func (r *run) offClock(results []invocations.Result, mediansNS []float64) float64 {
	var clocks []float64
	for _, one := range results {
		if !(one.Canary.GHz > 0) {
			return 0
		}
		clocks = append(clocks, one.Canary.GHz)
	}
	share, known := stats.FollowsClock(mediansNS, clocks)
	if !known && results[0].SetBytes > beyondCaches {
		share, known = 0, true // the clock stood still: nothing says that it follows
	}
	if !known || share >= followsFully {
		return 0
	}
	return (1 - share) * clockWanders
}

// tick is what a clock tells at least, in nanoseconds.
func tick(clock string) float64 {
	if clock == "monotonic" {
		return quantumSystem
	}
	return quantumTicks
}

// wide widens an interval to what the machine's floor and the clock tell at least; that of a single launch to what its own batches say.
func wide(i stats.Interval, medians []float64, results []invocations.Result, floor, quantum float64) stats.Interval {
	half := max(floor*math.Abs(i.Value), quantum)
	if len(medians) == 1 {
		half = max(half, math.Sqrt2*results[0].Summary.Half95())
	}
	return i.Widen(half)
}

// annotate adds what the plan knows of an invocation to a result of it.
func (r *run) annotate(p Planned, result *invocations.Result) {
	if p.Note != "" {
		addNew(&result.Notes, []string{p.Note})
	}
	if p.Lacks != "" && result.Status == invocations.OK {
		addNew(&result.Notes, []string{"ran although this CPU lacks what the artifact asks for: " + p.Lacks})
	}
}

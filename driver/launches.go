package driver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"zonemark/driver/executors"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/invocations/wire"
)

const (
	// LeastLaunches is the least number of launches of an invocation if the user gave no number.
	LeastLaunches = 5
	maxLaunches   = 60
	windowBlocks  = 8   // blocks that are measured together, launch by launch in turns
	shorterLaunch = 4   // launches beyond LeastLaunches are shorter by this factor
	longestPaired = 2   // times the least time of a launch: its limit, in pairs
	leastQuiet    = 3   // with fewer quiet launches, the others count too
	affordFactor  = 3.0 // times --max-time: limit for LeastLaunches launches, loading included
	quantumTicks  = 1.0 // ns; resolution of the processor's counter
	quantumSystem = 50.0
)

// launched is an invocation in progress with the results of its launches so far.
type launched struct {
	index   int // in the plan
	results []invocations.Result
	spent   time.Duration // in all launches
	last    time.Duration // in the last launch, from its start to its result
	loading time.Duration // in the first launch, without its samples
	like    *launched     // the side of a pair that has the same layouts; nil: none, or this is the first one
	restore bool          // its calls shall find restored arguments, whatever its first launch finds
	share   share         // of the samples that are kept
}

// restored reports whether the calls of the next launch shall find restored arguments.
func (l *launched) restored() bool {
	return l.restore || len(l.results) > 0 && l.results[0].Restored
}

// window measures the invocations of some blocks launch by launch, in a new random order for each launch, so that slow
// changes of the machine affect all of them alike.
func (r *run) window(ctx context.Context, plan []int, rng *rand.Rand) error {
	open := make([]*launched, len(plan))
	for k, i := range plan {
		open[k] = &launched{index: i}
	}
	for launch := 0; len(open) > 0; launch++ {
		rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		var next []*launched
		for k, l := range open {
			// The last one of a turn is followed by any of the next turn, most often with the same limits.
			following := &r.plan.At(open[(k+1)%len(open)].index).Invocation
			allowed := executors.AllowanceOf(following)
			// After one launch each, first launches of others follow.
			allowed.Supervised = launch == 0 && supervises(following.Measure) &&
				(k+1 < len(open) || following.Measure.Launches == 1)
			if err := r.launch(ctx, l, launch, allowed); err != nil {
				return err
			}
			if r.enough(l) {
				if err := r.conclude(l); err != nil {
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

// conclude records the result of an invocation. If the user asks for one launch only, that waits until an executor is
// busy with the next one, so that no executor waits for it.
func (r *run) conclude(l *launched) error {
	if err := r.concludeLast(); err != nil {
		return err
	}
	r.unfinished = l
	if r.plan.At(l.index).Invocation.Measure.Launches == 1 {
		return nil
	}
	return r.concludeLast()
}

// concludeLast records the result that waits, if one does.
func (r *run) concludeLast() error {
	l := r.unfinished
	if l == nil {
		return nil
	}
	r.unfinished = nil
	return r.finish(l.index, r.mergeLaunches(l))
}

// launch measures an invocation with a memory layout of its own, in a fresh executor or, if it has one launch only, in
// one that serves its artifact. It has the next executor started ahead, with the limits of the invocation that is likely
// to follow.
func (r *run) launch(ctx context.Context, l *launched, launch int, following executors.Allowance) error {
	p, message := r.toLaunch(l, launch)
	start := time.Now()
	if !r.mayShare(&p.Invocation) {
		r.wait(r.executor.Renew)
	}
	r.executor.Supervised = launch == 0 && supervises(p.Invocation.Measure)
	defer func() { r.executor.Supervised = false }()
	var err error
	r.wait(func() { err = r.executor.Ready(ctx, r.executor.Allowed(&p.Invocation)) })
	if err != nil {
		return fmt.Errorf("%s: %w", p.Invocation.Name, err)
	}
	r.executor.StartAhead(ctx, following)
	var recorded error
	r.executor.Meanwhile = func() {
		r.turn.Lock()
		defer r.turn.Unlock()
		recorded = r.concludeLast()
	}
	result, err := r.execute(ctx, l.index, message)
	if err == nil && result.Stop == invocations.StopSupervised {
		result, err = r.unsupervised(ctx, l.index, message, result)
	}
	r.executor.Meanwhile = nil
	if recorded != nil {
		return recorded
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Invocation.Name, err)
	}
	r.still.note(&result, start)
	l.last = time.Since(start)
	r.launchedOne(l, p, result)
	return nil
}

// supervises reports whether the first calls are made under supervision, which shows what the sandbox refuses. Of a fixed
// number of calls, all are timed, and supervision would slow them down.
func supervises(m invocations.Measure) bool { return m.CheckOnly || m.Iterations == 0 }

// unsupervised makes the first launch again, in an executor that supervision does not slow down. told is what the
// supervised one has found.
func (r *run) unsupervised(
	ctx context.Context, i int, m *wire.Execute, told invocations.Result,
) (invocations.Result, error) {
	r.executor.Supervised = false
	r.wait(r.executor.Renew)
	result, err := r.execute(ctx, i, m)
	switch {
	case err != nil || result.Status != invocations.OK:
		return result, err
	case result.Stop == invocations.StopSupervised:
		return r.executor.Disbelieve(m, r.plan.At(i).Lacks, "it asks twice for an executor without supervision"), nil
	}
	addNew(&result.Notes, told.Notes)
	if slices.Contains(told.Verdicts, invocations.Refused) {
		result.AddVerdict(invocations.Refused)
	}
	return result, nil
}

// toLaunch returns an invocation with the layout and the share of the time that a launch has, and the message that has
// an executor measure it.
func (r *run) toLaunch(l *launched, launch int) (*plan.Entry, *wire.Execute) {
	p := r.plan.At(l.index)
	m := &p.Invocation.Measure
	if len(l.results) == 0 {
		r.watchArtifact(&p.Invocation)
	}
	total := m.Launches
	if total == 0 {
		total = max(LeastLaunches, launch+1)
	}
	r.report(Progress{Name: p.Invocation.Name, Launch: launch, Launches: total})
	share := shareOf(*m)
	if m.MinTimeNS /= share; m.MaxTimeNS > 0 { // 0: no limit
		m.MaxTimeNS = max(1, m.MaxTimeNS/share)
	}
	m.MinIterations = (m.MinIterations + share - 1) / share
	if r.Pairs != nil { // further pairs tell more than waiting for quiet batches
		m.MaxTimeNS = min(int64(m.MaxTime()), longestPaired*m.MinTimeNS)
	}
	r.layOut(l, m, launch)
	if launch > 0 {
		m.ProfileCalls = 0 // dispatches are needed only once
	}
	// the remaining uncertainty is between launches: more launches tell more than longer ones
	if m.Launches == 0 && launch >= LeastLaunches && r.Pairs == nil {
		m.MinTimeNS /= shorterLaunch
	}
	message := &wire.Execute{Invocation: p.Invocation, Number: launch, Last: true, Trusted: launch > 0}
	message.ScalarClock = r.Pairs != nil // steps depend on it, and comparing does
	if launch > 0 {
		message.NoCanary = l.results[0].Canary.Why
	}
	message.Restored = l.restored()
	if r.Machine != nil {
		message.QuietPorts, message.QuietMemory = r.Machine.QuietPorts(), r.Machine.QuietMemory()
	}
	return p, message
}

// shareOf returns among how many launches the least and the longest time of an invocation are divided.
func shareOf(m invocations.Measure) int64 { return int64(cmp.Or(m.Launches, LeastLaunches)) }

// launchedOne keeps the result of a launch, whose duration is in l.last, and what it tells of the machine.
func (r *run) launchedOne(l *launched, p *plan.Entry, result invocations.Result) {
	l.spent += l.last
	result = r.keptArtifact(&p.Invocation, result)
	if len(l.results) == 0 {
		l.loading = l.last - sampled(&result)
	}
	if r.Machine != nil && result.Status == invocations.OK {
		r.Machine.Observe(result.Canary)
	}
	r.annotate(p, &result)
	if why := r.executor.Counters; strings.HasPrefix(why, "none") &&
		!strings.HasPrefix(r.plan.Environment["counters"], "none") {
		addNew(&result.Notes, []string{"counters: " + why})
	}
	if len(result.CyclesSamples) > 0 { // the decision after each launch needs no more of those before
		result.CyclesSamples = []float64{stats.Median(result.CyclesSamples)}
	}
	l.results = append(l.results, result)
	l.share.bound(l.results, mostOf(&p.Invocation.Measure))
}

// mayShare reports whether the present executor may measure an invocation after others. The user has asked for one
// launch of each, so nothing is to be learned from fresh executors, and all are of one artifact. A pinned thread cannot
// return to all CPUs. An executor that an invocation has changed leaves by itself.
func (r *run) mayShare(inv *invocations.Invocation) bool {
	last := r.launched
	r.launched = inv
	return last != nil && last.Measure.Launches == 1 && inv.Measure.Launches == 1 &&
		last.Measure.CPU == inv.Measure.CPU && last.Runtime == inv.Runtime && sameArtifact(&last.Artifact, &inv.Artifact)
}

// sameArtifact reports whether an executor loads the same for both.
func sameArtifact(a, b *invocations.Artifact) bool {
	return a.Path == b.Path && a.Built == b.Built && a.SHA256 == b.SHA256 && maps.Equal(a.Options, b.Options)
}

// enough reports whether an invocation needs no further launch or cannot have one.
func (r *run) enough(l *launched) bool {
	m := r.plan.At(l.index).Invocation.Measure
	last, n := l.results[len(l.results)-1], len(l.results)
	budget := m.MaxTime()
	switch {
	case last.Status != invocations.OK, m.CheckOnly, n >= maxLaunches && n >= m.Launches:
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

// quietLaunches returns the results that were measured while the machine was quiet, by the best level known so far.
func (r *run) quietLaunches(results []invocations.Result) []invocations.Result {
	var kept []invocations.Result
	for _, one := range results {
		if len(one.SamplesNS) == 0 || slices.Contains(one.Verdicts, invocations.Contended) {
			continue
		}
		if best := r.quietPorts(); best > 0 && one.Canary.KeptPorts > machine.LevelNear*best {
			continue
		}
		kept = append(kept, one)
	}
	return kept
}

// quietPorts returns the best level of the canary; 0 if it is not known.
func (r *run) quietPorts() float64 {
	if r.Machine == nil {
		return 0
	}
	return r.Machine.QuietPorts()
}

// spreadOf is a Spread with the interval that decides whether its launches converge. It is the interval of the launches
// alone, at the reference clock if that is known.
type spreadOf struct {
	*invocations.Spread
	decisive stats.Interval
	own      stats.OwnClock
}

// leastPrecise is a time in nanoseconds. For shorter times, precision is a fraction of leastPrecise.
const leastPrecise = 1.0

// converged reports whether the launches agree within the precision. It ignores how much runs differ on this machine,
// since further launches would not change that.
func (s spreadOf) converged(precision float64) bool {
	return s.decisive.Within(precision, leastPrecise)
}

// spread combines the medians of launches.
func (r *run) spread(results []invocations.Result) spreadOf {
	s := &invocations.Spread{Launches: len(results), Arrays: arraysOf(results)}
	least, ghz := machine.UnknownFloors, 0.0
	if r.Machine != nil {
		r.Machine.Settle()
		least, ghz = r.Machine.Floors(results[0].ID), r.Machine.ReferenceGHz()
	}
	var errs []float64
	quantum := 0.0
	for _, one := range results {
		s.Numbers, s.MediansNS = append(s.Numbers, one.Number), append(s.MediansNS, one.Summary.MedianNS)
		errs = append(errs, one.Summary.Half95()/1.96)
		quantum = max(quantum, tick(one.Clock)/float64(max(1, one.CallsPerBatch)))
	}
	s.WithinNS = stats.Median(errs)
	decisive := stats.LaunchInterval(s.MediansNS)
	s.Time = wide(decisive, s.MediansNS, results, least.Time.Drift(), quantum)
	s.BetweenNS = stats.Between(s.MediansNS, s.WithinNS)
	own, ownKnown := ownClockOf(results)
	if ownKnown {
		s.OwnClock = own.Ratio
	}
	if cycles, counted := launchCycles(results); len(cycles) > 0 {
		at := clockedOf(results, counted, own, ghz).AtUsual()
		if ghz > 0 && len(at.NS) > 0 {
			s.ReferenceGHz, s.ReferenceMedians, s.ReferenceFloor = ghz, at.NS, least.Reference.Machine
			decisive = stats.LaunchInterval(at.NS)
			s.Reference = wide(decisive, at.NS, results, least.Reference.Own, quantum).Widen(at.Vague * decisive.Value)
		}
		if counted {
			s.CyclesMedians = cycles
			s.Cycles = wide(stats.LaunchInterval(cycles), cycles, results,
				max(least.Cycles.Own, (1-at.Follows)*at.Wander), quantum*ghz)
			s.CyclesFloor = least.Cycles.Machine
		}
	}
	return spreadOf{s, decisive, own}
}

// launchCycles returns the cycles of a call in each launch. They are counted cycles if at least half of the launches
// have them, else cycles by the clock that the canary saw if at least half have these, else nil.
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

// annotate adds the plan's notes on an invocation to its result.
func (r *run) annotate(p *plan.Entry, result *invocations.Result) {
	if p.Note != "" {
		addNew(&result.Notes, []string{p.Note})
	}
	if p.Lacks != "" && result.Status == invocations.OK {
		addNew(&result.Notes, []string{"ran although this CPU lacks what the artifact asks for: " + p.Lacks})
	}
}

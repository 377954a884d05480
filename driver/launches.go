package driver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/executors"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

const (
	maxLaunches   = 60
	windowBlocks  = 8   // blocks that are measured together, launch by launch in turns
	shorterLaunch = 4   // launches beyond LeastLaunches are shorter by this factor
	longestPaired = 2   // times the least time of a launch: its limit, in pairs and races
	affordFactor  = 3.0 // times --max-time: limit for LeastLaunches launches, loading included
)

// launched is an invocation in progress with the results of its launches so far.
type launched struct {
	combine.Launches
	index   int           // in the plan
	loading time.Duration // in the first launch, without its samples
	like    *launched     // the side of a pair that has the same layouts; nil: none, or this is the first one
	short   bool          // its next launch is short, as those of races are that only decide
	restore bool          // its calls shall find restored arguments, whatever its first launch finds
	look    lookAt        // what its next launch looks at, in a race
	// forgotten is the number of its launches before those that count.
	forgotten int
}

// restored reports whether the calls of the next launch shall find restored arguments.
func (l *launched) restored() bool {
	return l.restore || len(l.Results) > 0 && l.Results[0].Restored
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
				r.keepPartial(ctx, open...)
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
	return r.finish(l.index, l.Merge(r.plan.At(l.index).Invocation.Measure, r.Machine))
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
	l.Last = time.Since(start)
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
	combine.AddNew(&result.Notes, told.Notes)
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
	if len(l.Results) == 0 {
		r.watchArtifact(&p.Invocation)
	}
	total := m.Launches
	if total == 0 && launch < combine.LeastLaunches {
		total = combine.LeastLaunches
	}
	if total > 0 {
		total = max(total, launch+1)
	}
	r.report(Progress{Name: p.Invocation.Name, Launch: launch, Launches: total, MedianNS: l.MedianNS(),
		least: time.Duration(max(1, total-launch)) * l.Spent / time.Duration(max(1, launch))})
	share := shareOf(*m)
	if m.MinTimeNS /= share; m.MaxTimeNS > 0 { // 0: no limit
		m.MaxTimeNS = max(1, m.MaxTimeNS/share)
	}
	m.MinIterations = (m.MinIterations + share - 1) / share
	r.layOut(l, m, launch)
	if launch > 0 {
		m.ProfileCalls = 0 // dispatches are needed only once
	}
	// the remaining uncertainty is between launches: more launches tell more than longer ones
	if l.short || m.Launches == 0 && launch >= combine.LeastLaunches && r.Pairs == nil {
		m.MinTimeNS /= shorterLaunch
	}
	if l.short {
		m.Precision = 0 // which further launches tell
	}
	if r.Pairs != nil || p.MostLaunches > 0 { // further launches tell more than waiting for quiet batches
		m.MaxTimeNS = min(int64(m.MaxTime()), longestPaired*m.MinTimeNS)
	}
	first := launch == 0 || l.look == thoroughLook
	message := &wire.Execute{Invocation: p.Invocation, Number: launch, Last: true, Trusted: !first, Brief: l.look == briefLook}
	message.Short = l.short
	message.ScalarClock = r.Pairs != nil // steps depend on it, and comparing does
	if !first {
		message.NoCanary = l.Results[0].Canary.Why
	}
	message.Restored = l.restored() && l.look != thoroughLook
	if r.Machine != nil {
		message.QuietPorts, message.QuietMemory = r.Machine.QuietPorts(), r.Machine.QuietMemory()
	}
	return p, message
}

// shareOf returns among how many launches the least and the longest time of an invocation are divided.
func shareOf(m invocations.Measure) int64 { return int64(cmp.Or(m.Launches, combine.LeastLaunches)) }

// launchedOne keeps the result of a launch, whose duration is in l.Last, and what it tells of the machine.
func (r *run) launchedOne(l *launched, p *plan.Entry, result invocations.Result) {
	l.Spent += l.Last
	r.forecast.launched(l.Last)
	result = r.keptArtifact(&p.Invocation, result)
	if len(l.Results) == 0 {
		l.loading = l.Last - sampled(&result)
	}
	if r.Machine != nil && result.Status == invocations.OK {
		r.Machine.Observe(result.Canary)
	}
	r.annotate(p, &result)
	if why := r.executor.Counters; strings.HasPrefix(why, "none") &&
		!strings.HasPrefix(r.plan.Environment["counters"], "none") {
		combine.AddNew(&result.Notes, []string{"counters: " + why})
	}
	l.Add(result, p.Invocation.Measure)
}

// mayShare reports whether the present executor may measure an invocation after others. The user has asked for one
// launch of each, or a race takes a short look, so nothing is to be learned from fresh executors, and all are of one
// artifact. A pinned thread cannot return to all CPUs. An executor that an invocation has changed leaves by itself.
func (r *run) mayShare(inv *invocations.Invocation) bool {
	last := r.launched
	r.launched = inv
	return last != nil && (r.looking || last.Measure.Launches == 1 && inv.Measure.Launches == 1) &&
		last.Measure.CPU == inv.Measure.CPU && last.Runtime == inv.Runtime && sameArtifact(&last.Artifact, &inv.Artifact)
}

// sameArtifact reports whether an executor loads the same for both.
func sameArtifact(a, b *invocations.Artifact) bool {
	return a.Path == b.Path && a.Built == b.Built && a.SHA256 == b.SHA256 && maps.Equal(a.Options, b.Options)
}

// enough reports whether an invocation needs no further launch or cannot have one.
func (r *run) enough(l *launched) bool {
	m := r.plan.At(l.index).Invocation.Measure
	last, n := l.Results[len(l.Results)-1], len(l.Results)
	budget := m.MaxTime()
	switch {
	case last.Status != invocations.OK, m.CheckOnly, n >= maxLaunches && n >= m.Launches:
		return true
	case m.Launches > 0:
		return n >= m.Launches
	case n < combine.LeastLaunches:
		return float64(l.Spent+l.Last) > affordFactor*float64(budget)
	}
	if l.Enough(m.Precision, r.Machine) {
		return true
	}
	return l.Spent+l.Last > budget
}

// annotate adds the plan's notes on an invocation to its result.
func (r *run) annotate(p *plan.Entry, result *invocations.Result) {
	if p.Note != "" {
		combine.AddNew(&result.Notes, []string{p.Note})
	}
	if p.Lacks != "" && result.Status == invocations.OK {
		combine.AddNew(&result.Notes, []string{"ran although this CPU lacks what the artifact asks for: " + p.Lacks})
	}
}

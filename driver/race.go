package driver

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// mostLooks and leastLooks are how many launches at the begin of a race are brief looks: most variants are far from
	// the best.
	mostLooks, leastLooks = 4, 2
	// crowd is the number of variants up to which those that are left are measured at full length: of more, further short
	// launches drop most for less.
	crowd = 6
	// fullLaunches is the number of launches of full length, each in an executor of its own, of those that are left in the
	// end.
	fullLaunches = 3
)

// lookAt says what a launch looks at beside the time.
type lookAt int

const (
	usualLook lookAt = iota // outputs and what calls leave of their arguments, if it is the first launch
	// briefLook looks only briefly at what calls leave of their arguments.
	briefLook
	// thoroughLook is that of a launch whose variant only had brief looks: it counts as a first one.
	thoroughLook
)

// briefSlack is by how much the times of a variant may be wrong that only had brief looks, since what calls leave of their
// arguments may change the time of further ones.
const briefSlack = 0.05

// enoughLooks is the number of launches of a variant from which all count, if most of them were contended.
const enoughLooks = 3

// ownCPU is the wall time up to which a thread has had the CPU, in CPU times of its own.
const ownCPU = 1.1

// race measures variants of a group as stats.Race says: launch by launch in random order, until the best are found. Each of
// those that are left in the end has as many launches as it has without a race. If these do not decide, it has more, as
// far as the time suffices. Variants that are dropped keep what was measured.
type race struct {
	*run
	of          []*launched // by their numbers in the race
	least, most int         // launches of those that are left
	looks       int         // brief ones, at the begin
	full        int         // launches of full length so far
	state       *stats.Race
	// figured are the figures of the launches of each, nil before the first look. Those of variants that have left the
	// race stay.
	figured []*invocations.RecordedLaunches
}

// races measures the variants of a block that race, and returns the others. Variants of different modes are not
// compared: each mode has a race.
func (r *run) races(ctx context.Context, block []int, rng *rand.Rand) (others []int, err error) {
	members := map[invocations.Mode][]int{}
	var modes []invocations.Mode
	for _, i := range block {
		p := r.plan.At(i)
		if p.MostLaunches == 0 {
			others = append(others, i)
			continue
		}
		mode := p.Invocation.Measure.Mode
		if members[mode] == nil {
			modes = append(modes, mode)
		}
		members[mode] = append(members[mode], i)
	}
	for _, mode := range modes {
		if len(members[mode]) <= max(1, r.Top) { // of an interrupted race, perhaps
			others = append(others, members[mode]...)
			continue
		}
		if err := r.race(ctx, members[mode], rng); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// race measures the variants of a race.
func (r *run) race(ctx context.Context, variants []int, rng *rand.Rand) error {
	c := &race{run: r, state: stats.NewRace(len(variants), stats.RaceOptions{Top: r.Top}),
		figured: make([]*invocations.RecordedLaunches, len(variants))}
	for _, i := range variants {
		p := r.plan.At(i)
		c.of = append(c.of, &launched{index: i})
		c.least, c.most = max(c.least, p.Invocation.Measure.Launches), max(c.most, p.MostLaunches)
	}
	c.looks = min(mostLooks, max(leastLooks, c.least-fullLaunches))
	if err := r.concludeLast(); err != nil {
		return err
	}
	defer func() { r.looking = false }()
	for launch := 0; len(c.state.Open()) > 0; launch++ {
		r.looking, r.launched = c.short(launch), nil
		if err := c.round(ctx, launch, rng); err != nil {
			return err
		}
		if err := c.look(launch); err != nil {
			return err
		}
		if !r.looking {
			c.full++
		}
		if !c.ended(launch + 1) {
			continue
		}
		for _, v := range c.state.Open() {
			if err := c.leave(v, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// short reports whether a launch is short, and shares an executor with those of other variants: one at the begin, one
// of many variants, or one beyond those that everybody has who is left.
func (c *race) short(launch int) bool {
	switch room := c.most - launch; {
	case launch < c.looks:
		return true
	case launch >= c.least:
		return c.full >= fullLaunches
	default:
		return room > fullLaunches && len(c.state.Open()) > crowd
	}
}

// ended reports whether those that are left need no further launch, or have no time for one.
func (c *race) ended(launches int) bool {
	if launches < c.most && (launches < c.least || c.full < fullLaunches) {
		return false
	}
	var spent, budget float64 // the longest time may be none
	for _, v := range c.state.Open() {
		m := c.plan.At(c.of[v].index).Invocation.Measure
		spent, budget = spent+float64(c.of[v].Spent+c.of[v].Last), budget+float64(m.MaxTime())
	}
	return launches >= c.most || spent > budget || c.state.Over()
}

// round makes a launch of each variant that is left. Who cannot be measured leaves the race.
func (c *race) round(ctx context.Context, launch int, rng *rand.Rand) error {
	open := c.state.Open()
	rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	for k, v := range open {
		l := c.of[v]
		l.short, l.look = c.looking, c.lookOf(launch)
		following := &c.plan.At(c.of[open[(k+1)%len(open)]].index).Invocation
		allowed := executors.AllowanceOf(following)
		allowed.Supervised = launch == 0 && k+1 < len(open) && supervises(following.Measure)
		if err := c.launch(ctx, l, launch, allowed); err != nil {
			for _, v := range open {
				c.keepPartial(ctx, c.of[v])
			}
			return err
		}
		if l.Results[len(l.Results)-1].Status == invocations.OK {
			c.forgetOthers(l)
			continue
		}
		if err := c.leave(v, nil); err != nil {
			return err
		}
	}
	return nil
}

// lookOf returns what a launch of a race looks at.
func (c *race) lookOf(launch int) lookAt {
	switch {
	case launch < c.looks:
		return briefLook
	case launch == c.looks:
		return thoroughLook
	}
	return usualLook
}

// forgetOthers forgets the brief looks at a variant if a thorough one, the latest, has found that its calls need restored
// arguments, or need none: their times are those of something else.
func (c *race) forgetOthers(l *launched) {
	last := l.Results[len(l.Results)-1]
	if l.look != thoroughLook || last.Restored == l.Results[0].Restored {
		return
	}
	l.forgotten = len(l.Results) - 1
	l.Forget()
	l.Add(last, c.plan.At(l.index).Invocation.Measure)
}

// look drops variants by what all launches say, and records them.
func (c *race) look(launch int) error {
	slack := 0.0
	if launch < c.looks {
		slack = briefSlack
	}
	for _, d := range c.state.Look(c.figures(), slack) {
		l := c.of[d.Variant]
		why := invocations.Dropped{Launches: l.forgotten + len(l.Results), Ratio: d.Ratio, Low: d.Low, High: d.High,
			Best: c.plan.At(c.of[d.Best].index).Invocation.Name}
		if err := c.leave(d.Variant, &why); err != nil {
			return err
		}
	}
	return nil
}

// figures returns the figures of all launches by which those that are left are compared, with NaN for launches that do
// not count: those that a result leaves out, and, of the first few, those that lost the CPU. On a busy machine these may
// seem to take many times as long as others.
func (c *race) figures() [][]float64 {
	var compared []*invocations.RecordedLaunches
	for v, l := range c.of {
		if c.state.Out(v) {
			continue
		}
		record := invocations.NewRecord(c.plan.At(l.index).Invocation, c.merged(v))
		if c.figured[v] = &record.RecordedLaunches; len(record.LaunchMediansNS) > 0 {
			compared = append(compared, c.figured[v])
		}
	}
	figure, _ := invocations.ComparedLaunches(compared)
	all := make([][]float64, len(c.of))
	for v, launches := range c.figured {
		if launches == nil {
			continue
		}
		all[v] = slices.Clone(figure.Of(launches))
		if results := c.of[v].Results; len(results) < enoughLooks && len(all[v]) == len(results) {
			for n := range results {
				if lostCPU(&results[n]) {
					all[v][n] = math.NaN()
				}
			}
		}
		for range c.of[v].forgotten {
			all[v] = slices.Insert(all[v], 0, math.NaN())
		}
	}
	return all
}

// lostCPU reports whether other work took the CPU for much of a launch that was contended. If others only share the core or
// its caches, times are not twice as long, which a race allows for.
func lostCPU(r *invocations.Result) bool {
	return slices.Contains(r.Verdicts, invocations.Contended) &&
		!(r.Summary.MedianNS+r.OverheadNS <= ownCPU*r.Summary.CPUMedianNS)
}

// leave has a variant leave the race, and keeps its result. why tells what dropped it; nil: nothing did.
func (c *race) leave(v int, why *invocations.Dropped) error {
	c.state.Withdraw(v)
	result := c.merged(v)
	if why != nil {
		result.Drop(*why)
	}
	return c.run.finish(c.of[v].index, result)
}

// merged returns the result of the launches of a variant so far.
func (c *race) merged(v int) invocations.Result {
	return c.of[v].Merge(c.plan.At(c.of[v].index).Invocation.Measure, c.Machine)
}

package driver

import (
	"context"
	"math/rand/v2"
	"slices"

	"zonemark/driver/executors"
	"zonemark/invocations"
)

// Pairs has invocations measured two by two: a launch of one, then of the other, in random order, then in the reverse
// order, again and again. What changes slowly on the machine changes both alike, and each is as often the first. Native
// code on one core is measured in turns within the launches too; see turns.
type Pairs struct {
	// Of are the positions in the plan of the two invocations of each pair. Invocations that are in no pair are not
	// measured.
	Of [][2]int
	// Decided is asked after each pair of launches, with all results of both invocations so far, launch by launch. It
	// reports whether no more are needed. last says that there is no time for more: twice the MaxTimeNS of the first
	// invocation is spent.
	Decided func(pair int, results [2][]invocations.Result, last bool) bool
}

// paired is a pair in progress.
type paired struct {
	number int // in Pairs.Of
	sides  [2]*launched
	first  int // side of the latest launches
}

// pairs measures the pairs of the plan, some at a time. A pair is finished when it is decided.
func (r *run) pairs(ctx context.Context, rng *rand.Rand) error {
	var open []*paired
	for n, of := range r.Pairs.Of {
		switch was, is := r.isFinished(of[0]), r.isFinished(of[1]); {
		case was && is:
		case was || is: // one of them cannot run
			alone := of[0]
			if was {
				alone = of[1]
			}
			if err := r.window(ctx, []int{alone}, rng); err != nil {
				return err
			}
		default:
			first := &launched{index: of[0]}
			open = append(open, &paired{number: n, sides: [2]*launched{first, {index: of[1], like: first}}})
		}
	}
	for window := range slices.Chunk(open, windowBlocks) {
		if err := r.pairsInTurns(ctx, slices.Clone(window), rng); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) pairsInTurns(ctx context.Context, open []*paired, rng *rand.Rand) error {
	for launch := 0; len(open) > 0; launch++ {
		rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		var next []*paired
		for _, p := range open {
			if p.first = 1 - p.first; launch%2 == 0 {
				p.first = rng.IntN(2)
			}
			if err := r.launchBoth(ctx, p, launch); err != nil {
				for _, one := range open {
					r.keepPartial(ctx, one.sides[:]...)
				}
				return err
			}
			if !r.decided(p) {
				next = append(next, p)
				continue
			}
			for _, side := range p.sides {
				if err := r.finish(side.index, side.Merge(r.plan.At(side.index).Invocation.Measure, r.Machine)); err != nil {
					return err
				}
			}
		}
		open = next
	}
	return nil
}

// launchBoth measures a launch of both sides: in turns if that is possible, else one after the other.
func (r *run) launchBoth(ctx context.Context, p *paired, launch int) error {
	if n := r.turnsOf(p); n > 1 {
		return r.turns(ctx, p, launch, n)
	}
	for _, side := range []int{p.first, 1 - p.first} {
		following := &r.plan.At(p.sides[1-side].index).Invocation
		allowed := executors.AllowanceOf(following)
		allowed.Supervised = launch == 0 && side == p.first
		if err := r.launch(ctx, p.sides[side], launch, allowed); err != nil {
			return err
		}
	}
	return r.restoreAlike(ctx, p, launch)
}

// decided reports whether a pair needs no further launches or cannot have any.
func (r *run) decided(p *paired) bool {
	old, fresh := p.sides[0], p.sides[1]
	m := r.plan.At(old.index).Invocation.Measure
	last := m.CheckOnly || m.Launches > 0 && len(old.Results) >= m.Launches
	for _, side := range p.sides {
		last = last || side.Results[len(side.Results)-1].Status != invocations.OK
	}
	if m.Launches == 0 && (old.Spent+fresh.Spent+old.Last+fresh.Last)/2 > m.MaxTime() {
		last = true
	}
	return r.Pairs.Decided(p.number, [2][]invocations.Result{old.Results, fresh.Results}, last) || last
}

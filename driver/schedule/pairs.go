package schedule

import (
	"math"
	"slices"

	"zonemark/driver/combine"
	"zonemark/invocations"
)

// Pairs has invocations measured two by two: a launch of one, then of the other, in random order, then in the reverse
// order, again and again. What changes slowly on the machine changes both alike, and each is as often the first. Native
// code on one core is measured in turns within the launches too; see launch.InTurns.
type Pairs struct {
	// Of are the positions in the plan of the two invocations of each pair. Invocations that are in no pair are not
	// measured.
	Of [][2]int
	// Decided is asked after each pair of launches, with all results of both invocations so far, launch by launch. It
	// reports whether no more are needed. last says that there is no time for more: twice the MaxTimeNS of the first
	// invocation is spent.
	Decided func(pair int, results [2][]invocations.Result, last bool) bool
}

// pairing measures pairs, each until it is decided.
type pairing struct {
	site    *Site
	decided func(pair int, results [2][]invocations.Result, last bool) bool
	turns   rotation[*pair]
}

// pair is a pair in progress.
type pair struct {
	number int // in Pairs.Of
	sides  [2]*Series
	first  int // side of the latest launches

	begun    bool  // the launch of this round
	together bool  // it is one of both sides at the same time
	left     []int // sides that are still to be launched in it
	alike    int   // sides of which it is known whether they are launched again with what the other one needs
}

// Pairs returns the strategy by which a worker measures pairs that are not finished, some at a time. One side is
// measured alone if the other one has its result, as it cannot run.
func (s *Site) Pairs(pairs *Pairs, finished func(position int) bool) Strategy {
	var list []Strategy
	var open []*pair
	for n, of := range pairs.Of {
		switch was, is := finished(of[0]), finished(of[1]); {
		case was && is:
		case was || is:
			alone := of[0]
			if was {
				alone = of[1]
			}
			w := s.newWindow([]int{alone})
			w.turns.left[0].paired = true
			list = append(list, w)
		default:
			first, second := newSeries(s.Plan, of[0]), newSeries(s.Plan, of[1])
			first.paired, second.paired, second.like = true, true, first
			open = append(open, &pair{number: n, sides: [2]*Series{first, second}})
		}
	}
	for some := range slices.Chunk(open, windowBlocks) {
		list = append(list, &pairing{s, pairs.Decided, rotation[*pair]{random: s.Random, left: slices.Clone(some)}})
	}
	return &sequence{list}
}

// Next returns a launch of both sides of the pair whose turn it is, or of the side of it that is next.
func (s *pairing) Next() *Launch {
	p, is := s.turns.now()
	if !is {
		return nil
	}
	launch := s.turns.number
	if !p.begun {
		p.begin(s.site, launch)
		if n := p.turns(); n > 1 {
			p.together = true
			return &Launch{Kind: Together, Series: p.sides[:], Number: launch, Fresh: true, First: p.first, Turns: n,
				Steps: s.site.Steps && p.stepwise()}
		}
		p.left = []int{p.first, 1 - p.first}
	}
	side, other := p.sides[p.left[0]], p.sides[1-p.left[0]]
	return &Launch{
		Series: []*Series{side}, Number: launch, Supervised: launch == 0 && Supervises(&side.Measure),
		Shared: side.Measure.Launches == 1, Following: other,
		FollowingSupervised: launch == 0 && len(p.left) > 1,
	}
}

// begin begins the pair's launch of a round.
func (p *pair) begin(s *Site, launch int) {
	if p.first = 1 - p.first; launch%2 == 0 {
		p.first = s.Random.IntN(2)
	}
	p.begun, p.together, p.alike = true, false, 0
}

// Made says whether the pair is finished: both sides are launched, and it is decided.
func (s *pairing) Made() []Finished {
	p, _ := s.turns.now()
	if !p.together {
		if p.left = p.left[1:]; len(p.left) == 0 {
			p.freshAlike()
		}
		if len(p.left) > 0 {
			return nil
		}
	}
	p.begun = false
	if !s.enough(p) {
		s.turns.done(true)
		return nil
	}
	s.turns.done(false)
	return []Finished{{Series: p.sides[0]}, {Series: p.sides[1]}}
}

// Open returns the sides of all pairs that are not decided.
func (s *pairing) Open() (open []*Series) {
	for _, p := range s.turns.all() {
		open = append(open, p.sides[:]...)
	}
	return open
}

// freshAlike has both sides of a pair find restored arguments, or random contents in other orders, if the first launch of
// one of them has found that this matters. The first launch of the other side is made again: what restoring does to caches
// must be the same on both sides. A side without such arguments stays as it is.
func (p *pair) freshAlike() {
	for ; p.alike < len(p.sides); p.alike++ {
		side, other := p.sides[p.alike], p.sides[1-p.alike]
		if !measuredOnce(side) || !measuredOnce(other) {
			continue
		}
		has := side.Results[0].Fresh
		wants := has.With(other.Results[0].Fresh)
		if wants == has {
			continue
		}
		side.wants = wants
		side.Forget()
		p.left = []int{p.alike}
		p.alike++
		return
	}
}

// measuredOnce reports whether an invocation has had one launch, which ended well.
func measuredOnce(s *Series) bool {
	return len(s.Results) == 1 && s.Results[0].Status == invocations.OK
}

// enough reports whether a pair needs no further launches or cannot have any.
func (s *pairing) enough(p *pair) bool {
	old, fresh := p.sides[0], p.sides[1]
	m := &old.Measure
	last := m.CheckOnly || m.Launches > 0 && len(old.Results) >= m.Launches
	for _, side := range p.sides {
		last = last || !side.endedWell()
	}
	if m.Launches == 0 && (old.Spent+fresh.Spent+old.Last+fresh.Last)/2 > m.MaxTime() {
		last = true
	}
	return s.decided(p.number, [2][]invocations.Result{old.Results, fresh.Results}, last) || last
}

const (
	// TurnNS is how long one side is timed before it is the other's turn: long compared with what a change of turns
	// costs, short compared with how long other tenants of the caches and of memory stay as they are.
	TurnNS = 3_000_000
	// leastTurns and mostTurns of each side in a launch. What differs from launch to launch, such as the physical pages,
	// is left to further launches.
	leastTurns, mostTurns = 4, 16
	// loadingShare of the time that loading and preparing take is spent on turns of a side at least, if there is time for
	// enoughLaunches: a further launch costs that.
	loadingShare = 0.5
	// enoughLaunches are as many as decide most comparisons; turnCost is how long a turn of both sides takes in all.
	enoughLaunches, turnCost = 14, 5 * TurnNS
	// leastTimes is the number of launches that share the least time. A decision takes as many pairs of launches.
	leastTimes = 10
	// longBatch is the length of a batch, in turns, from which launches follow each other whole.
	longBatch = 4
	// longestStepped is the longest call, in nanoseconds, of functions that are measured in steps. Before each batch, a
	// call brings back what the other side has taken from the caches, which is half of the time if a batch has one call
	// only. Of longer calls, a turn would have too few.
	longestStepped = 250_000
)

// turns returns into how many turns of each side the next launches of a pair are divided. One means that launches
// follow each other whole. That is so for the first ones, which tell whether turns are possible: both executors live at
// the same time, so that native code must use one core only, and no device. Long calls have no turns either, as they
// would make launches longer.
func (p *pair) turns() int {
	var loading float64
	for _, side := range p.sides {
		one := onOneCore(side.Results)
		if one == nil {
			return 1
		}
		fastest := combine.FastestCall(side.Results) // +Inf below a nanosecond
		if !math.IsInf(fastest, 1) && fastest*float64(one.CallsPerBatch) > longBatch*TurnNS {
			return 1
		}
		loading = max(loading, float64(side.loading))
	}
	m := &p.sides[0].Measure
	wanted := max(float64(m.MinTimeNS)/leastTimes, loadingShare*loading) / TurnNS
	if m.MaxTimeNS > 0 {
		wanted = min(wanted, (2*float64(m.MaxTimeNS)/enoughLaunches-loading)/turnCost)
	}
	n := int(max(leastTurns, min(mostTurns, wanted)))
	return n + n%2 // arguments change places after half of them
}

// onOneCore returns the first launch that has seen one core do the work; nil if none has. Threads of native code show in
// each launch; one on a busy machine may take others' work for theirs.
func onOneCore(launches []invocations.Result) *invocations.Result {
	for i := range launches {
		if r := &launches[i]; r.Status == invocations.OK && len(r.SamplesNS) > 0 && r.Canary.Why == "" {
			return r
		}
	}
	return nil
}

// stepwise reports whether the calls of a pair are short enough for steps, in which both sides make a batch by turns.
// The clock of a core changes from millisecond to millisecond, and so does what others do in memory. Turns one after
// the other differ by it, batches one after the other do not. Sides that change the clock themselves, and not alike,
// would have that of the other.
func (p *pair) stepwise() bool {
	for _, side := range p.sides {
		if side.Measure.Iterations > 0 || combine.FastestCall(side.Results) > longestStepped {
			return false
		}
	}
	return !combine.OwnClocksDiffer(p.sides[0].Results, p.sides[1].Results)
}

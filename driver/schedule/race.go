package schedule

import (
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// mostLooks and leastLooks are how many launches at the begin of a race are brief looks: most variants are far from
	// the best.
	mostLooks, leastLooks = 4, 2
	// furtherLooks are how many more are brief while most variants are left and launches jump, as on a busy machine: nobody
	// is dropped by the first ones then, and a thorough look takes four times as long.
	furtherLooks = 3
	// crowd is the number of variants up to which all that may be as good as the best stay, and the last launches that all
	// have are of full length. More variants have short ones until nothing more is to be decided.
	crowd = 6
	// fullLaunches is the number of launches of full length that variants have in the end, each in an executor of its
	// own.
	fullLaunches = 3
)

// LookAt says what a launch looks at beside the time.
type LookAt int

const (
	usualLook LookAt = iota // outputs and what calls leave of their arguments, if it is the first launch
	// briefLook looks only briefly at what calls leave of their arguments.
	briefLook
	// thoroughLook is that of a launch whose variant only had brief looks: it counts as a first one.
	thoroughLook
	// fullLook is that of the first launch of full length in a race. It looks for what takes too long for all variants.
	fullLook
)

// briefSlack is the fraction by which the times of a variant may be wrong after brief looks only, which may miss that
// its calls need restored arguments.
const briefSlack = 0.05

// enoughLooks is the number of launches of a variant from which all count, if most of them were contended.
const enoughLooks = 3

// ownCPU is the wall time up to which a thread has had the CPU, in CPU times of its own.
const ownCPU = 1.1

// race measures variants of a group as stats.Race says: launch by launch in random order, until the best are found.
// Each of those that are left in the end has as many launches as it has without a race. If these do not decide, it has
// more, as far as the time suffices. Variants that are dropped keep what was measured.
type race struct {
	*Site
	of          []*Series // by their numbers in the race
	least, most int       // launches of those that are left
	looks       int       // brief ones, at the begin
	full        int       // launches of full length so far
	settled     bool      // nothing more is to be decided, or there is no time for that
	state       *stats.Race
	// figured are the figures of the launches of each, nil before the first look. Those of variants that have left the
	// race stay.
	figured []*invocations.RecordedLaunches

	launch int   // number of the launch that all have who are left
	round  []int // who began it, in their order
	at     int   // in round, of the one that is launched
	short  bool  // the launches of the round are short, and share an executor with those of other variants
}

// races divides a block into the variants that race and the others. Variants of different modes are not compared: each
// mode has a race.
func (s *Site) races(block []int) (races [][]int, others []int) {
	members := map[invocations.Mode][]int{}
	var modes []invocations.Mode
	for _, i := range block {
		p := s.Plan.At(i)
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
		if len(members[mode]) <= max(1, s.Top) { // of an interrupted race, perhaps
			others = append(others, members[mode]...)
			continue
		}
		races = append(races, members[mode])
	}
	return races, others
}

func (s *Site) newRace(variants []int) *race {
	c := &race{Site: s, state: stats.NewRace(len(variants), stats.RaceOptions{Top: s.Top}),
		figured: make([]*invocations.RecordedLaunches, len(variants))}
	for _, i := range variants {
		l := newSeries(s.Plan, i)
		c.of = append(c.of, l)
		c.least, c.most = max(c.least, l.Measure.Launches), max(c.most, l.most)
	}
	c.looks = min(mostLooks, max(leastLooks, c.least-fullLaunches))
	return c
}

// Next returns the launch of the variant whose turn it is: each round has one of all that are left, in random order.
func (c *race) Next() *Launch {
	if c.at == len(c.round) {
		if c.round, c.at = c.state.Open(), 0; len(c.round) == 0 {
			return nil
		}
		c.Random.Shuffle(len(c.round), func(i, j int) { c.round[i], c.round[j] = c.round[j], c.round[i] })
		if c.launch == c.looks && c.looksFurther() {
			c.looks++
		}
		c.short = c.isShort()
	}
	l, following := c.of[c.round[c.at]], c.of[c.round[(c.at+1)%len(c.round)]]
	return &Launch{
		Series: []*Series{l}, Number: c.launch, Supervised: c.launch == 0 && Supervises(&l.Measure),
		Short: c.short, Look: c.look(),
		Fresh: c.at == 0, Shared: c.short || l.Measure.Launches == 1,
		Following:           following,
		FollowingSupervised: c.launch == 0 && c.at+1 < len(c.round) && Supervises(&following.Measure),
	}
}

// looksFurther reports whether the round that begins has one more brief look.
func (c *race) looksFurther() bool {
	return c.looks < min(mostLooks+furtherLooks, c.least-fullLaunches) && 2*len(c.round) > len(c.of) && c.state.Jumps()
}

// Made has a variant leave the race that cannot be measured. After a round, it drops those that cannot be the best, and
// ends the race if those that are left have enough launches.
func (c *race) Made() (finished []Finished) {
	v := c.round[c.at]
	if l := c.of[v]; l.endedWell() {
		c.forgetOthers(l)
	} else {
		finished = append(finished, c.leave(v, nil))
	}
	if c.at++; c.at < len(c.round) {
		return finished
	}
	finished = append(append(finished, c.drop()...), c.thin()...)
	if !c.short {
		c.full++
	}
	if c.launch++; c.ended() {
		for _, v := range c.state.Open() {
			finished = append(finished, c.leave(v, nil))
		}
	}
	return finished
}

// Open returns the variants that are left.
func (c *race) Open() (open []*Series) {
	for _, v := range c.state.Open() {
		open = append(open, c.of[v])
	}
	return open
}

// isShort reports whether the launches of the round that begins are short: all but the last few of those that everybody
// has who is left. While many are left, these come when all is decided.
func (c *race) isShort() bool {
	switch {
	case c.launch < c.looks, c.full >= fullLaunches:
		return true
	case c.settled, c.most-c.launch <= fullLaunches:
		return false
	}
	return len(c.round) > crowd || c.launch < c.least-fullLaunches
}

// ended reports whether those that are left need no further launch, or have no time for one.
func (c *race) ended() bool {
	if c.launch >= c.most {
		return true
	}
	if c.launch < c.least {
		return false
	}
	var spent, budget float64 // the longest time may be none
	for _, v := range c.state.Open() {
		m := &c.of[v].Measure
		spent, budget = spent+float64(c.of[v].Spent+c.of[v].Last), budget+float64(m.MaxTime())
	}
	c.settled = spent > budget || c.state.Over()
	return c.settled && c.full >= fullLaunches
}

// look returns what the launches of a round look at.
func (c *race) look() LookAt {
	switch {
	case c.launch < c.looks:
		return briefLook
	case c.launch == c.looks:
		return thoroughLook
	case !c.short && c.full == 0:
		return fullLook
	}
	return usualLook
}

// forgetOthers forgets the brief looks at a variant if a thorough one, the latest, has found that its calls need other
// arguments than they have found: their times are those of something else.
func (c *race) forgetOthers(l *Series) {
	last := l.Results[len(l.Results)-1]
	if c.look() != thoroughLook || last.Fresh == l.Results[0].Fresh {
		return
	}
	l.forgotten = len(l.Results) - 1
	l.Forget()
	l.Add(last, l.Measure)
}

// drop has variants leave the race by what all launches say, and returns them.
func (c *race) drop() (dropped []Finished) {
	slack := 0.0
	if c.launch < c.looks {
		slack = briefSlack
	}
	all, quiet := c.figures()
	for v, l := range c.of {
		if !c.state.Out(v) {
			c.state.Doubt(v, l.Doubt())
		}
	}
	for _, d := range c.state.Look(all, quiet, slack) {
		dropped = append(dropped, c.leave(d.Variant, c.why(&d)))
	}
	return dropped
}

// why tells why a variant has left the race.
func (c *race) why(d *stats.Dropped) *invocations.Dropped {
	l := c.of[d.Variant]
	return &invocations.Dropped{Launches: l.forgotten + len(l.Results), Ratio: d.Ratio, Low: d.Low, High: d.High,
		Best: c.of[d.Best].Name}
}

// thin has also-rans leave the race while more than a crowd are in it: they may be as good as the best, but hardly better
// by what matters. They keep what was measured.
func (c *race) thin() (left []Finished) {
	if c.launch < c.looks { // brief looks
		return nil
	}
	for _, d := range c.state.Thin(crowd) {
		left = append(left, Finished{Series: c.of[d.Variant], Dropped: c.why(&d), AlsoRan: true})
	}
	return left
}

// figures returns what those that are left are compared by: figures of all launches and, if somebody has set disturbed
// ones apart, those of the quiet launches of who had enough of them. quiet is nil else. NaN stands for launches that do
// not count: disturbed ones, and, of the first few, those that lost the CPU. On a busy machine these may seem to take
// many times as long as others.
func (c *race) figures() (all, quiet [][]float64) {
	apart := false
	var every, kept []*invocations.RecordedLaunches
	keeps := make([]bool, len(c.of))
	for v, l := range c.of {
		if c.state.Out(v) {
			continue
		}
		record := invocations.NewRecord(c.Plan.At(l.Index).Invocation, l.Result(c.Known))
		c.figured[v] = &record.RecordedLaunches
		if len(record.LaunchMediansNS) == 0 {
			continue
		}
		every, apart = append(every, c.figured[v].WithAll()), apart || record.AllLaunches != nil
		if keeps[v] = !l.Disturbed(c.Known); keeps[v] {
			kept = append(kept, c.figured[v])
		}
	}
	figure, _ := invocations.ComparedLaunches(every)
	all = make([][]float64, len(c.of))
	for v := range c.of {
		if c.figured[v] != nil {
			all[v] = c.counted(v, figure.Of(c.figured[v].WithAll()))
		}
	}
	if !apart {
		return all, nil
	}
	figure, known := invocations.ComparedApart(kept)
	if !known && len(kept) < len(every) {
		return all, nil // they were quiet in different rounds, and another clock tells nothing
	}
	if !known {
		figure, _ = invocations.ComparedLaunches(kept)
	}
	quiet = make([][]float64, len(c.of))
	for v := range c.of {
		if keeps[v] {
			quiet[v] = c.counted(v, figure.Of(c.figured[v]))
		}
	}
	return all, quiet
}

// counted returns the figures of the launches of a variant by the rounds of the race: those of their calm batches.
func (c *race) counted(v int, figures []float64) []float64 {
	figures = slices.Clone(figures)
	results := c.of[v].Results
	for i, factor := range calm(results) {
		switch round := results[i].Number; {
		case round >= len(figures):
		case len(results) < enoughLooks && lostCPU(&results[i]):
			figures[round] = math.NaN()
		default:
			figures[round] *= factor
		}
	}
	return figures
}

// lostCPU reports whether other work took the CPU for much of a launch that was contended. If others only share the
// core or its caches, times are not twice as long, which a race allows for.
func lostCPU(r *invocations.Result) bool {
	return slices.Contains(r.Verdicts, invocations.Contended) &&
		!(r.Summary.MedianNS+r.OverheadNS <= ownCPU*r.Summary.CPUMedianNS)
}

// leave has a variant leave the race. why tells what dropped it; nil: nothing did.
func (c *race) leave(v int, why *invocations.Dropped) Finished {
	c.state.Withdraw(v)
	return Finished{Series: c.of[v], Dropped: why}
}

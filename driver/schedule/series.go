package schedule

import (
	"cmp"
	"math/rand/v2"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

const (
	maxLaunches   = 60
	shorterLaunch = 4   // launches beyond LeastLaunches are shorter by this factor
	shortLaunch   = 8   // short launches of races are shorter by this factor
	briefLaunch   = 16  // the same of those that only look briefly at variants, most of which are far from the best
	longestPaired = 2   // times the least time of a launch: its limit, in pairs and races
	longestShort  = 4   // the same of a short launch of a race, of which less is measured and as much may be disturbed
	affordFactor  = 3.0 // times --max-time: limit for LeastLaunches launches, loading included
)

// Series is the launches of an invocation, one after the other, until it has enough of them.
type Series struct {
	combine.Launches
	Index   int // in the plan
	Name    string
	Measure invocations.Measure // as the plan has it

	most    int               // launches that it may have in a race; 0: it does not race
	paired  bool              // it is measured to be compared launch by launch
	like    *Series           // the side of a pair that has the same layouts; nil: none, or this is the first one
	loading time.Duration     // in the first launch, without its samples
	wants   invocations.Fresh // what its calls shall find, whatever its first launch finds
	// forgotten is the number of its launches before those that count.
	forgotten int
}

// newSeries returns one without launches.
func newSeries(p *plan.Plan, i int) *Series {
	entry := p.At(i)
	inv := &entry.Invocation
	return &Series{Index: i, Name: inv.Name, Measure: inv.Measure, most: entry.MostLaunches}
}

// Took adds the result of a launch that took so long, from the start of its executor on.
func (s *Series) Took(result invocations.Result, took time.Duration) {
	s.Last = took
	s.Spent += took
	if len(s.Results) == 0 {
		s.loading = took - sampled(&result)
	}
	s.Add(result, s.Measure)
}

// sampled returns how long the timed calls of a result took, as far as they count.
func sampled(r *invocations.Result) time.Duration {
	total := 0.0
	for _, ns := range r.SamplesNS {
		total += ns
	}
	return time.Duration(total * float64(r.CallsPerBatch))
}

// Result makes one result of all launches, of which there is one at least.
func (s *Series) Result(known *machine.Knowledge) invocations.Result {
	return s.Merge(s.Measure, known)
}

// Planned returns how many launches are planned, of which one number is next: 0 if it takes as many as it takes. They
// will take least at least, as the launches before did.
func (s *Series) Planned(number int) (total int, least time.Duration) {
	total = s.Measure.Launches
	if total == 0 && number < combine.LeastLaunches {
		total = combine.LeastLaunches
	}
	if total > 0 {
		total = max(total, number+1)
	}
	return total, time.Duration(max(1, total-number)) * s.Spent / time.Duration(max(1, number))
}

// enough reports whether an invocation needs no further launch or cannot have one.
func (s *Series) enough(known *machine.Knowledge) bool {
	m := &s.Measure
	last, n := s.Results[len(s.Results)-1], len(s.Results)
	budget := m.MaxTime()
	switch {
	case last.Status != invocations.OK, m.CheckOnly, n >= maxLaunches && n >= m.Launches:
		return true
	case m.Launches > 0:
		return n >= m.Launches
	case n < combine.LeastLaunches:
		return float64(s.Spent+s.Last) > affordFactor*float64(budget)
	}
	if s.Enough(m.Precision, known) {
		return true
	}
	return s.Spent+s.Last > budget
}

// endedWell reports whether the last launch did.
func (s *Series) endedWell() bool { return s.Results[len(s.Results)-1].Status == invocations.OK }

// fresh returns what the calls of the next launch shall find in their arguments.
func (s *Series) fresh() invocations.Fresh {
	if len(s.Results) == 0 {
		return s.wants
	}
	return s.wants.With(s.Results[0].Fresh)
}

// Message returns the message that has an executor make a launch of an invocation: with the layout and the share of the
// time that the launch has, and what earlier launches have found.
func (s *Series) Message(l *Launch, inv invocations.Invocation, known *machine.Knowledge) *wire.Execute {
	if l.Kind == Called {
		return &wire.Execute{Invocation: inv, Last: true}
	}
	m := &inv.Measure
	share := shareOf(m)
	if m.MinTimeNS /= share; m.MaxTimeNS > 0 { // 0: no limit
		m.MaxTimeNS = max(1, m.MaxTimeNS/share)
	}
	m.MinIterations = (m.MinIterations + share - 1) / share
	s.layOut(m, l.Number)
	if l.Number > 0 {
		m.ProfileCalls = 0 // dispatches are needed only once
	}
	// the remaining uncertainty is between launches: more launches tell more than longer ones
	longest := int64(longestPaired)
	switch {
	case l.Short:
		divided := int64(shortLaunch)
		if l.Look == briefLook {
			divided = briefLaunch
		}
		m.MinTimeNS, longest = m.MinTimeNS/divided, longestShort
		m.Precision = 0 // which further launches tell
	case m.Launches == 0 && l.Number >= combine.LeastLaunches && !s.paired:
		m.MinTimeNS /= shorterLaunch
	}
	if s.paired || s.most > 0 { // further launches tell more than waiting for quiet batches
		m.MaxTimeNS = min(int64(m.MaxTime()), longest*m.MinTimeNS)
	}
	first := l.Number == 0
	message := &wire.Execute{Invocation: inv, Number: l.Number, Last: true, Trusted: !first, Brief: l.Look == briefLook,
		Short: l.Short, Thorough: !first && l.Look == thoroughLook}
	message.LookForLeft = first && l.Look != briefLook || l.Look == fullLook
	message.ScalarClock = s.paired || l.Short // steps depend on it, and comparing does
	if !first {
		message.NoCanary, message.LookForThreads = noCanary(s.Results)
	}
	if l.Look != thoroughLook {
		message.Fresh = s.fresh()
	}
	if known != nil {
		message.QuietPorts, message.QuietMemory = known.QuietPorts(), known.QuietMemory()
	}
	return message
}

// noCanary returns why the canary does not apply to a series that has launches, and whether the next one is to look as
// well: on a busy machine, one launch may take others' work for threads of native code, so that it takes two to tell.
func noCanary(launches []invocations.Result) (why string, look bool) {
	switch why = launches[0].Canary.Why; {
	case why == "":
		return "", false
	case len(launches) == 1:
		return "", true
	case launches[1].Canary.Why == "":
		return "", false
	}
	return why, false
}

// shareOf returns among how many launches the least and the longest time of an invocation are divided.
func shareOf(m *invocations.Measure) int64 { return int64(cmp.Or(m.Launches, combine.LeastLaunches)) }

// layOut sets where code and data of a launch lie. It follows from the seed and the number of the launch: it can be
// repeated, and what is compared launch by launch has the same layouts. Both sides of a pair have those of its first
// side.
func (s *Series) layOut(m *invocations.Measure, launch int) {
	of := m
	if s.like != nil {
		of = &s.like.Measure
	}
	if m.Placement = of.Placement; m.Placement == invocations.Fixed {
		m.PageOffset, m.StackOffset, m.Place = 0, 0, 0
		return
	}
	draw := rand.New(rand.NewPCG(of.Seed, uint64(launch)))
	const steps = invocations.PlacementPage / invocations.LayoutStep
	m.PageOffset = draw.Int64N(steps) * invocations.LayoutStep
	m.StackOffset = draw.Int64N(steps) * invocations.LayoutStep
	const ways = invocations.Ways
	m.Place = max(ways, draw.Uint64())/ways*ways + uint64(launch%ways) // not 0, which stands for no place
}

package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"zonemark/driver/stats"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

const (
	// turnNS is how long one side is timed before it is the other's turn: long compared with what a change of turns
	// costs, short compared with how long other tenants of the caches and of memory stay as they are.
	turnNS = 1_500_000
	// longestTurn is how long a turn may take until enough batches were quiet, in nanoseconds.
	longestTurn = turnNS * 3 / 2
	// leastTurns and mostTurns of each side in a launch. What differs from launch to launch, such as the physical pages,
	// is left to further launches.
	leastTurns, mostTurns = 8, 32
	// loadingShare of the time that loading and preparing take is spent on turns at least: a further launch costs that.
	loadingShare = 0.15
	// leastTimes is the number of launches that share the least time. A decision takes as many pairs of launches.
	leastTimes = 10
	// longBatch is the length of a batch, in turns, from which launches follow each other whole.
	longBatch = 8
)

// turnsOf returns into how many turns of each side the next launches of a pair are divided. One means that launches
// follow each other whole. That is so for the first ones, which tell whether turns are possible: both executors live at
// the same time, so that native code must use one core only, and no device. Long calls have no turns either, as they
// would make launches longer.
func (r *run) turnsOf(p *paired) int {
	var loading float64
	for _, side := range p.sides {
		if len(side.results) == 0 {
			return 1
		}
		first := &side.results[0]
		if first.Status != invocations.OK || len(first.SamplesNS) == 0 || first.Canary.Why != "" {
			return 1
		}
		if stats.Median(first.SamplesNS)*float64(first.CallsPerBatch) > longBatch*turnNS {
			return 1
		}
		loading = max(loading, float64(side.loading))
	}
	m := r.plan.At(p.sides[0].index).Invocation.Measure
	total := max(float64(m.MinTimeNS)/leastTimes, loadingShare*loading)
	n := int(max(leastTurns, min(mostTurns, total/turnNS)))
	return n + n%2 // arguments change places after half of them
}

// turns measures a launch of both sides at the same time: each has an executor, which prepares its side once, and
// these are timed in n turns of some milliseconds, so that a change of the caches, of memory or of the clock that lasts
// longer changes both alike. They run on one CPU: what others do on its other thread differs from CPU to CPU. Who begins
// alternates from turn to turn, and after half of the turns the arguments change places; see Exchange. A side that does
// not end well ends the launch.
func (r *run) turns(ctx context.Context, p *paired, launch, n int) error {
	t := &turnsOfLaunch{executors: [2]*supervisor{r.executor, r.beside}, launch: launch, of: n}
	r.launched = nil // what follows needs fresh executors
	defer func() { r.executor.exchange, r.beside.exchange = nil, nil }()
	if err := r.bothPrepared(ctx, p, t); err != nil {
		return err
	}
	for turn := 0; turn < n && !t.ended; turn++ {
		order := []int{p.first, 1 - p.first}
		if turn%2 == 1 {
			slices.Reverse(order)
		}
		for _, k := range order {
			start := time.Now()
			planned, message := r.turnOf(p, t, k, turn)
			var result invocations.Result
			var err error
			r.wait(func() { result, err = t.executors[k].believed(ctx, *planned, message) })
			if err != nil {
				return fmt.Errorf("%s: %w", planned.Invocation.Name, err)
			}
			r.still.note(&result, start)
			t.cpu = cmp.Or(t.cpu, result.CPU)
			t.parts[k], t.spent[k] = append(t.parts[k], result), t.spent[k]+time.Since(start)
			if t.ended = result.Status != invocations.OK; t.ended {
				break
			}
		}
	}
	for k, side := range p.sides {
		if len(t.parts[k]) == 0 { // the other side has failed before this one's first turn
			continue
		}
		side.last = t.spent[k]
		r.launchedOne(side, r.plan.At(side.index), mergeTurns(t.parts[k]))
	}
	return nil
}

// turnsOfLaunch is a launch in turns that is under way. Pairs of values are those of the two sides.
type turnsOfLaunch struct {
	executors [2]*supervisor
	parts     [2][]invocations.Result // of the turns so far
	spent     [2]time.Duration        // preparing included
	exchanges bool                    // there is memory to exchange
	launch    int
	of        int // turns
	cpu       int // of both sides, plus one; 0: until the first turn tells
	ended     bool
}

// preparing is the number of the turn before the first one, which does not count.
const preparing = -1

// bothPrepared has a fresh executor for each side load, prepare and warm it up. They do so at the same time, each
// on a CPU of its own if there are two: preparing takes longer than all turns of a short launch. No further executors are started ahead:
// they would work while turns are timed, perhaps beside them on the same core.
func (r *run) bothPrepared(ctx context.Context, p *paired, t *turnsOfLaunch) error {
	exchange := r.lend(p)
	t.exchanges = exchange != nil
	var results [2]invocations.Result
	var errs [2]error
	var preparations [2]func()
	for k, s := range t.executors {
		s.exchange = exchange
		planned, message := r.turnOf(p, t, k, preparing)
		preparations[k] = func() {
			s.renew()
			if _, errs[k] = s.ready(ctx, s.allowed(&planned.Invocation)); errs[k] != nil {
				return
			}
			start := time.Now()
			if results[k], errs[k] = s.believed(ctx, *planned, message); errs[k] != nil {
				errs[k] = fmt.Errorf("%s: %w", planned.Invocation.Name, errs[k])
			}
			t.spent[k] = time.Since(start)
		}
	}
	r.wait(func() {
		var both sync.WaitGroup
		both.Go(preparations[0])
		both.Go(preparations[1])
		both.Wait()
	})
	if err := errors.Join(errs[0], errs[1]); err != nil {
		return err
	}
	for k, result := range results {
		if result.Status != invocations.OK {
			t.parts[k], t.ended = append(t.parts[k], result), true
		}
	}
	r.renewExchange()
	return nil
}

// partOf returns the part of an exchange that holds the arguments of a side in one of n turns; see wire.Execute.
func partOf(side, turn, n int) int {
	if turn >= n/2 {
		side = 1 - side
	}
	return 1 + side
}

// turnOf returns what a turn of a side measures, and the message that asks for it.
func (r *run) turnOf(p *paired, t *turnsOfLaunch, side, turn int) (*Planned, *wire.Execute) {
	planned, message := r.toLaunch(p.sides[side], t.launch)
	m := &message.Measure
	m.Precision = 0
	if m.CPU < 0 {
		m.CPU = t.cpu - 1
	}
	if m.CallsPerBatch == 0 {
		m.CallsPerBatch = knownCalls(p)
	}
	if turn == preparing {
		m.MinTimeNS, m.MinIterations = 1, 1
	} else {
		m.MinTimeNS, m.MaxTimeNS = turnNS, longestTurn
		m.MinIterations = (m.MinIterations + int64(t.of) - 1) / int64(t.of)
	}
	if t.exchanges {
		message.Part = partOf(side, turn, t.of)
	}
	message.Last, message.InTurns, message.Preparing = turn == t.of-1, true, turn == preparing
	return planned, message
}

// knownCalls returns how many calls a batch has on both sides: as many as at the end of the first launch of the side that
// had more, since disturbances make batches look long. Turns are too short to find that out. 0 if it is not known: a
// batch of one call may be longer than planned.
func knownCalls(p *paired) (calls int64) {
	for _, side := range p.sides {
		if first := &side.results[0]; first.CallsPerBatch > 1 && !slices.Contains(first.Verdicts, invocations.TooShort) {
			calls = max(calls, first.CallsPerBatch)
		}
	}
	return calls
}

// mergeTurns makes one result of the turns of a launch. RoundSamples tells how many samples each turn has: none if it was
// disturbed and most turns were not, or the other way round. If the last turn did not end well, it counts alone.
func mergeTurns(turns []invocations.Result) invocations.Result {
	last := turns[len(turns)-1]
	if last.Status != invocations.OK {
		return last
	}
	out := turns[0]
	out.Verdicts, out.Notes = nil, nil
	join(&out, alike(turns))
	for _, one := range turns {
		addNew(&out.Notes, one.Notes)
		out.Discarded.Switched += one.Discarded.Switched
	}
	out.Discarded.Warmup, out.WarmupCalls = last.Discarded.Warmup, last.WarmupCalls
	for _, v := range invocations.AllVerdicts { // a single turn shows less than all of them
		if 2*countOf(turns, v) > len(turns) && v != invocations.Clean {
			out.AddVerdict(v)
		}
	}
	if len(out.Verdicts) == 0 {
		out.Verdicts = []invocations.Verdict{invocations.Clean}
	}
	out.Canary = mergeCanaries(turns, turns)
	out.Summary = stats.Summarize(out.SamplesNS, out.CPUSamplesNS)
	out.Counters = mergeCounters(turns, &invocations.Result{})
	return out
}

// alike sets the samples of disturbed turns apart, or those of the others if most turns were disturbed: on a shared core,
// both sides are slower, and their ratio is about the same.
func alike(turns []invocations.Result) []invocations.Result {
	contended := 2*countOf(turns, invocations.Contended) > len(turns)
	list := slices.Clone(turns)
	for i := range list {
		one := &list[i]
		if slices.Contains(one.Verdicts, invocations.Contended) == contended {
			continue
		}
		one.Apart.NS = slices.Concat(one.SamplesNS, one.Apart.NS)
		one.Apart.After = make([]int64, len(one.Apart.NS))
		one.SamplesNS, one.CPUSamplesNS, one.CyclesSamples, one.Iterations = nil, nil, nil, 0
	}
	return list
}

// sampled returns how long the timed calls of a result took, as far as they count.
func sampled(r *invocations.Result) time.Duration {
	total := 0.0
	for _, ns := range r.SamplesNS {
		total += ns
	}
	return time.Duration(total * float64(r.CallsPerBatch))
}

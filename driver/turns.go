package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/executors"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/invocations/wire"
)

const (
	// turnNS is how long one side is timed before it is the other's turn: long compared with what a change of turns
	// costs, short compared with how long other tenants of the caches and of memory stay as they are.
	turnNS = 3_000_000
	// longestTurn is how long a turn may take until enough batches were quiet, in nanoseconds.
	longestTurn = turnNS * 3 / 2
	// leastTurns and mostTurns of each side in a launch. What differs from launch to launch, such as the physical pages,
	// is left to further launches.
	leastTurns, mostTurns = 4, 16
	// loadingShare of the time that loading and preparing take is spent on turns of a side at least, if there is time for
	// enoughLaunches: a further launch costs that.
	loadingShare = 0.5
	// enoughLaunches are as many as decide most comparisons; turnCost is how long a turn of both sides takes in all.
	enoughLaunches, turnCost = 14, 5 * turnNS
	// leastTimes is the number of launches that share the least time. A decision takes as many pairs of launches.
	leastTimes = 10
	// longBatch is the length of a batch, in turns, from which launches follow each other whole.
	longBatch = 4
)

// turnsOf returns into how many turns of each side the next launches of a pair are divided. One means that launches
// follow each other whole. That is so for the first ones, which tell whether turns are possible: both executors live at
// the same time, so that native code must use one core only, and no device. Long calls have no turns either, as they
// would make launches longer.
func (r *run) turnsOf(p *paired) int {
	var loading float64
	for _, side := range p.sides {
		if len(side.Results) == 0 {
			return 1
		}
		first := &side.Results[0]
		if first.Status != invocations.OK || len(first.SamplesNS) == 0 || first.Canary.Why != "" {
			return 1
		}
		if stats.Median(first.SamplesNS)*float64(first.CallsPerBatch) > longBatch*turnNS {
			return 1
		}
		loading = max(loading, float64(side.loading))
	}
	m := r.plan.At(p.sides[0].index).Invocation.Measure
	wanted := max(float64(m.MinTimeNS)/leastTimes, loadingShare*loading) / turnNS
	if m.MaxTimeNS > 0 {
		wanted = min(wanted, (2*float64(m.MaxTimeNS)/enoughLaunches-loading)/turnCost)
	}
	n := int(max(leastTurns, min(mostTurns, wanted)))
	return n + n%2 // arguments change places after half of them
}

// turns measures a launch of both sides at the same time: each has an executor, which prepares its side once, and
// these are timed in n turns of some milliseconds, so that a change of the caches, of memory or of the clock that lasts
// longer changes both alike. They run on one CPU: what others do on its other thread differs from CPU to CPU. Who begins
// alternates from turn to turn, and after half of the turns the arguments change places; see Exchange. If calls are
// short, both sides have their turns at the same time, batch by batch; see steps. A side that does not end well ends the
// launch.
func (r *run) turns(ctx context.Context, p *paired, launch, n int) error {
	begun := time.Now()
	t := &turning{run: r, pair: p, launch: launch, turns: n}
	t.executors[p.first], t.executors[1-p.first] = r.executor, r.beside
	r.launched = nil // what follows needs fresh executors
	if err := t.ready(ctx); err != nil {
		return err
	}
	defer func() { r.executor.Exchange, r.beside.Exchange = nil, nil }()
	measure, stepwise := t.inTurn, t.exchange != nil && r.stepwise(p)
	if stepwise || t.moves {
		if err := t.prepare(ctx); err != nil {
			return err
		}
	}
	if stepwise && t.cpu > 0 {
		t.turns = turnsInSteps
		measure = func(ctx context.Context, turn int) error { return t.inSteps(ctx, turn, n/turnsInSteps) }
	}
	for turn := 0; turn < t.turns && !t.ended; turn++ {
		if err := measure(ctx, turn); err != nil {
			return err
		}
	}
	disturbed := combine.DisturbedTurns(t.parts)
	for k, side := range p.sides {
		if len(t.parts[k]) == 0 { // the other side has failed before this one's first turn
			continue
		}
		side.Last = time.Since(begun) / 2 // its share of the time of both
		r.launchedOne(side, r.plan.At(side.index), combine.Turns(t.parts[k], disturbed[:len(t.parts[k])]))
	}
	return nil
}

// turning is a launch of both sides in turns.
type turning struct {
	*run
	pair          *paired
	launch, turns int
	executors     [2]*executors.Supervisor // by side; who has which depends on who begins, so each side has either equally often
	exchange      *executors.Exchange      // nil: none
	moves         bool                     // the arguments are in the exchange
	prepared      bool                     // both sides
	cpu           int                      // of both sides, plus one; 0: not known yet
	parts         [2][]invocations.Result
	ended         bool // a side has not ended well
}

// order returns the sides in the order of a turn.
func (t *turning) order(turn int) [2]int {
	first := (t.pair.first + turn) % 2
	return [2]int{first, 1 - first}
}

// inTurn measures a turn of each side, one after the other.
func (t *turning) inTurn(ctx context.Context, turn int) error {
	for _, k := range t.order(turn) {
		p, message := t.message(k, turn)
		start := time.Now()
		result, err := t.ask(ctx, k, p, message)
		if err != nil {
			return err
		}
		t.cpu = cmp.Or(t.cpu, result.CPU)
		if t.keep(k, result, start); t.ended {
			break
		}
	}
	return nil
}

// ask has the executor of a side answer while the runs of other hosts have their turn.
func (t *turning) ask(ctx context.Context, side int, p *plan.Entry, m *wire.Execute) (result invocations.Result, err error) {
	t.wait(func() { result, err = t.executors[side].Execute(ctx, m, p.Lacks) })
	if err != nil {
		return result, fmt.Errorf("%s: %w", p.Invocation.Name, err)
	}
	return result, nil
}

// keep keeps what a turn of a side has found.
func (t *turning) keep(side int, result invocations.Result, start time.Time) {
	t.still.note(&result, start)
	t.parts[side] = append(t.parts[side], result)
	t.ended = t.ended || result.Status != invocations.OK
}

// ready has a fresh executor for each side, with memory to exchange if there is any. None is started ahead: it would work
// while turns are timed, perhaps beside them on the same core.
func (t *turning) ready(ctx context.Context) error {
	t.exchange, t.moves = t.lend(t.pair)
	var errs [2]error
	t.wait(func() {
		var both sync.WaitGroup
		for _, k := range t.order(0) {
			s := t.executors[k]
			s.Exchange = t.exchange
			allowed := s.Allowed(&t.plan.At(t.pair.sides[k].index).Invocation)
			both.Go(func() {
				s.Renew()
				errs[k] = s.Ready(ctx, allowed)
			})
		}
		both.Wait()
	})
	return errors.Join(errs[0], errs[1])
}

// partOf returns the part of an exchange that holds the arguments of a side in one of n turns; see wire.Execute.
func partOf(begins bool, turn, n int) int {
	if begins == (turn < n/2) {
		return 1
	}
	return 2
}

// message returns the message that has a side measured in a turn.
func (t *turning) message(side, turn int) (*plan.Entry, *wire.Execute) {
	p, message := t.toLaunch(t.pair.sides[side], t.launch)
	m := &message.Measure
	m.MinTimeNS, m.Precision = turnNS, 0
	m.MinIterations = (m.MinIterations + int64(t.turns) - 1) / int64(t.turns)
	if m.CPU < 0 {
		m.CPU = t.cpu - 1
	}
	if turn > 0 || t.prepared { // the first one warms up
		m.MaxTimeNS = longestTurn
	}
	if t.moves {
		message.Part = partOf(side == t.pair.first, turn, t.turns)
		message.Leave = turn == t.turns/2-1
	}
	message.Last, message.InTurns = turn == t.turns-1, true
	message.ScalarClock = message.Last
	return p, message
}

// sampled returns how long the timed calls of a result took, as far as they count.
func sampled(r *invocations.Result) time.Duration {
	total := 0.0
	for _, ns := range r.SamplesNS {
		total += ns
	}
	return time.Duration(total * float64(r.CallsPerBatch))
}

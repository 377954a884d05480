package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// InTurns measures both sides of a pair at the same time: each has an executor, which prepares its side once, and these
// are timed in turns of some milliseconds, so that a change of the caches, of memory or of the clock that lasts longer
// changes both alike. They run on one CPU: what others do on its other thread differs from CPU to CPU. Who begins
// alternates from turn to turn, and after half of the turns the arguments change places; see Exchange. If calls are
// short, both sides have their turns at the same time, batch by batch; see inSteps. A side that does not end well ends
// the launch.
func InTurns(ctx context.Context, w *Worker, o *Order) Answer {
	t := &turning{Worker: w, Order: o, turns: o.Turns}
	t.executors[o.First], t.executors[1-o.First] = w.executor, w.beside
	w.last = nil // what follows needs fresh executors
	if err := t.ready(ctx); err != nil {
		return Answer{Err: err}
	}
	defer func() { w.executor.Exchange, w.beside.Exchange = nil, nil }()
	measure, stepwise := t.inTurn, t.exchange != nil && o.Steps
	if stepwise || t.moves {
		if err := t.prepare(ctx); err != nil {
			return Answer{Err: err}
		}
	}
	if stepwise && t.cpu > 0 {
		t.turns = turnsInSteps
		measure = func(ctx context.Context, turn int) error { return t.inSteps(ctx, turn, o.Turns/turnsInSteps) }
	}
	for turn := 0; turn < t.turns && !t.ended; turn++ {
		if err := measure(ctx, turn); err != nil {
			return Answer{Err: err}
		}
	}
	answer := Answer{Results: make([]*invocations.Result, len(o.Sides)),
		Took: time.Since(o.Begun) / 2} // of each side, its share of the time of both
	disturbed := combine.DisturbedTurns(t.parts)
	for k, parts := range t.parts {
		if len(parts) > 0 {
			result := combine.Turns(parts, disturbed[:len(parts)])
			answer.Results[k] = &result
		}
	}
	return answer
}

// turning is a launch of both sides in turns.
type turning struct {
	*Worker
	*Order
	turns     int
	executors [2]*executors.Supervisor // by side; who begins has the first one, so each side has either equally often
	exchange  *executors.Exchange      // nil: none
	moves     bool                     // the arguments are in the exchange
	prepared  bool                     // both sides
	firstNS   [2]float64               // of the first calls of both sides while they were prepared; 0: they came later
	cpu       int                      // of both sides, plus one; 0: not known yet
	parts     [2][]invocations.Result
	ended     bool // a side has not ended well
}

// order returns the sides in the order of a turn.
func (t *turning) order(turn int) [2]int {
	first := (t.First + turn) % 2
	return [2]int{first, 1 - first}
}

// inTurn measures a turn of each side, one after the other.
func (t *turning) inTurn(ctx context.Context, turn int) error {
	for _, k := range t.order(turn) {
		start := time.Now()
		result, err := t.ask(ctx, k, t.message(k, turn))
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

// ask has the executor of a side answer.
func (t *turning) ask(ctx context.Context, side int, m *wire.Execute) (invocations.Result, error) {
	result, err := t.executors[side].Execute(ctx, m, t.Sides[side].Lacks)
	if err != nil {
		return result, fmt.Errorf("%s: %w", m.Name, err)
	}
	return result, nil
}

// both does something for both sides at the same time.
func (t *turning) both(order [2]int, do func(side int) error) (errs [2]error) {
	var both sync.WaitGroup
	for _, k := range order {
		both.Go(func() { errs[k] = do(k) })
	}
	both.Wait()
	return errs
}

// keep keeps what a turn of a side has found.
func (t *turning) keep(side int, result invocations.Result, start time.Time) {
	t.still.note(&result, start)
	result.FirstNS = cmp.Or(result.FirstNS, t.firstNS[side])
	t.parts[side] = append(t.parts[side], result)
	t.ended = t.ended || result.Status != invocations.OK
}

// ready has a fresh executor for each side, with memory to exchange if there is any. None is started ahead: it would
// work while turns are timed, perhaps beside them on the same core.
func (t *turning) ready(ctx context.Context) error {
	t.exchange, t.moves = t.lend(t.Order)
	for _, s := range t.executors {
		s.Exchange = t.exchange
	}
	errs := t.both(t.order(0), func(k int) error {
		s := t.executors[k]
		s.Renew()
		return s.Ready(ctx, s.Allowed(&t.Sides[k].Message.Invocation))
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

// longestTurn is how long a turn may take until enough batches were quiet, in nanoseconds.
func (t *turning) longestTurn() int64 { return t.TurnNS * 3 / 2 }

// message returns the message that has a side measured in a turn.
func (t *turning) message(side, turn int) *wire.Execute {
	message := *t.Sides[side].Message
	m := &message.Measure
	m.MinTimeNS, m.Precision = t.TurnNS, 0
	m.MinIterations = (m.MinIterations + int64(t.turns) - 1) / int64(t.turns)
	if m.CPU < 0 {
		m.CPU = t.cpu - 1
	}
	if turn > 0 || t.prepared { // the first one warms up
		m.MaxTimeNS = t.longestTurn()
	}
	if t.moves {
		message.Part = partOf(side == t.First, turn, t.turns)
		message.Leave = turn == t.turns/2-1
	}
	message.Last, message.InTurns = turn == t.turns-1, true
	message.ScalarClock = message.Last
	return &message
}

package launch

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"zonemark/driver/combine"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

const (
	// stepNS is how long a batch of more than one call shall be, in nanoseconds.
	stepNS = 100_000
	// turnsInSteps is the number of turns of a launch in steps: one with the arguments in each place. Batches next to each
	// other are alike however long a turn is, and each begins with messages and with warming up.
	turnsInSteps = 2
)

// prepare has both executors prepare their sides, and chooses the CPU of both. What they measure does not count.
// Arguments in exchanged memory are where they are, so that both sides can be prepared at the same time, on two CPUs:
// that of the side that is ready first is less busy. Other arguments may be nearer to the CPU that prepares them: the
// second side is prepared on the CPU of the first.
func (t *turning) prepare(ctx context.Context) error {
	calls := callsInSteps([2][]invocations.Result{t.Sides[0].Before, t.Sides[1].Before})
	var messages [2]*wire.Execute
	for k := range messages {
		messages[k] = t.message(k, 0)
		m := &messages[k].Measure
		if m.MinTimeNS, m.MinIterations = 0, 0; m.CallsPerBatch == 0 && calls[k] > 1 {
			m.CallsPerBatch = calls[k]
		}
		messages[k].Last, messages[k].Leave = false, false
	}
	var results [2]invocations.Result
	var begun [2]time.Time
	var took [2]time.Duration
	one := func(k int) (err error) {
		begun[k] = time.Now()
		results[k], err = t.ask(ctx, k, messages[k])
		took[k] = time.Since(begun[k])
		return err
	}
	order := t.order(0)
	first, second := order[0], order[1]
	var errs [2]error
	if t.moves {
		errs = t.both(order, one)
	} else if errs[first] = one(first); errs[first] == nil && results[first].Status == invocations.OK {
		if m := &messages[second].Measure; m.CPU < 0 {
			m.CPU = results[first].CPU - 1
		}
		errs[second] = one(second)
	}
	if err := cmp.Or(errs[first], errs[second]); err != nil {
		return err
	}
	for _, k := range order {
		if results[k].Status != invocations.OK {
			t.keep(k, results[k], begun[k])
			return nil
		}
		t.firstNS[k] = results[k].FirstNS
	}
	chosen := first
	if t.moves && took[second] < took[first] {
		chosen = second
	}
	t.cpu, t.prepared = results[chosen].CPU, true
	return nil
}

// callsInSteps returns how many calls make a batch of each side, by what was measured of them; 0 if it is not known.
// The first call after a step of the other side takes longer, so sides that are about as fast have the same number:
// with 12 and 13 calls of 8 µs, equal functions differed by 1 %.
func callsInSteps(sides [2][]invocations.Result) [2]int64 {
	a, b := callsInStep(sides[0]), callsInStep(sides[1])
	switch {
	case max(a, b) > 2*min(a, b):
	case slices.ContainsFunc(sides[:], func(side []invocations.Result) bool { return len(side) > 0 && isFresh(side[0]) }):
		a = min(a, b)
		b = a
	default:
		a = (a + b + 1) / 2
		b = a
	}
	return [2]int64{a, b}
}

// isFresh reports whether the argument sets of calls were written before them.
func isFresh(r invocations.Result) bool { return r.Fresh != invocations.Fresh{} }

// callsInStep returns how many calls make a batch, by the fastest of those that were measured; 0 if it is not known.
// What an executor sees while it prepares may be disturbed, and few calls in a batch would leave the caches to the
// other side.
func callsInStep(measured []invocations.Result) int64 {
	fastest := combine.FastestCall(measured)
	if math.IsInf(fastest, 1) {
		return 0
	}
	calls := max(1, int64(math.Round(stepNS/fastest)))
	if first := &measured[0]; isFresh(*first) { // with more sets of arguments, they would lie in other caches
		calls = min(calls, max(1, first.CallsPerBatch))
	}
	return calls
}

// inSteps measures a turn of both sides at the same time, batch by batch: these make a batch of a tenth of a
// millisecond, or of one call, by turns, on one CPU, and tell each other when it is over. The turn is as long as
// several others.
func (t *turning) inSteps(ctx context.Context, turn, parts int) error {
	var messages [2]*wire.Execute
	var results [2]invocations.Result
	order := t.order(turn)
	t.exchange.Turns++
	for k := range messages {
		messages[k] = t.message(k, turn)
		messages[k].Measure.MinTimeNS = int64(parts) * t.TurnNS
		messages[k].Measure.MaxTimeNS = int64(parts) * t.longestTurn() * 2 // of both sides
		messages[k].Steps = wire.Steps{Turn: t.exchange.Turns, Role: k, First: order[0]}
	}
	start := time.Now()
	errs := t.both(order, func(k int) (err error) {
		results[k], err = t.ask(ctx, k, messages[k])
		return err
	})
	if err := cmp.Or(errs[0], errs[1]); err != nil {
		return err
	}
	combine.CompareNeighbours(&results, parts)
	for _, k := range order {
		t.keep(k, results[k], start)
	}
	return nil
}

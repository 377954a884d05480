package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"zonemark/driver/executors"
	"zonemark/driver/machine"
)

// Host is a machine that measures, over a connection that may be lost.
type Host struct {
	Name               string            // for people, and for the journal
	Environment        map[string]string // its fingerprint
	Executor, Emulator executors.Starter // see Execution
	// Reconnect connects again after the connection was lost. Then the starters start executors again.
	Reconnect func(context.Context) error
}

// onHosts makes the whole run on several hosts. The variants of a group, which are compared, are measured on one host,
// or, if it is lost, on one of the same Class. What a lost host was measuring is measured again.
func (r *run) onHosts(ctx context.Context) error {
	workers, err := r.workers(ctx)
	defer func() {
		for _, w := range workers {
			w.close()
			r.executor.Starts += w.starts()
		}
	}()
	if err == nil {
		err = r.traceAndBegin(ctx)
	}
	if err != nil {
		r.refused = true
		return err
	}
	for _, w := range workers {
		w.Profiles = r.Profiles
	}
	if err := r.finishRefused(); err != nil {
		return err
	}
	queues, err := r.queues(len(workers))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { // wakes those that wait for others
		r.turn.Lock()
		defer r.turn.Unlock()
		queues[0].moved.Broadcast()
	})()
	var all sync.WaitGroup
	var failed error
	for n, w := range workers {
		all.Go(func() {
			w.turn.Lock()
			defer w.turn.Unlock()
			q := queues[n%len(queues)]
			err := w.work(ctx, q, rand.New(rand.NewPCG(r.Seed, uint64(n+1))))
			if err != nil {
				if failed == nil || errors.Is(failed, context.Canceled) { // later errors follow from the first
					failed = err
				}
				q.failed = cmp.Or(q.failed, err)
				cancel()
			}
			q.hosts--
			q.moved.Broadcast()
		})
	}
	r.wait(all.Wait)
	for _, w := range workers {
		if w.Machine != nil {
			if err := w.Machine.Save(); err != nil { // the results do not depend on it
				r.Note("warning: %v", err)
			}
		}
	}
	if err := cmp.Or(failed, ctx.Err()); err != nil {
		return err
	}
	for _, q := range queues {
		if err := r.leftBehind(q); err != nil {
			return err
		}
	}
	return nil
}

// workers returns a run for each host. If something is to be measured, they have an executor each.
func (r *run) workers(ctx context.Context) (list []*run, err error) {
	var all *spreading
	if r.Spread {
		all = newSpreading(r.Hosts)
	}
	for n, h := range r.Hosts {
		own := *r.runner
		w := *r
		w.runner, w.host, w.current, w.spreading, w.number = &own, h, -1, all, n
		w.supervise(h.Executor, h.Emulator)
		list = append(list, &w)
		if r.Machines != "" {
			if own.Machine, err = machine.Open(r.Machines, h.Environment); err != nil {
				r.Note("warning: %v", err)
			}
		}
		for i, p := range r.plan.All() {
			if p.Verdict == "" && !r.isFinished(i) {
				if err := w.ready(ctx, p); err != nil {
					return list, fmt.Errorf("host %s: %w", h.Name, err)
				}
				break
			}
		}
	}
	return list, nil
}

// work measures what the queue has for the host until there is no more.
func (r *run) work(ctx context.Context, q *queue, rng *rand.Rand) error {
	if r.Pairs != nil { // there is one host
		q.blocks = nil
		return r.pairs(ctx, rng)
	}
	for {
		for r.spreading != nil && r.spreading.ahead(r.number) && ctx.Err() == nil {
			q.moved.Wait()
		}
		blocks := r.take(ctx, q)
		if len(blocks) == 0 {
			return ctx.Err()
		}
		q.busy++
		err := r.measureBlocks(ctx, blocks, rng)
		q.busy--
		if errors.Is(err, executors.ErrHostLost) && ctx.Err() == nil {
			err = r.giveBack(q, blocks, err)
			if err == nil && !r.reconnected(ctx, q) {
				return r.spreading.without(r.host, ctx.Err())
			}
		}
		q.moved.Broadcast()
		if err != nil {
			return err
		}
	}
}

// measureBlocks measures what was taken: one block in rounds, or several launch by launch in turns.
func (r *run) measureBlocks(ctx context.Context, blocks [][]int, rng *rand.Rand) error {
	if !r.launches(blocks[0][0]) {
		return r.block(ctx, blocks[0], rng)
	}
	err := r.inTurns(ctx, blocks, rng)
	if recorded := r.concludeLast(); recorded != nil {
		return recorded
	}
	return err
}

// inTurns measures blocks launch by launch in turns, and before that their races.
func (r *run) inTurns(ctx context.Context, blocks [][]int, rng *rand.Rand) error {
	var window []int
	for _, block := range blocks {
		others, err := r.races(ctx, block, rng)
		if err != nil {
			return err
		}
		window = append(window, others...)
	}
	return r.window(ctx, window, rng)
}

// reconnected connects the host again. It reports false if the host is gone.
func (r *run) reconnected(ctx context.Context, q *queue) bool {
	q.moved.Broadcast() // others may take what was given back
	trying, cancel := context.WithCancel(ctx)
	defer cancel()
	q.callOff = append(q.callOff, cancel)
	var err error
	r.wait(func() {
		r.close()
		err = r.host.Reconnect(trying)
	})
	switch {
	case trying.Err() != nil: // interrupted, or it is not needed any more
		return false
	case err != nil:
		q.gone = fmt.Errorf("host %s is gone: %w", r.host.Name, err)
		r.Note("%v", q.gone)
		return false
	}
	r.Note("host %s is back", r.host.Name)
	return true
}

package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"zonemark/invocations"
)

// Host is a machine that measures, over a connection that may be lost.
type Host struct {
	Name               string            // for people, and for the journal
	Environment        map[string]string // its fingerprint
	Executor, Emulator Starter           // see Execution
	// Reconnect connects again after the connection was lost. Then the starters start executors again.
	Reconnect func(context.Context) error
}

// ErrHostLost tells that the connection to a host has ended, so that nothing is known of its executors.
var ErrHostLost = errors.New("the connection to the host was lost")

// lostError says how a connection was lost. It is an ErrHostLost.
type lostError struct{ why string }

func (e *lostError) Error() string        { return e.why }
func (e *lostError) Is(target error) bool { return target == ErrHostLost }

// Class returns a text that is equal for environments of machines whose results may be compared: all of Fingerprint but
// the name of the host.
func Class(environment map[string]string) string {
	_, class, _ := strings.Cut(Fingerprint(environment), "; ")
	return class
}

// queue holds what several hosts have to measure. It is used by the one whose turn it is.
type queue struct {
	blocks [][]int // in the order in which they are taken
	busy   int     // hosts that measure what they have taken
	hosts  int     // hosts that are not lost
	moved  *sync.Cond
	class  map[string]string // of the host that has finished members of a group, by group
	lost   map[int]int       // how often the host was lost that measured an invocation, by its position
	failed error             // ends the run
	// callOff ends the attempts to reach hosts again when nothing is left for them.
	callOff []context.CancelFunc
}

// mostLost is how often the host of an invocation may be lost before the invocation is to blame.
const mostLost = 2

// onHosts makes the whole run on several hosts. The variants of a group, which are compared, are measured on one host,
// or, if it is lost, on one of the same Class. What a lost host was measuring is measured again.
func (r *run) onHosts(ctx context.Context) error {
	workers, err := r.workers(ctx)
	defer func() {
		for _, w := range workers {
			w.close()
			r.executor.starts += w.starts()
		}
	}()
	if err == nil && r.Journal != nil {
		err = r.Journal.Begin()
	}
	if err != nil {
		r.refused = true
		return err
	}
	if err := r.finishRefused(); err != nil {
		return err
	}
	q := r.newQueue(len(workers))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { // wakes those that wait for others
		r.turn.Lock()
		defer r.turn.Unlock()
		q.moved.Broadcast()
	})()
	var all sync.WaitGroup
	for n, w := range workers {
		all.Go(func() {
			w.turn.Lock()
			defer w.turn.Unlock()
			if err := w.work(ctx, q, rand.New(rand.NewPCG(r.Seed, uint64(n+1)))); err != nil {
				if q.failed == nil || errors.Is(q.failed, context.Canceled) { // later errors follow from the first
					q.failed = err
				}
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
	if err := cmp.Or(q.failed, ctx.Err()); err != nil {
		return err
	}
	return r.leftBehind(q)
}

// workers returns a run for each host. If something is to be measured, they have an executor each.
func (r *run) workers(ctx context.Context) (list []*run, err error) {
	for _, h := range r.Hosts {
		own := *r.runner
		w := *r
		w.runner, w.host, w.current = &own, h, -1
		w.supervise(h.Executor, h.Emulator)
		list = append(list, &w)
		if r.Machines != "" {
			if own.Machine, err = OpenMachine(r.Machines, h.Environment); err != nil {
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

func (r *run) newQueue(hosts int) *queue {
	q := &queue{
		blocks: r.plan.blocks(r.Seed, r.isFinished), hosts: hosts, moved: sync.NewCond(r.turn), class: map[string]string{},
		lost: map[int]int{},
	}
	for i, p := range r.plan.All() { // an earlier run may have finished part of a group
		if p.Invocation.Group != "" && p.Verdict == "" && r.isFinished(i) {
			if record := r.records.At(i); record.Machine != "" {
				_, q.class[p.Invocation.Group], _ = strings.Cut(record.Machine, "; ")
			}
		}
	}
	return q
}

// work measures what the queue has for the host until there is no more.
func (r *run) work(ctx context.Context, q *queue, rng *rand.Rand) error {
	if r.Pairs != nil { // there is one host
		q.blocks = nil
		return r.pairs(ctx, rng)
	}
	for {
		blocks := r.take(ctx, q)
		if len(blocks) == 0 {
			return ctx.Err()
		}
		q.busy++
		err := r.measureBlocks(ctx, blocks, rng)
		q.busy--
		if errors.Is(err, ErrHostLost) && ctx.Err() == nil {
			err = r.giveBack(q, blocks, err)
			if err == nil && !r.reconnected(ctx, q) {
				return nil
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
	err := r.window(ctx, slices.Concat(blocks...), rng)
	if recorded := r.concludeLast(); recorded != nil {
		return recorded
	}
	return err
}

// take takes blocks for the host out of the queue: a share of what is left, at most windowBlocks. It waits while others
// may still give something back. It returns nothing if nothing is to come.
func (r *run) take(ctx context.Context, q *queue) (blocks [][]int) {
	class := Class(r.host.Environment)
	for ctx.Err() == nil && q.failed == nil {
		share := min(windowBlocks, max(1, len(q.blocks)/(2*max(1, q.hosts))))
		var passed [][]int // that other hosts must measure
		next := 0
		for ; next < len(q.blocks) && len(blocks) < share; next++ {
			block := q.blocks[next]
			bound, is := q.class[r.plan.At(block[0]).Invocation.Group]
			if is && bound != class {
				passed = append(passed, block)
				continue
			}
			if len(blocks) > 0 && !(r.launches(block[0]) && r.launches(blocks[0][0])) {
				break
			}
			blocks = append(blocks, block)
		}
		q.blocks = q.blocks[next:]
		if len(passed) > 0 {
			q.blocks = append(passed, q.blocks...)
		}
		if len(blocks) > 0 {
			return blocks
		}
		if q.busy == 0 {
			if len(q.blocks) == 0 {
				for _, cancel := range q.callOff {
					cancel()
				}
			}
			return nil
		}
		q.moved.Wait()
	}
	return nil
}

// giveBack puts what a lost host has not finished first into the queue. What was being measured when a host was lost for
// the second time is finished: it may be the reason.
func (r *run) giveBack(q *queue, blocks [][]int, why error) error {
	if i := r.current; i >= 0 {
		if q.lost[i]++; q.lost[i] >= mostLost {
			inv := &r.plan.At(i).Invocation
			text, _, _ := strings.Cut(why.Error(), "\n")
			blamed := invocations.Result{ID: inv.ID, Rounds: 1, Mode: inv.Measure.Mode, Status: invocations.Crashed,
				Error: fmt.Sprintf("%d hosts were lost while it ran; the last one: %s", mostLost, text)}
			if err := r.finish(i, blamed); err != nil {
				return err
			}
		}
	}
	r.current = -1
	var left [][]int
	count := 0
	for _, block := range blocks {
		open := slices.DeleteFunc(slices.Clone(block), r.isFinished)
		if group := r.plan.At(block[0]).Invocation.Group; len(open) < len(block) && group != "" {
			q.class[group] = Class(r.host.Environment)
		}
		if len(open) > 0 {
			left = append(left, open)
		}
		count += len(open)
	}
	q.blocks = append(left, q.blocks...)
	r.Note("%v\nwhat it had not finished (%d) is measured again", why, count)
	return nil
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
		r.Note("host %s is gone: %v", r.host.Name, err)
		return false
	}
	r.Note("host %s is back", r.host.Name)
	return true
}

// leftBehind returns an error if not all of the queue was measured.
func (r *run) leftBehind(q *queue) error {
	if len(q.blocks) == 0 {
		return nil
	}
	inv := &r.plan.At(q.blocks[0][0]).Invocation
	if bound := q.class[inv.Group]; inv.Group != "" && bound != "" {
		return fmt.Errorf("%s is compared with others that were measured on a host that is gone (%s), and no other host is "+
			"equal to that", inv.Name, bound)
	}
	return errors.New("no host is left")
}

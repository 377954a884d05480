package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"zonemark/driver/machine"
	"zonemark/invocations"
)

// queue holds what several hosts have to measure. It is used by the one whose turn it is.
type queue struct {
	blocks [][]int // in the order in which they are taken
	busy   int     // hosts that measure what they have taken
	hosts  int     // hosts that are not lost
	moved  *sync.Cond
	class  map[string]string // of the host that has finished members of a group, by group
	lost   map[int]int       // how often the host was lost that measured an invocation, by its position
	failed error             // ends the run
	gone   error             // why the host that was lost last cannot be reached again
	// callOff ends the attempts to reach hosts again when nothing is left for them.
	callOff []context.CancelFunc
}

// mostLost is how often the host of an invocation may be lost before the invocation is to blame.
const mostLost = 2

// queues returns what the hosts have to measure: one queue for all of them, or, if each of them measures everything, one
// for each.
func (r *run) queues(hosts int) ([]*queue, error) {
	first, err := r.newQueue(hosts)
	if !r.Spread || err != nil {
		return []*queue{first}, err
	}
	list := []*queue{first}
	first.hosts = 1
	for len(list) < hosts {
		own, err := r.newQueue(1)
		if err != nil {
			return nil, err
		}
		own.moved = first.moved
		list = append(list, own)
	}
	return list, nil
}

func (r *run) newQueue(hosts int) (*queue, error) {
	q := &queue{
		blocks: r.plan.Blocks(r.Seed, r.isFinished), hosts: hosts, moved: sync.NewCond(r.turn), class: map[string]string{},
		lost: map[int]int{},
	}
	for i, p := range r.plan.All() { // an earlier run may have finished part of a group
		if p.Invocation.Group != "" && p.Verdict == "" && r.isFinished(i) {
			record, err := r.records.At(i)
			if err != nil {
				return nil, err
			}
			if record.Machine != "" {
				_, q.class[p.Invocation.Group], _ = strings.Cut(record.Machine, "; ")
			}
		}
	}
	return q, nil
}

// take takes blocks for the host out of the queue: a share of what is left, at most windowBlocks. It waits while others
// may still give something back. It returns nothing if nothing is to come.
func (r *run) take(ctx context.Context, q *queue) (blocks [][]int) {
	class := machine.Class(r.host.Environment)
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
			blamed := invocations.Result{ID: inv.ID, Merged: 1, Mode: inv.Measure.Mode, Status: invocations.Crashed,
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
			q.class[group] = machine.Class(r.host.Environment)
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
	why := "nobody is there to measure"
	if q.gone != nil {
		why, _, _ = strings.Cut(q.gone.Error(), "\n")
	}
	return errors.New("no host is left: " + why)
}

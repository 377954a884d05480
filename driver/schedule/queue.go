package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/driver/plan"
)

// mostLost is how often the host of an invocation may be lost before the invocation is to blame.
const mostLost = 2

// Queue divides a plan among workers, some blocks at a time. The variants of a group, which are compared, are measured
// by one worker, or, if it is lost, by one of the same class.
type Queue struct {
	plan    *plan.Plan
	how     []how             // invocations are measured, by their positions
	blocks  [][]int           // in the order in which they are taken
	workers int               // that are not lost
	busy    int               // workers that measure what they have taken
	class   map[string]string // of the worker that has finished members of a group, by group
	lost    map[int]int       // how often the host was lost that measured an invocation, by its position
}

// how an invocation is measured.
type how uint8

const (
	launched how = iota
	called       // once
	racing
)

// NewQueue returns what is not finished of a plan, for so many workers. The order follows from seed: it is random, but
// what is called once comes first.
func NewQueue(p *plan.Plan, seed uint64, workers int, finished func(position int) bool) *Queue {
	q := &Queue{plan: p, how: make([]how, p.Len()), workers: workers, class: map[string]string{}, lost: map[int]int{}}
	for i, entry := range p.All() {
		switch {
		case entry.Invocation.Measure.CheckOnly:
			q.how[i] = called
		case entry.MostLaunches > 0:
			q.how[i] = racing
		}
	}
	q.blocks = p.Blocks(seed, finished)
	slices.SortStableFunc(q.blocks, func(a, b []int) int { return q.order(a) - q.order(b) })
	return q
}

func (q *Queue) order(block []int) int {
	if q.how[block[0]] == called {
		return 0
	}
	return 1
}

// Bind leaves a group to workers of a class, since one of them has measured a part of it.
func (q *Queue) Bind(group, class string) {
	if group != "" {
		q.class[group] = class
	}
}

// Take returns blocks for a worker of a class: a share of what is left, at most windowBlocks, which are called once or
// none of them. It returns nothing if there is nothing for it now. Others may still give something back as long as
// the queue is Busy.
func (q *Queue) Take(class string) (blocks [][]int) {
	if blocks = q.share(class); len(blocks) > 0 {
		q.busy++
	}
	return blocks
}

// share returns the blocks of which a worker of a class measures some together. A single worker has the races between
// them as well; several workers share races.
func (q *Queue) share(class string) (blocks [][]int) {
	most := windowBlocks
	if q.workers > 1 {
		most = min(most, max(1, len(q.blocks)/(2*q.workers)))
	}
	var passed [][]int // that others must measure
	next := 0
	for count := 0; next < len(q.blocks) && count < most; next++ {
		block := q.blocks[next]
		if len(q.class) > 0 {
			if bound, is := q.class[q.group(block)]; is && bound != class {
				passed = append(passed, block)
				continue
			}
		}
		once := q.how[block[0]] == called
		if len(blocks) > 0 && (once || q.how[blocks[0][0]] == called) {
			break
		}
		blocks = append(blocks, block)
		if q.workers > 1 || slices.ContainsFunc(block, func(i int) bool { return q.how[i] != racing }) {
			count++
		}
	}
	if q.blocks = q.blocks[next:]; len(passed) > 0 {
		q.blocks = append(passed, q.blocks...)
	}
	return blocks
}

func (q *Queue) group(block []int) string { return q.plan.At(block[0]).Invocation.Group }

// Done tells that a worker has measured what it has taken, or has given it back.
func (q *Queue) Done() { q.busy-- }

// Leave tells that a worker takes nothing more.
func (q *Queue) Leave() { q.workers-- }

// Busy reports whether workers measure what they have taken.
func (q *Queue) Busy() bool { return q.busy > 0 }

// Empty reports whether everything was taken.
func (q *Queue) Empty() bool { return len(q.blocks) == 0 }

// GiveBack puts what a lost worker of a class has not finished of some blocks first into the queue. It returns how many
// invocations that are.
func (q *Queue) GiveBack(blocks [][]int, class string, finished func(position int) bool) (count int) {
	var left [][]int
	for _, block := range blocks {
		open := slices.DeleteFunc(slices.Clone(block), finished)
		if len(open) < len(block) {
			q.Bind(q.group(block), class)
		}
		if len(open) > 0 {
			left = append(left, open)
		}
		count += len(open)
	}
	q.blocks = append(left, q.blocks...)
	return count
}

// Lost takes note that a host was lost while it measured the invocation at a position. It reports whether the
// invocation is to blame, and what to say of it.
func (q *Queue) Lost(position int, why error) (text string, blame bool) {
	if q.lost[position]++; q.lost[position] < mostLost {
		return "", false
	}
	first, _, _ := strings.Cut(why.Error(), "\n")
	return fmt.Sprintf("%d hosts were lost while it ran; the last one: %s", mostLost, first), true
}

// LeftBehind returns an error if not all of the queue was measured. gone says why the worker that was lost last does
// not come back; it may be nil.
func (q *Queue) LeftBehind(gone error) error {
	if q.Empty() {
		return nil
	}
	inv := &q.plan.At(q.blocks[0][0]).Invocation
	if bound := q.class[inv.Group]; inv.Group != "" && bound != "" {
		return fmt.Errorf("%s is compared with others that were measured on a host that is gone (%s), and no other host is "+
			"equal to that", inv.Name, bound)
	}
	why := "nobody is there to measure"
	if gone != nil {
		why, _, _ = strings.Cut(gone.Error(), "\n")
	}
	return errors.New("no host is left: " + why)
}

// Package correlate joins the zones of a capture, or of a table made of one, to the invocations that caused them, and
// makes dispatches of them. All that it knows of an invocation is its id.
package correlate

import (
	"errors"
	"fmt"

	"zonemark/trace"
)

// Options say how to correlate. The zero value is that of zonemark's own captures.
type Options struct {
	BracketName string // of the zones around invocations; empty: "invocation"
	Names       Names  // of the runtime's zones
	Rules       []Rule
	// id → name of invocations; nil: not known. With it, a bracket of an id that is not in it is warned of
	Known map[string]string

	// Calls are the calls that were made of each id; nil: not known. An iteration of an id that has all of them is not
	// flagged as partial because the source is: what the source lacks is something else, such as the end of a later
	// invocation that crashed.
	Calls map[string]int64

	WarmupIterations      int     // first iterations of each id that summaries leave out, if there are more
	ConservationThreshold float64 // part of a bracket that may stay unexplained; 0: 0.01
	// a wait without any dispatch is unexplained when it is longer; 0: 50,000, a generous wake-up of a thread
	WakeupNS int64
}

// UsualWarmup is the number of first calls of an invocation that are warm-up, if nobody says otherwise.
const UsualWarmup = 5

// Join joins the zones of a source to invocations. A capture's zones of devices become dispatches, too. It walks the
// source once and remembers 16 bytes of each zone; beyond twelve million zones, or 32,768 names, it walks the source
// twice, and memory grows with brackets and dispatches only.
//
// A walk that ends in an error makes a correlation of what came before it, in which everything is flagged as partial;
// the error is returned only when nothing came before it.
func Join(src trace.Source, o Options) (*Result, error) { return join(src, o, mostNotes) }

// join is Join that remembers at most so many zones.
func join(src trace.Source, o Options, most int) (*Result, error) {
	if o.BracketName == "" {
		o.BracketName = "invocation"
	}
	if o.ConservationThreshold == 0 {
		o.ConservationThreshold = 0.01
	}
	if o.WakeupNS == 0 {
		o.WakeupNS = 50_000
	}
	for i, rule := range o.Rules {
		if rule.Zone == nil || rule.Invocation == "" && rule.Dispatch == "" {
			return nil, fmt.Errorf(
				"correlation rule %d: needs an expression for zones, and an invocation or a dispatch", i+1)
		}
	}
	c := &correlator{options: o, kinds: newKinds(&o), notes: notes{most: most}, result: &Result{}}
	if err := c.survey(src); err != nil {
		return nil, err
	}
	if err := c.place(src); err != nil {
		return nil, err
	}
	c.placeDevices(src)
	c.finish(src)
	return c.result, nil
}

// correlator is the state between survey and placing.
type correlator struct {
	options  Options
	kinds    *kinds
	notes    notes
	result   *Result
	brackets *brackets
	byID     map[string]int // virtual brackets
}

// survey walks the source: it finds what there is to go by, and the extents of brackets.
func (c *correlator) survey(src trace.Source) error {
	s := newSurvey(src)
	err := walk(src, c.kinds, func(n *note, text func() string) bool {
		c.result.Zones++
		s.add(n, text)
		c.notes.add(n)
		return true
	})
	if without := (noLocationError{}); errors.As(err, &without) {
		return without
	}
	if err != nil {
		if c.result.Zones == 0 {
			return fmt.Errorf("correlate: %w", err)
		}
		c.cut(err)
	}
	all := c.settle(s)
	c.brackets = newBrackets(all)
	if c.byID != nil {
		for i := range all {
			c.byID[all[i].id] = i
		}
	}
	return nil
}

// place puts each zone where it belongs: those that the survey remembers, else those of a second walk.
func (c *correlator) place(src trace.Source) error {
	threads := map[int]*gatherer{}
	var g *gatherer // of the thread of the zone before: zones come thread by thread
	thread := none
	each := func(n *note) {
		if g == nil || n.thread != thread {
			if g, thread = threads[n.thread], n.thread; g == nil {
				g = &gatherer{all: c.brackets.all}
				threads[thread] = g
			}
		}
		at := c.owner(n)
		c.account(n, at)
		g.add(n, at.index)
	}
	var err error
	if c.notes.gaveUp {
		err = walk(src, c.kinds, func(n *note, _ func() string) bool { each(n); return true })
	} else {
		c.notes.take(c.kinds.list, each)
	}
	if without := (noLocationError{}); errors.As(err, &without) {
		return without
	}
	if err != nil {
		c.cut(err)
	}
	for _, g := range threads {
		g.flush(0)
	}
	return nil
}

func (c *correlator) owner(n *note) placement {
	if c.byID == nil {
		return c.brackets.find(n)
	}
	if i, ok := c.byID[n.kind.id]; ok && n.kind.id != "" {
		return placement{index: i}
	}
	return placement{index: none}
}

// listedOrphans bounds Result.Orphans.
const listedOrphans = 100

func (c *correlator) account(n *note, at placement) {
	r := n.kind
	if at.index >= 0 {
		b := &c.brackets.all[at.index]
		b.zones++
		if n.unfinished && (r.workgroup || r.issue) {
			b.flags |= Unfinished
		}
		if r.wait && n.thread == b.thread && n.duration > c.options.WakeupNS {
			for k := len(b.waits); k > 0 && b.waits[k-1].start >= n.start; k-- {
				b.waits = b.waits[:k-1]
			}
			b.waits = append(b.waits, segment{n.start, n.end()})
		}
		return
	}
	c.result.Outside++
	if !r.workgroup {
		return
	}
	c.result.OrphanCount++
	why := "outside every bracket"
	switch {
	case at.index == several:
		why = "in brackets of several threads"
	case at.straddles:
		why = "in part in a bracket"
		c.brackets.all[at.touched].flags |= Straddled
	}
	if len(c.result.Orphans) < listedOrphans {
		c.result.Orphans = append(c.result.Orphans, Orphan{n.kind.name, n.start, why})
	}
}

func (c *correlator) cut(err error) {
	if !c.result.Partial {
		c.warn("the zones end in an error: %v", err)
	}
	c.result.Partial = true
}

func (c *correlator) warn(format string, a ...any) {
	c.result.Warnings = append(c.result.Warnings, fmt.Sprintf(format, a...))
}

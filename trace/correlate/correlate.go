// Package correlate joins the zones of a capture, or of a table made of one, to the invocations that caused them, and
// makes dispatches of them. All that it knows of an invocation is its id.
package correlate

import (
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
// source twice; memory grows with brackets and dispatches, not with zones.
//
// A walk that ends in an error makes a correlation of what came before it, in which everything is flagged as partial;
// the error is returned only when nothing came before it.
func Join(src trace.Source, o Options) (*Result, error) {
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
	c := &correlator{options: o, roles: newRoles(&o), result: &Result{}}
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

// correlator is the state between the two walks.
type correlator struct {
	options  Options
	roles    *roles
	result   *Result
	brackets *brackets
	byID     map[string]int // virtual brackets
}

// survey is the first walk: it finds what there is to go by, and the extents of brackets.
func (c *correlator) survey(src trace.Source) error {
	s := newSurvey(src)
	for z, err := range src.Zones() {
		if err != nil {
			if c.result.Zones == 0 {
				return fmt.Errorf("correlate: %w", err)
			}
			c.cut(err)
			break
		}
		if z.Location == nil {
			return withoutLocation(&z)
		}
		c.result.Zones++
		s.add(&z, c.roles.of(&z))
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

func withoutLocation(z *trace.Zone) error {
	return fmt.Errorf("correlate: zone %d of thread %d has no source location", z.Ordinal, z.Thread)
}

// place is the second walk: it puts each zone where it belongs.
func (c *correlator) place(src trace.Source) error {
	threads := map[int]*gatherer{}
	var g *gatherer // of the thread of the zone before: zones come thread by thread
	thread := none
	for z, err := range src.Zones() {
		if err != nil {
			c.cut(err)
			break
		}
		if z.Location == nil {
			return withoutLocation(&z)
		}
		if g == nil || z.Thread != thread {
			if g, thread = threads[z.Thread], z.Thread; g == nil {
				g = &gatherer{all: c.brackets.all}
				threads[thread] = g
			}
		}
		r := c.roles.of(&z)
		at := c.owner(&z, r)
		c.account(&z, r, at)
		g.add(&z, r, at.index)
	}
	for _, g := range threads {
		g.flush(0)
	}
	return nil
}

func (c *correlator) owner(z *trace.Zone, r role) placement {
	if c.byID == nil {
		return c.brackets.find(z)
	}
	if i, ok := c.byID[r.id]; ok && r.id != "" {
		return placement{index: i}
	}
	return placement{index: none}
}

// listedOrphans bounds Result.Orphans.
const listedOrphans = 100

func (c *correlator) account(z *trace.Zone, r role, at placement) {
	if at.index >= 0 {
		b := &c.brackets.all[at.index]
		b.zones++
		if z.Unfinished && (r.workgroup || r.issue) {
			b.flags |= Unfinished
		}
		if r.wait && z.Thread == b.thread && z.DurationNS > c.options.WakeupNS {
			for n := len(b.waits); n > 0 && b.waits[n-1].start >= z.StartNS; n-- {
				b.waits = b.waits[:n-1]
			}
			b.waits = append(b.waits, segment{z.StartNS, z.EndNS()})
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
		c.result.Orphans = append(c.result.Orphans, Orphan{Zone: *z, Why: why})
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

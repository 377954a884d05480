package correlate

import (
	"cmp"
	"slices"

	"zonemark/trace"
)

// survey is what the first walk has found so far.
type survey struct {
	trusted func(*trace.Location) bool // the texts of a location's zones are theirs
	last    map[int]*int64             // the greatest ordinal of each thread
	thread  int                        // whose greatest ordinal is lastOf
	lastOf  *int64                     // nil: there was no zone

	stated  []bracket // with text inv=<id>
	ruled   []bracket // that a rule makes
	invoked []bracket // the runtime's own calls, until a stated one comes

	fromFiles map[string]*bracket // the extents of the zones of an id, by source file
	fromRules map[string]*bracket // likewise, by rule

	unnamed  int64 // brackets without an id
	doubtful int64 // stated ones whose text may be that of another zone
}

func newSurvey(src trace.Source) *survey {
	s := &survey{last: map[int]*int64{}, fromFiles: map[string]*bracket{}, fromRules: map[string]*bracket{}}
	s.trusted = func(*trace.Location) bool { return true }
	if table, ok := src.(interface{ TextTrusted(*trace.Location) bool }); ok {
		s.trusted = table.TextTrusted
	}
	return s
}

// add takes in a zone.
func (s *survey) add(n *note, text func() string) {
	r := n.kind
	if s.lastOf == nil || n.thread != s.thread { // zones come thread by thread
		s.thread, s.lastOf = n.thread, s.last[n.thread]
		if s.lastOf == nil {
			s.lastOf = new(int64)
			s.last[n.thread] = s.lastOf
		}
	}
	*s.lastOf = max(*s.lastOf, n.ordinal)
	if !r.bracket && !r.ruled && !r.invoke && r.id == "" {
		return
	}
	b := bracket{
		id: r.id, name: r.invoked, thread: n.thread, start: n.start, end: n.end(),
		first: n.ordinal, last: *s.lastOf, depth: n.depth,
	}
	if n.unfinished {
		b.flags |= Unfinished
	}
	switch {
	case r.bracket:
		if !s.addStated(n, text(), b) {
			return
		}
	case r.ruled && r.id != "" && r.dispatch == "":
		s.ruled = append(s.ruled, b)
	case r.id != "" && (r.workgroup || r.issue) && r.idByFile:
		widen(s.fromFiles, b)
	case r.id != "" && (r.workgroup || r.issue):
		widen(s.fromRules, b)
	}
	if r.invoke && len(s.stated) == 0 {
		b.id, b.name = "", ""
		s.invoked = append(s.invoked, b)
	}
}

// addStated adds a bracket whose text says its id. It returns false if the text does not.
func (s *survey) addStated(n *note, stored string, b bracket) bool {
	text, _, _ := trace.CutValue(stored)
	id, ok := bracketID(text)
	if !ok {
		s.unnamed++
		return false
	}
	if !s.trusted(n.kind.location) {
		s.doubtful++
	}
	b.id, b.name = id, bracketName(text)
	s.stated = append(s.stated, b)
	return true
}

// settle chooses the method, notes what is doubtful, and returns the brackets.
func (c *correlator) settle(s *survey) []bracket {
	if s.unnamed > 0 {
		c.warn("%d %s zones have no text inv=<id>; they are not brackets", s.unnamed, c.options.BracketName)
	}
	if s.doubtful > 0 {
		c.warn("%d brackets may have the text of another zone: tracy-csvexport repeats the last text for a zone without "+
			"one; zonemark gives every bracket its own", s.doubtful)
	}
	switch {
	case len(s.stated) > 0:
		c.result.Method = ByBracket
		return s.stated
	case len(s.fromFiles) > 0:
		c.result.Method = ByFile
		return c.without(s.invoked, s.fromFiles)
	case len(s.ruled) > 0:
		c.result.Method = ByRule
		return s.ruled
	case len(s.fromRules) > 0:
		c.result.Method = ByRule
		return c.without(s.invoked, s.fromRules)
	}
	c.warn("no zone tells its invocation: there is no %s zone with text inv=<id>, no source file inv://ID/…, and no rule "+
		"that matches", c.options.BracketName)
	return nil
}

// widen makes the bracket of an id include another zone of it.
func widen(extents map[string]*bracket, b bracket) {
	if known := extents[b.id]; known != nil {
		known.start, known.end, known.flags = min(known.start, b.start), max(known.end, b.end), known.flags|b.flags
		return
	}
	b.thread, b.virtual = none, true
	extents[b.id] = &b
}

// without is what stands for brackets where there are none: the runtime's own calls, else the extent of all zones of an
// id.
func (c *correlator) without(invoked []bracket, extents map[string]*bracket) []bracket {
	if len(invoked) > 0 {
		return invoked
	}
	c.warn("neither brackets nor calls of the runtime: all zones of an id count as one iteration")
	c.byID = map[string]int{}
	all := make([]bracket, 0, len(extents))
	for _, b := range extents {
		b.flags |= NoBracket
		all = append(all, *b)
	}
	slices.SortFunc(all, func(a, b bracket) int { return cmp.Compare(a.id, b.id) })
	return all
}

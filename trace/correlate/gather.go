package correlate

import (
	"cmp"
	"slices"

	"zonemark/trace"
)

// part is what one thread did for a dispatch: workgroups of one name that follow each other directly, or an issuing
// zone with its workgroups.
type part struct {
	id            string // of the invocation, where the zone itself says it
	name          string
	location      *trace.Location
	thread        int
	start, end    int64
	total         int64
	workgroups    int
	issued        bool
	threads       []int // of an assembled dispatch; a gatherer leaves it nil
	depth         int
	bracket       int
	workgroupless bool
	device        bool // it ran on a device
}

// gatherer collects parts on one thread, whose zones come in post-order: when a zone comes, what is pending at greater
// depth lies in it.
type gatherer struct {
	all     []bracket
	pending []part
	// all zones below zones that are still open, one a parent: an issuing zone may have workgroups of any name
	children []children
}

// children are all zones that lie directly in one. The strings are those of the first.
type children struct {
	parent     int64 // ordinal
	id, name   string
	location   *trace.Location
	total      int64
	workgroups int
}

func (g *gatherer) add(z *note, owner int) {
	r := z.kind
	below, hasBelow := g.takeChildren(z)
	n := len(g.pending)
	for n > 0 && g.pending[n-1].depth > z.depth {
		n--
	}
	inside := g.pending[n:]
	id, name, location := r.id, cmp.Or(r.dispatch, r.name), r.location
	switch {
	case !r.issue && !r.workgroup || owner < 0 ||
		slices.ContainsFunc(inside, func(p part) bool { return p.issued || p.bracket != owner }):
		// What is inside stays as it is; an issuing zone knows better than anything around it.
	case r.issue:
		mine := part{thread: z.thread, start: z.start, end: z.end(), depth: z.depth, bracket: owner, issued: true}
		switch {
		case len(inside) > 0:
			name, location, id = inside[0].name, inside[0].location, cmp.Or(id, inside[0].id)
			for i := range inside {
				mine.total += inside[i].total
				mine.workgroups += inside[i].workgroups
			}
		case hasBelow:
			name, location, id = below.name, below.location, cmp.Or(id, below.id)
			mine.total, mine.workgroups = below.total, below.workgroups
		default:
			mine.workgroupless = true
		}
		mine.id, mine.name, mine.location = id, name, location
		g.pending = append(g.pending[:n], mine)
	case r.workgroup: // workgroups inside a workgroup are part of it
		g.pending = g.pending[:n]
		g.merge(part{id: id, name: name, location: location, thread: z.thread, start: z.start, end: z.end(),
			total: z.duration, workgroups: 1, depth: z.depth, bracket: owner})
	}
	if z.parent >= 0 {
		g.addChild(children{z.parent, id, name, location, z.duration, 1})
	}
	if z.depth == 0 || r.bracket || r.ruled && r.dispatch == "" {
		g.flush(z.depth)
	}
}

// merge adds a workgroup to the part before it when that is of the same dispatch.
func (g *gatherer) merge(mine part) {
	if n := len(g.pending); n == 0 || g.pending[n-1].depth != mine.depth || !g.pending[n-1].take(&mine) {
		g.pending = append(g.pending, mine)
	}
}

// handoverNS is less than what it takes to pass work to another thread and back: between two workgroups of one thread
// that are closer than this, no dispatch of another thread can have begun and ended.
const handoverNS = 500

// take adds workgroups that the same thread did directly afterwards.
func (p *part) take(next *part) bool {
	if p.issued || next.issued || p.thread != next.thread || p.bracket != next.bracket || p.name != next.name ||
		p.id != next.id || next.start > p.end+handoverNS ||
		next.start < p.start {
		return false
	}
	p.end = max(p.end, next.end)
	p.total += next.total
	p.workgroups += next.workgroups
	return true
}

// flush gives what is pending at this depth or below it to the brackets.
func (g *gatherer) flush(depth int) {
	n := len(g.pending)
	for n > 0 && g.pending[n-1].depth >= depth {
		n--
	}
	for i := n; i < len(g.pending); i++ {
		p := &g.pending[i]
		b := &g.all[p.bracket]
		if n := len(b.parts); n == 0 || !b.parts[n-1].take(p) {
			b.parts = append(b.parts, *p)
		}
	}
	g.pending = g.pending[:n]
}

func (g *gatherer) takeChildren(z *note) (below children, found bool) {
	n := len(g.children)
	if n == 0 || g.children[n-1].parent != z.ordinal {
		return below, false
	}
	below = g.children[n-1]
	g.children = g.children[:n-1]
	return below, true
}

func (g *gatherer) addChild(mine children) {
	if n := len(g.children); n > 0 && g.children[n-1].parent == mine.parent {
		g.children[n-1].total += mine.total
		g.children[n-1].workgroups++
		return
	}
	g.children = append(g.children, mine)
}

// assemble makes dispatches of parts that several threads did. An issuing zone is a dispatch; parts that lie in one
// without workgroups of its own are its workgroups. Other parts of one name are one dispatch when they overlap, or when
// no dispatch of another name ran between them: nothing in a capture tells two dispatches of one name apart that follow
// each other directly and were not issued on the invoking thread.
func assemble(parts []part) []part {
	slices.SortStableFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.start, b.start), -cmp.Compare(a.end, b.end), cmp.Compare(a.thread, b.thread))
	})
	var made []part
	latest := map[string]int{} // by name
	open := -1                 // an issuing zone without workgroups
	for _, p := range parts {
		if p.issued {
			if p.workgroupless {
				open = len(made)
			} else {
				p.threads = []int{p.thread}
			}
			made = append(made, p)
			continue
		}
		at := -1
		if open >= 0 && p.end <= made[open].end {
			at = open
			if d := &made[at]; d.workgroupless {
				d.name, d.location, d.workgroupless = p.name, p.location, false
			}
		} else if i, ok := latest[p.name]; ok && (p.start <= made[i].end ||
			!between(made[i+1:], made[i].end, p.start)) {
			at = i
		}
		if at < 0 {
			latest[p.name] = len(made)
			p.threads = []int{p.thread}
			made = append(made, p)
			continue
		}
		d := &made[at]
		d.end = max(d.end, p.end)
		d.total += p.total
		d.workgroups += p.workgroups
		if !slices.Contains(d.threads, p.thread) {
			d.threads = append(d.threads, p.thread)
		}
	}
	return made
}

// between says whether a dispatch began and ended between two times. Those after the first time are at the end of the
// list.
func between(made []part, from, to int64) bool {
	for i := len(made) - 1; i >= 0 && made[i].start >= from; i-- {
		if made[i].end <= to {
			return true
		}
	}
	return false
}

package correlate

import (
	"cmp"
	"slices"
	"sort"
)

// bracket is the extent of one iteration of one invocation, on one thread.
type bracket struct {
	id, name    string
	thread      int
	start, end  int64
	first, last int64 // ordinals of the zone itself and of its last descendant
	depth       int
	parent      int // index of the enclosing bracket of the same thread; -1: none
	flags       Flags
	virtual     bool // made of the zones of an id, without a zone of its own

	zones  int64     // that belong to it
	parts  []part    // of its dispatches
	waits  []segment // long ones of the invoking thread, disjoint and in order
	nested int
	device bool // zones of a device belong to it
}

// segment is a half-open stretch of time.
type segment struct{ start, end int64 }

// brackets finds the bracket of a zone: by nesting on the bracket's own thread, by time on others.
type brackets struct {
	all      []bracket
	byThread map[int][]int // indices, by ordinal
	owners   []ownership   // by time; the last one owns nothing
}

// ownership says whose the time from start to the next ownership is.
type ownership struct {
	start int64
	owner int // index, none or several
}

const (
	none    = -1
	several = -2
)

func newBrackets(all []bracket) *brackets {
	slices.SortStableFunc(all, func(a, b bracket) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.first, b.first))
	})
	b := &brackets{all: all, byThread: map[int][]int{}}
	for i := range all {
		all[i].parent = none
		if !all[i].virtual {
			b.byThread[all[i].thread] = append(b.byThread[all[i].thread], i)
		}
	}
	for _, list := range b.byThread {
		slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(all[i].first, all[j].first) })
		var open []int
		for _, i := range list {
			for len(open) > 0 && all[open[len(open)-1]].last < all[i].first {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				all[i].parent = open[len(open)-1]
				all[all[i].parent].nested++
			}
			open = append(open, i)
		}
	}
	b.sweep()
	return b
}

// edge is the beginning or the end of a bracket.
type edge struct {
	at      int64
	index   int
	opening bool
}

// compareEdges orders edges by time: at one time ends before beginnings. Outer brackets, which have the lower index,
// open first and close last.
func compareEdges(x, y edge) int {
	if c := cmp.Compare(x.at, y.at); c != 0 {
		return c
	}
	switch {
	case x.opening != y.opening:
		if x.opening {
			return 1
		}
		return -1
	case x.opening:
		return cmp.Compare(x.index, y.index)
	}
	return cmp.Compare(y.index, x.index)
}

// edges returns the beginnings and ends of all brackets that take time on a thread, in order.
func (b *brackets) edges() []edge {
	edges := make([]edge, 0, 2*len(b.all))
	for i := range b.all {
		if !b.all[i].virtual && b.all[i].end > b.all[i].start {
			edges = append(edges, edge{b.all[i].start, i, true}, edge{b.all[i].end, i, false})
		}
	}
	slices.SortStableFunc(edges, compareEdges)
	return edges
}

// sweep walks over beginnings and ends in order of time and notes who owns the time between them. Time that brackets of
// two threads claim has no owner, and both are flagged.
func (b *brackets) sweep() {
	open := map[int][]int{} // by thread
	edges := b.edges()
	for i, e := range edges {
		thread := b.all[e.index].thread
		stack := open[thread]
		if e.opening {
			stack = append(stack, e.index)
		} else if at := lastIndex(stack, e.index); at >= 0 {
			stack = slices.Delete(stack, at, at+1)
		}
		if len(stack) == 0 {
			delete(open, thread)
		} else {
			open[thread] = stack
		}
		if i+1 == len(edges) || edges[i+1].at != e.at {
			b.owners = append(b.owners, ownership{e.at, b.owner(open)})
		}
	}
}

// owner returns the innermost bracket that is open, or several if brackets of several threads are.
func (b *brackets) owner(open map[int][]int) int {
	if len(open) > 1 {
		for _, stack := range open {
			b.all[stack[len(stack)-1]].flags |= Overlapping
		}
		return several
	}
	for _, stack := range open {
		return stack[len(stack)-1]
	}
	return none
}

func lastIndex(list []int, value int) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == value {
			return i
		}
	}
	return -1
}

// placement is the outcome of a search.
type placement struct {
	index     int  // none or several: it is in no bracket
	straddles bool // it lies in part in a bracket that does not hold it
	touched   int  // that bracket
}

// find is the innermost bracket of a zone.
func (b *brackets) find(z *note) placement {
	list := b.byThread[z.thread]
	if n := sort.Search(len(list), func(i int) bool { return b.all[list[i]].first >= z.ordinal }); n > 0 {
		for i := list[n-1]; i != none; i = b.all[i].parent {
			if z.ordinal <= b.all[i].last {
				return placement{index: i}
			}
		}
	}
	return b.findByTime(z)
}

func (b *brackets) findByTime(z *note) placement {
	end := z.end()
	n := sort.Search(len(b.owners), func(i int) bool { return b.owners[i].start > z.start })
	owner := none
	if n > 0 {
		owner = b.owners[n-1].owner
		// empty, at the very end of a bracket
		if owner == none && end == z.start && b.owners[n-1].start == end && n > 1 {
			owner = b.owners[n-2].owner
		}
	}
	if owner == several {
		return placement{index: several}
	}
	for i := owner; i >= 0; i = b.all[i].parent {
		if end <= b.all[i].end && b.all[i].thread != z.thread {
			if n < len(b.owners) && b.owners[n].start < end && b.owners[n].owner == several {
				return placement{index: several}
			}
			return placement{index: i}
		}
	}
	if owner >= 0 && b.all[owner].thread != z.thread {
		return placement{index: none, straddles: true, touched: owner}
	}
	for ; n < len(b.owners) && b.owners[n].start < end; n++ {
		if o := b.owners[n].owner; o >= 0 && b.all[o].thread != z.thread {
			return placement{index: none, straddles: true, touched: o}
		}
	}
	return placement{index: none}
}

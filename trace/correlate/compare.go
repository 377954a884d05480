package correlate

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// compare sets apart iterations that are unlike most others: a call may do something else, an empty one nothing at all,
// and a capture may have lost zones. What tells the two apart is time. Where what is missing could have run in the time
// that no dispatch claims, it counts as lost; a call that was too short for it did without it.
//
// Warm-up iterations are compared and do not vote, nor do those without dispatches. Of shapes that are equally
// frequent, that with the most workgroups counts as the usual one.
func (inv *Invocation) compare() {
	shapes := make([]string, len(inv.Iterations))
	counts := map[string]int{}
	most := -1
	for i := range inv.Iterations {
		shapes[i] = inv.Iterations[i].shape()
		if inv.counts(i) {
			counts[shapes[i]]++
		}
	}
	for i := range shapes {
		if !inv.counts(i) || len(inv.Iterations[i].Dispatches) == 0 {
			continue
		}
		if most < 0 {
			most = i
		} else if n, m := counts[shapes[i]], counts[shapes[most]]; n > m || n == m &&
			inv.Iterations[i].workgroups() > inv.Iterations[most].workgroups() {
			most = i
		}
	}
	if most < 0 || !slices.ContainsFunc(shapes, func(s string) bool { return s != shapes[most] }) {
		return
	}
	var usual []*Iteration
	for i := range shapes {
		if shapes[i] == shapes[most] {
			usual = append(usual, &inv.Iterations[i])
		}
	}
	needs := needsOf(usual)
	for i := range shapes {
		switch it := &inv.Iterations[i]; {
		case shapes[i] == shapes[most]:
		case needs.fit(it):
			it.Flags |= Lacking
		default:
			it.Flags = it.Flags&^Empty | Differs
		}
	}
}

// counts says whether an iteration has a say in the summary: those after warm-up.
func (inv *Invocation) counts(i int) bool { return !inv.Iterations[i].Warmup }

// shape is what iterations of one invocation have in common: the dispatches, and how many workgroups each issued one
// has. Workgroups that worker threads took for themselves may differ from run to run.
func (it *Iteration) shape() string {
	var b strings.Builder
	for i := range it.Dispatches {
		d := &it.Dispatches[i]
		b.WriteString(d.Name)
		b.WriteByte(0)
		if d.Issued {
			b.WriteString(strconv.Itoa(d.Workgroups))
		}
		b.WriteByte(0)
	}
	return b.String()
}

func (it *Iteration) workgroups() (n int) {
	for i := range it.Dispatches {
		n += it.Dispatches[i].Workgroups
	}
	return n
}

// need is what the dispatches of one name take in an iteration.
type need struct {
	dispatches  int
	wallNS      float64 // of one, at least
	workgroups  int     // of those that were issued, together
	workgroupNS float64 // of one, at least
	idleNS      float64 // in issued ones, no workgroup ran
}

// needs are those of an iteration, by the name of dispatches.
type needs map[string]*need

// needsOf is the least that iterations of one shape have needed.
func needsOf(iterations []*Iteration) needs {
	least := needs{}
	for i, it := range iterations {
		for k := range it.Dispatches {
			d := &it.Dispatches[k]
			n := least[d.Name]
			if n == nil {
				n = &need{wallNS: math.Inf(1), workgroupNS: math.Inf(1)}
				least[d.Name] = n
			}
			n.wallNS = min(n.wallNS, float64(d.WallNS))
			if d.Issued && d.Workgroups > 0 {
				n.workgroupNS = min(n.workgroupNS, float64(d.TotalNS)/float64(d.Workgroups))
			}
			if i > 0 {
				continue // of one shape, so of equal numbers
			}
			n.dispatches++
			if d.Issued {
				n.workgroups += d.Workgroups
				n.idleNS += float64(d.WallNS)*float64(max(1, d.Threads)) - float64(d.TotalNS)
			}
		}
	}
	return least
}

// spread is by how much one call may be faster than the fastest other one.
const spread = 2

// fit says whether an iteration lacks something of what is needed, and has the time in which that could have run.
func (n needs) fit(it *Iteration) bool {
	have := needsOf([]*Iteration{it})
	missing, missingNS := false, 0.0
	for name, usual := range n {
		own := have[name]
		if own == nil {
			own = &need{}
		}
		if lost := usual.dispatches - own.dispatches; lost > 0 {
			missing = true
			missingNS += float64(lost) * usual.wallNS
		} else if lost := usual.workgroups - own.workgroups; lost > 0 &&
			spread*own.idleNS >= float64(lost)*usual.workgroupNS {
			return true
		}
	}
	return missing && spread*float64(it.BracketNS-it.DispatchNS) >= missingNS
}

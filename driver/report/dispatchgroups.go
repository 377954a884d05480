package report

import (
	"cmp"
	"slices"

	"zonemark/invocations"
)

// DispatchOrder is the order of the rows of a table of dispatches.
type DispatchOrder string

// The orders of dispatches.
const (
	AutoOrder    DispatchOrder = "auto"    // as in the program if they are few, else by time
	TimeOrder    DispatchOrder = "time"    // the hottest first; dispatches of one name share a row
	ProgramOrder DispatchOrder = "program" // as in the program, a row each
)

// DispatchOrders lists every order.
func DispatchOrders() []DispatchOrder { return []DispatchOrder{AutoOrder, TimeOrder, ProgramOrder} }

// DispatchOptions say how a table shows dispatches. The zero value is AutoOrder with FewDispatches rows.
type DispatchOptions struct {
	Order DispatchOrder // "" is AutoOrder
	// Limit is the number of rows before the others share one. 0: FewDispatches by time, and all in the program's
	// order. Less than 0: all.
	Limit int
}

// FewDispatches is the number of dispatches up to which each has a row of its own.
const FewDispatches = 20

// PartsOf returns the parts of a call of a record: the rows of its dispatches, then gaps, host and unexplained time.
func PartsOf(r *invocations.Record, o DispatchOptions) []Part {
	return append(o.rows(dispatchParts(r)), otherParts(r)...)
}

// rows returns the rows of a table of these dispatches, which are in the program's order.
func (o DispatchOptions) rows(dispatches []Part) []Part {
	byTime := o.Order == TimeOrder || o.Order != ProgramOrder && len(dispatches) > FewDispatches
	limit := o.Limit
	if byTime {
		dispatches = byName(dispatches)
		if limit == 0 {
			limit = FewDispatches
		}
	}
	if limit > 0 && len(dispatches) > limit+1 { // one row more would not save a line
		rest := joined(dispatches[limit:])
		rest.Name = Grouped(int64(rest.Issues)) + " other dispatches"
		dispatches = append(slices.Clone(dispatches[:limit]), rest)
	}
	if byTime {
		sum := 0.0
		for i := range dispatches {
			sum += dispatches[i].NS
			dispatches[i].CumulativeNS = sum
		}
	}
	return dispatches
}

// byName joins the dispatches of one name, and returns the hottest first.
func byName(dispatches []Part) []Part {
	var names []string
	members := map[string][]Part{}
	for _, p := range dispatches {
		if members[p.Name] == nil {
			names = append(names, p.Name)
		}
		members[p.Name] = append(members[p.Name], p)
	}
	groups := make([]Part, len(names))
	for i, name := range names {
		groups[i] = joined(members[name])
	}
	slices.SortStableFunc(groups, func(a, b Part) int { return cmp.Compare(b.NS, a.NS) })
	return groups
}

// joined returns one part for several: times are summed, and what differs is left out. Memory is that of the part with
// the most.
func joined(parts []Part) Part {
	all := parts[0]
	all.NS, all.SummedNS, all.Issues = 0, 0, 0
	if len(parts) > 1 { // nothing tells of the scatter of sums
		all.P10NS, all.P90NS = 0, 0
	}
	flop := 0.0
	for _, p := range parts {
		all.Issues += max(1, p.Issues)
		all.Calls = min(all.Calls, p.Calls)
		all.NS += p.NS
		all.SummedNS += p.SummedNS
		flop += p.FLOPPerS * p.NS
		if p.FLOPPerS == 0 {
			all.FLOPPerS = 0
		}
		if p.Workgroups != all.Workgroups || p.Threads != all.Threads {
			all.Workgroups, all.Threads = 0, 0
		}
		if p.Place != all.Place {
			all.Place = ""
		}
		all.Allocations = max(all.Allocations, p.Allocations)
		all.PeakBytes, all.StackBytes = max(all.PeakBytes, p.PeakBytes), max(all.StackBytes, p.StackBytes)
	}
	if all.FLOPPerS > 0 && all.NS > 0 {
		all.FLOPPerS = flop / all.NS
	}
	return all
}

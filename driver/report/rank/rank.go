// Package rank orders the variants of groups by their records: who is faster, and by how much. It writes nothing.
package rank

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// Clock is the unit of time that a ranking compares.
type Clock string

// The clocks.
const (
	WallClock      Clock = ""
	ReferenceClock Clock = "reference clock" // time at the machine's usual clock
	CyclesClock    Clock = "cycles"          // counted cycles
)

// Ranking is the order of the variants of one group. Row.Variant is an index into the records that were ranked.
type Ranking struct {
	Group    string
	Clock    Clock
	Launches bool // the pairs are launches, not rounds
	Dropped  int  // rows at the end that a race has dropped; their ratios are those by which it has
	stats.Ranking
}

// How describes how the variants were compared.
func (r *Ranking) How() string {
	text := r.Method
	if r.Method == stats.Paired {
		text = r.pairs()
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("; a race dropped %d", r.Dropped)
	}
	return text
}

// pairs describes the pairs by which the variants were compared.
func (r *Ranking) pairs() string {
	text := fmt.Sprintf("%d %s", r.Pairs, r.Method)
	if r.Launches {
		text = fmt.Sprintf("%d paired launches", r.Pairs)
	}
	switch r.Clock {
	case ReferenceClock:
		text += " at the reference clock"
	case CyclesClock:
		text += " in cycles"
	}
	return text
}

// Groups ranks each group with at least two timed records, in order of the groups' first appearance. Records of different
// modes are never ranked against each other. Those that a race has dropped come last, in the order of their ratios. The pairs are launches if every record of the group has them: by cycles if
// all records have these, else at the reference clock if all have that, else by time. Figures by which they cannot be
// compared do not count; see stats.Comparable. Otherwise the pairs are rounds.
func Groups(records *invocations.Records, o stats.RankOptions) []Ranking {
	type key struct {
		group string
		mode  invocations.Mode
	}
	var keys []key
	members := map[key][]int{}
	modes := map[string]map[invocations.Mode]bool{}
	for i, r := range records.Brief() {
		if r.Group == "" || r.Status != invocations.OK || !r.Timed() {
			continue
		}
		k := key{r.Group, r.Mode}
		if members[k] == nil {
			keys = append(keys, k)
		}
		members[k] = append(members[k], i)
		if modes[r.Group] == nil {
			modes[r.Group] = map[invocations.Mode]bool{}
		}
		modes[r.Group][r.Mode] = true
	}
	var rankings []Ranking
	for _, k := range keys {
		if len(members[k]) < 2 {
			continue
		}
		name := k.group
		if len(modes[k.group]) > 1 {
			name += " (" + string(k.mode) + ")"
		}
		ranking := rankMembers(records, members[k], o)
		ranking.Group = name
		rankings = append(rankings, ranking)
	}
	return rankings
}

func rankMembers(records *invocations.Records, all []int, o stats.RankOptions) Ranking {
	members, dropped := apart(records, all)
	if len(members) == 0 { // the race has not come to its end
		return Ranking{Dropped: len(dropped), Ranking: stats.Ranking{Method: stats.MedianIntervals, Rows: dropped}}
	}
	pairs := choosePairs(records, members)
	o.Hosts = len(records.At(members[0]).Hosts)
	variants := make([]stats.Variant, len(members))
	for i, m := range members {
		r := records.At(m)
		variants[i] = stats.Variant{Name: r.Name, PairedNS: pairs.of(r), SamplesNS: r.SamplesNS}
		// the interval between launches, which samples do not show
		if r.Launches != nil && r.CILowNS != nil && r.CIHighNS != nil {
			variants[i].Low, variants[i].High = *r.CILowNS, *r.CIHighNS
		} else if r.Launches != nil && *r.Launches < 2 {
			variants[i].Low, variants[i].High = math.NaN(), math.NaN() // its samples do not tell it
		}
	}
	ranking := Ranking{Clock: pairs.clock, Launches: pairs.launches, Ranking: stats.Rank(variants, o)}
	for i := range ranking.Rows {
		ranking.Rows[i].Variant = members[ranking.Rows[i].Variant]
	}
	ranking.Rows, ranking.Dropped = append(ranking.Rows, dropped...), len(dropped)
	return ranking
}

// apart returns the members of a group that no race has dropped, and rows of the others.
func apart(records *invocations.Records, all []int) (members []int, dropped []stats.Row) {
	for _, m := range all {
		r := records.At(m)
		d := r.Dropped
		if d == nil {
			members = append(members, m)
			continue
		}
		dropped = append(dropped, stats.Row{
			Variant: m, Name: r.Name, MedianNS: *r.MedianNS, Ratio: d.Ratio, Low: d.Low, High: d.High,
			P: math.NaN(), Detectable: math.NaN(), Standing: stats.Slower,
		})
	}
	slices.SortStableFunc(dropped, func(a, b stats.Row) int { return cmp.Compare(a.Ratio, b.Ratio) })
	return members, dropped
}

// pairing tells which figures of records are compared pair by pair.
type pairing struct {
	clock    Clock
	launches bool
	of       func(*invocations.Record) []float64
}

// choosePairs returns the first kind of pairs that every member has. It returns none if different hosts have measured
// the members, each of them all launches.
func choosePairs(records *invocations.Records, members []int) pairing {
	first := records.At(members[0])
	if slices.ContainsFunc(members, func(m int) bool {
		r := records.At(m)
		return len(r.Hosts)+len(first.Hosts) > 0 && r.HostNames() != first.HostNames()
	}) {
		return pairing{of: func(*invocations.Record) []float64 { return nil }}
	}
	launches := make([]*invocations.RecordedLaunches, len(members))
	for i, m := range members {
		one := records.At(m).RecordedLaunches // without the samples of the record
		launches[i] = &one
	}
	figure, known := invocations.ComparedLaunches(launches)
	if !known {
		return pairing{of: roundMedians}
	}
	clock := map[invocations.LaunchFigure]Clock{
		invocations.CountedCycles: CyclesClock, invocations.ReferenceTimes: ReferenceClock,
	}[figure]
	return pairing{clock, true, func(r *invocations.Record) []float64 { return figure.Of(&r.RecordedLaunches) }}
}

// roundMedians returns the medians of rounds. Those of several hosts are numbered as launches are: round n of host h is
// at n times the number of hosts, plus h. It returns nil if the hosts cannot have made equally many.
func roundMedians(r *invocations.Record) []float64 {
	list, hosts := r.MergedMediansNS(), max(1, len(r.Hosts))
	if len(list)%hosts != 0 {
		return nil
	}
	numbered, each := make([]float64, len(list)), len(list)/hosts
	for i, ns := range list {
		numbered[i%each*hosts+i/each] = ns
	}
	return numbered
}

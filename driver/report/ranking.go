package report

import (
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
	stats.Ranking
}

// How describes how the variants were compared.
func (r *Ranking) How() string {
	if r.Method != stats.Paired {
		return r.Method
	}
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

// Rank ranks each group with at least two timed records, in order of the groups' first appearance. Records of different
// modes are never ranked against each other. The pairs are launches if every record of the group has them: by cycles if
// all records have these, else at the reference clock if all have that, else by time. Figures by which they cannot be
// compared do not count; see stats.Comparable. Otherwise the pairs are rounds.
func Rank(records *invocations.Records, o stats.RankOptions) []Ranking {
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

func rankMembers(records *invocations.Records, members []int, o stats.RankOptions) Ranking {
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
	return ranking
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
	clocks := make([]stats.Clocks, len(members))
	for i, m := range members {
		clocks[i] = records.At(m).Clocks()
	}
	cycles, reference := stats.Comparable(clocks...)
	for _, p := range []pairing{
		{CyclesClock, true, func(r *invocations.Record) []float64 { return r.ByLaunch(r.LaunchCycles) }},
		{ReferenceClock, true, func(r *invocations.Record) []float64 { return r.ByLaunch(r.LaunchReference) }},
		{WallClock, true, func(r *invocations.Record) []float64 { return r.ByLaunch(r.LaunchMediansNS) }},
	} {
		if p.clock == CyclesClock && !cycles || p.clock == ReferenceClock && !reference {
			continue
		}
		if !slices.ContainsFunc(members, func(m int) bool { return len(p.of(records.At(m))) == 0 }) {
			return p
		}
	}
	return pairing{of: roundMedians}
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

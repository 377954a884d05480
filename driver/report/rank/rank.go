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
	// Disturbed says that the pairs are all launches, also disturbed ones, since few were quiet for all variants.
	Disturbed bool
	Dropped   int // rows at the end that a race has dropped; their ratios are those by which it has
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
	if r.Disturbed {
		text += ", also disturbed ones, since few were quiet for all"
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
// modes are never ranked against each other. Those that a race has dropped come last, in the order of their ratios. The
// pairs are launches if every record of the group has them: by cycles if all records have these, else at the reference
// clock if all have that, else by time. Figures by which they cannot be compared do not count; see stats.Comparable.
// Otherwise the pairs are rounds.
//
// The error tells that a record cannot be read.
func Groups(records *invocations.Records, o stats.RankOptions) ([]Ranking, error) {
	var names []string // of groups
	places := map[string][]int{}
	for i := range records.Len() {
		if name := records.Group(i); name != "" && records.Status(i) == invocations.OK {
			if places[name] == nil {
				names = append(names, name)
			}
			places[name] = append(places[name], i)
		}
	}
	var groups []group
	for _, name := range names {
		if len(places[name]) < 2 {
			continue
		}
		all, err := membersOf(records, places[name])
		if err != nil {
			return nil, err
		}
		for mode, members := range all {
			if len(members) < 2 {
				continue
			}
			one := group{rankMembers(members, o), members[0].place}
			if one.Group = name; len(all) > 1 {
				one.Group += " (" + string(mode) + ")"
			}
			groups = append(groups, one)
		}
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.first, b.first) })
	rankings := make([]Ranking, len(groups))
	for i := range groups {
		rankings[i] = groups[i].Ranking
	}
	return rankings, nil
}

// group is the ranking of a group, with the place of its first member.
type group struct {
	Ranking
	first int
}

// membersOf reads the members of a group that have a time, by their modes.
func membersOf(records *invocations.Records, places []int) (map[invocations.Mode][]member, error) {
	all := map[invocations.Mode][]member{}
	for _, place := range places {
		r, err := records.At(place)
		if err != nil {
			return nil, err
		}
		if r.Timed() {
			all[r.Mode] = append(all[r.Mode], member{r, place, records.Run(place)})
		}
	}
	return all, nil
}

// member is a record of a group, with its place in all records and the number of the run that measured it.
type member struct {
	*invocations.Record
	place, run int
}

func rankMembers(all []member, o stats.RankOptions) Ranking {
	members, unfinished, dropped := apart(all)
	if len(members) == 0 { // the race has not come to its end, or all leave work to threads
		rows := append(unfinished, dropped...)
		return Ranking{Dropped: len(dropped), Ranking: stats.Ranking{Method: stats.MedianIntervals, Rows: rows}}
	}
	pairs := choosePairs(members)
	o.Hosts, o.Unpaired = len(members[0].Hosts), pairs.none
	variants := make([]stats.Variant, len(members))
	for i, r := range members {
		variants[i] = stats.Variant{Name: r.Name, PairedNS: pairs.of(r.Record), SamplesNS: r.SamplesNS}
		// the interval between launches, which samples do not show
		if r.Launches != nil && r.CILowNS != nil && r.CIHighNS != nil {
			variants[i].Low, variants[i].High = *r.CILowNS, *r.CIHighNS
		} else if r.Launches != nil && *r.Launches < 2 {
			variants[i].Low, variants[i].High = math.NaN(), math.NaN() // its samples do not tell it
		}
	}
	ranking := Ranking{
		Clock: pairs.clock, Launches: pairs.launches, Disturbed: pairs.disturbed, Ranking: stats.Rank(variants, o),
	}
	for i := range ranking.Rows {
		ranking.Rows[i].Variant = members[ranking.Rows[i].Variant].place
	}
	ranking.Rows, ranking.Dropped = slices.Concat(ranking.Rows, unfinished, dropped), len(dropped)
	return ranking
}

// apart returns the members of a group that are compared with each other, and rows of the others: those that leave work
// to threads, whose times are without that, and those that a race has dropped.
func apart(all []member) (members []member, unfinished, dropped []stats.Row) {
	nan := math.NaN()
	for _, r := range all {
		row := stats.Row{Variant: r.place, Name: r.Name, MedianNS: *r.MedianNS, P: nan, Detectable: nan}
		switch d := r.Dropped; {
		case d != nil:
			row.Ratio, row.Low, row.High, row.Standing = d.Ratio, d.Low, d.High, stats.Slower
			dropped = append(dropped, row)
		case slices.Contains(r.Verdicts, invocations.Unfinished):
			row.Ratio, row.Low, row.High, row.Standing = nan, nan, nan, stats.Unknown
			unfinished = append(unfinished, row)
		default:
			members = append(members, r)
		}
	}
	slices.SortStableFunc(dropped, func(a, b stats.Row) int { return cmp.Compare(a.Ratio, b.Ratio) })
	return members, unfinished, dropped
}

// pairing tells which figures of records are compared pair by pair.
type pairing struct {
	clock     Clock
	launches  bool
	disturbed bool   // all launches count
	none      string // why there are no pairs; empty: there are some
	of        func(*invocations.Record) []float64
}

// leastQuietPairs is how many pairs of quiet launches suffice, however many others there are.
const leastQuietPairs = 5

// choosePairs returns the first kind of pairs that every member has. It returns none if different hosts have measured
// the members, each of them all launches, or different runs: launches of equal numbers were not made side by side then.
//
// Each member has set its own disturbed launches apart, if enough others were quiet. What is left of one member may have
// been measured at quieter times than another one. So only launches that all have kept are compared, or all launches.
func choosePairs(members []member) pairing {
	first, unpaired := members[0], func(*invocations.Record) []float64 { return nil }
	if slices.ContainsFunc(members, func(r member) bool { return r.run != first.run }) {
		return pairing{of: unpaired, none: "several runs have measured them"}
	}
	if slices.ContainsFunc(members, func(r member) bool {
		return len(r.Hosts)+len(first.Hosts) > 0 && r.HostNames() != first.HostNames()
	}) {
		return pairing{of: unpaired, none: "different hosts have measured them"}
	}
	launches, all := make([]*invocations.RecordedLaunches, len(members)), make([]*invocations.RecordedLaunches, len(members))
	for i, r := range members {
		launches[i], all[i] = &r.RecordedLaunches, r.WithAll()
	}
	disturbed := areUnlike(members, commonLaunches(launches), commonLaunches(all))
	if disturbed {
		launches = all
	}
	figure, known := invocations.ComparedLaunches(launches)
	if !known {
		return pairing{of: roundMedians}
	}
	clock := map[invocations.LaunchFigure]Clock{
		invocations.CountedCycles: CyclesClock, invocations.ReferenceTimes: ReferenceClock,
	}[figure]
	return pairing{clock: clock, launches: true, disturbed: disturbed, of: func(r *invocations.Record) []float64 {
		if disturbed {
			return figure.Of(r.WithAll())
		}
		return figure.Of(&r.RecordedLaunches)
	}}
}

// areUnlike reports whether what members have kept cannot be compared, so that all launches are: some members count quiet
// launches only and others disturbed ones, too, or few were kept by all. kept and all say how many all members have.
func areUnlike(members []member, kept, all int) bool {
	apart, none := false, false // some member has set launches apart; one had too few quiet launches for that
	for _, r := range members {
		apart = apart || r.AllLaunches != nil
		none = none || r.AllLaunches == nil && slices.Contains(r.Verdicts, invocations.Contended)
	}
	return apart && (none || kept < leastQuietPairs && 2*kept <= all)
}

// commonLaunches returns how many launches all members have.
func commonLaunches(members []*invocations.RecordedLaunches) int {
	lists := make([][]float64, len(members))
	for i, r := range members {
		lists[i] = invocations.WallTimes.Of(r)
	}
	return len(stats.CommonPairs(lists))
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

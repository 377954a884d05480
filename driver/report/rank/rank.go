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

// clocks are those of the figures of launches.
var clocks = map[invocations.LaunchFigure]Clock{
	invocations.CountedCycles:  CyclesClock,
	invocations.ReferenceTimes: ReferenceClock,
	invocations.WallTimes:      WallClock,
}

// Ranking is the order of the variants of one group. Row.Variant is an index into the records that were ranked.
type Ranking struct {
	Group    string
	Clock    Clock
	Launches bool // the pairs are launches, not rounds
	Dropped  int  // rows at the end that a race has dropped or left out; their ratios are those by which it has
	stats.Ranking
}

// How describes how the variants were compared.
func (r *Ranking) How() string {
	text := r.Method
	switch {
	case r.Method == stats.Paired:
		text = r.pairs() + r.at()
	case r.allDisturbed():
		text = r.pairs() + r.at() + ", also disturbed ones, since few were quiet for all"
	case r.Method == stats.EachOwn && r.Pairs > 0:
		text = "quiet launches" + r.at() + ", few of them side by side"
		if r.Disturbed > 0 {
			text += fmt.Sprintf("; %d of %d by %s, also disturbed ones", r.Disturbed, r.compared(), r.pairs())
		}
	case r.Method == stats.EachOwn:
		text += r.at()
	}
	if r.Dropped > 0 {
		leftOut := r.leftOut()
		if text += fmt.Sprintf("; a race dropped %d", r.Dropped-leftOut); leftOut > 0 {
			text += fmt.Sprintf(" and left out %d", leftOut)
		}
	}
	return text
}

// leftOut returns how many rows at the end a race has left out and not dropped.
func (r *Ranking) leftOut() (n int) {
	for _, row := range r.Rows[len(r.Rows)-r.Dropped:] {
		if row.Standing == stats.Unknown {
			n++
		}
	}
	return n
}

// compared returns how many variants are compared with the best.
func (r *Ranking) compared() int {
	n := -1
	for i := range len(r.Rows) - r.Dropped {
		if !math.IsNaN(r.Rows[i].Ratio) {
			n++
		}
	}
	return n
}

// allDisturbed reports whether all variants are compared by all launches, although some have set disturbed ones apart.
func (r *Ranking) allDisturbed() bool { return r.Disturbed > 0 && r.Disturbed == r.compared() }

// pairs describes the pairs by which variants were compared.
func (r *Ranking) pairs() string {
	if r.Launches {
		return fmt.Sprintf("%d paired launches", r.Pairs)
	}
	return fmt.Sprintf("%d %s", r.Pairs, r.Method)
}

// at describes the clock.
func (r *Ranking) at() string {
	switch r.Clock {
	case ReferenceClock:
		return " at the reference clock"
	case CyclesClock:
		return " in cycles"
	}
	return ""
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
	by := chooseFigures(members)
	o.Hosts, o.Unpaired, o.AtOneClock = len(members[0].Hosts), by.unpaired, by.atOneClock
	variants := make([]stats.Variant, len(members))
	for i, r := range members {
		variants[i] = by.of(r)
	}
	ranking := Ranking{Launches: by.launches, Ranking: stats.Rank(variants, o)}
	switch {
	case !by.launches, ranking.Method == stats.MedianIntervals:
	case ranking.allDisturbed():
		ranking.Clock = clocks[by.all]
	default:
		ranking.Clock = clocks[by.quiet]
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
			if r.Stop == invocations.StopAlsoRan {
				row.Standing = stats.Unknown
			}
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

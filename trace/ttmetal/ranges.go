package ttmetal

import (
	"fmt"
	"slices"
	"strings"
)

// BeforeSignposts is the name of the range before the first signpost.
const BeforeSignposts = "(before the first signpost)"

// UnknownRange is the name of the range of calls of which the tables do not say where they stand among the signposts.
const UnknownRange = "(place among the signposts not known)"

// Between returns the report of the calls behind the first signpost named from and before the next one named to. An
// empty name stands for the start or the end. It is an error if there is no such signpost, or no call between them.
// Problems are those of the whole run.
func (r *Report) Between(from, to string) (*Report, error) {
	first, end := 0, len(r.Signposts) // how many signposts come before the calls
	if from != "" {
		i := slices.Index(r.Signposts, from)
		if i < 0 {
			return nil, r.noSignpost("from", from)
		}
		first = i + 1
	}
	if to != "" {
		i := slices.Index(r.Signposts[first:], to)
		if i < 0 {
			return nil, r.noSignpost("to", to)
		}
		end = first + i
	}
	part := *r
	part.Calls = nil
	for _, c := range r.Calls {
		if c.After >= first && c.After <= end {
			c.HostGapNS = -1 // the first one has none
			part.Calls = append(part.Calls, c)
		}
	}
	if len(part.Calls) == 0 {
		return nil, fmt.Errorf("no call is between the signposts %q and %q", from, to)
	}
	part.Signposts = r.Signposts[first:end]
	for i := range part.Calls {
		part.Calls[i].After -= first
	}
	part.sumUp()
	return &part, nil
}

// noSignpost says which signposts there are.
func (r *Report) noSignpost(flag, name string) error {
	const most = 8
	if len(r.Signposts) == 0 {
		return fmt.Errorf("--%s: there is no signpost in it; set some with tracy.signpost(\"%s\")", flag, name)
	}
	var names []string
	for _, s := range r.Signposts {
		if !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	more := ""
	if len(names) > most {
		names, more = names[:most], ", …"
	}
	where := ""
	if flag == "to" && slices.Contains(r.Signposts, name) {
		where = " behind the one of --from"
	}
	return fmt.Errorf("--%s: there is no signpost %q%s; there are %s%s", flag, name, where, strings.Join(names, ", "),
		more)
}

// Measure takes the chip for the one whose peaks shares are of.
func (r *Report) Measure(chip *Chip) {
	r.Chip = chip
	r.sumUp()
}

// Ranges sums up the calls between one signpost and the next, in the order in which they ran. A name that comes again
// has its number behind it.
func (r *Report) Ranges() []*OpTotals {
	names := map[int]string{-1: UnknownRange, 0: BeforeSignposts}
	times := map[string]int{}
	for i, s := range r.Signposts {
		times[s]++
		names[i+1] = s
		if times[s] > 1 {
			names[i+1] = fmt.Sprintf("%s (%d)", s, times[s])
		}
	}
	list := r.GroupBy(func(c *Call) string { return names[c.After] })
	slices.SortStableFunc(list, func(a, b *OpTotals) int { return a.First.After - b.First.After })
	return list
}

package report

import (
	"zonemark/driver/stats"
	"zonemark/invocations"
)

// Ranking is the order of the variants of one group. Row.Variant is an index into the records that were ranked.
type Ranking struct {
	Group string
	stats.Ranking
}

// Rank ranks each group of which at least two records hold a time, in the order in which groups first appear. Records of different modes are never
// ranked against each other.
func Rank(records []invocations.Record, o stats.RankOptions) []Ranking {
	type key struct {
		group string
		mode  invocations.Mode
	}
	var keys []key
	members := map[key][]int{}
	modes := map[string]map[invocations.Mode]bool{}
	for i := range records {
		r := &records[i]
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
		rankings = append(rankings, Ranking{name, rankMembers(records, members[k], o)})
	}
	return rankings
}

func rankMembers(records []invocations.Record, members []int, o stats.RankOptions) stats.Ranking {
	variants := make([]stats.Variant, len(members))
	for i, m := range members {
		variants[i] = stats.Variant{Name: records[m].Name, RoundsNS: records[m].RoundMediansNS(), SamplesNS: records[m].SamplesNS}
	}
	ranking := stats.Rank(variants, o)
	for i := range ranking.Rows {
		ranking.Rows[i].Variant = members[ranking.Rows[i].Variant]
	}
	return ranking
}

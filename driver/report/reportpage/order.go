package reportpage

import (
	"cmp"
	"slices"
	"strings"

	"zonemark/driver/report/rank"
	"zonemark/invocations"
)

// byName returns a source with the records of its run in order of their names, since a journal has them in the order in
// which they were finished.
func byName(s Source) (Source, error) {
	list, err := s.Run.Records.List()
	if err != nil {
		return s, err
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareNames(list[a].Name, list[b].Name) })
	place := make([]int, len(order))
	s.records = make([]invocations.Record, len(order))
	for to, from := range order {
		s.records[to], place[from] = list[from], to
	}
	rankings := slices.Clone(s.Run.Rankings)
	for i := range rankings {
		rankings[i].Rows = slices.Clone(rankings[i].Rows)
		for k := range rankings[i].Rows {
			rankings[i].Rows[k].Variant = place[rankings[i].Rows[k].Variant]
		}
	}
	slices.SortStableFunc(rankings, func(a, b rank.Ranking) int { return compareNames(a.Group, b.Group) })
	s.Run.Rankings = rankings
	return s, nil
}

// compareNames compares texts, and numbers in them by their values: "n=8" is before "n=16".
func compareNames(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		one, other := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if c := cmp.Or(cmp.Compare(len(one), len(other)), strings.Compare(one, other)); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of digits at the beginning.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

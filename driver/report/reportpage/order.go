package reportpage

import (
	"cmp"
	"slices"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/rank"
	"zonemark/invocations"
)

// byName returns the run with its records in order of their names, since a journal has them in the order in which they
// were finished.
func byName(run report.Run) report.Run {
	order := make([]int, run.Records.Len())
	for i := range order {
		order[i] = i
	}
	list := run.Records.List()
	slices.SortStableFunc(order, func(a, b int) int { return compareNames(list[a].Name, list[b].Name) })
	records, place := make([]invocations.Record, len(order)), make([]int, len(order))
	for to, from := range order {
		records[to], place[from] = list[from], to
	}
	rankings := slices.Clone(run.Rankings)
	for i := range rankings {
		rankings[i].Rows = slices.Clone(rankings[i].Rows)
		for k := range rankings[i].Rows {
			rankings[i].Rows[k].Variant = place[rankings[i].Rows[k].Variant]
		}
	}
	slices.SortStableFunc(rankings, func(a, b rank.Ranking) int { return compareNames(a.Group, b.Group) })
	run.Records, run.Rankings = invocations.RecordsOf(records...), rankings
	return run
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

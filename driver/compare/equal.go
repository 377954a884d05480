package compare

import (
	"math"
	"slices"
)

// Equal is what comparisons of runs of the same thing say of one measurement.
type Equal struct {
	Name      string
	Pairs     int // of runs
	Alarms    int // that were called faster or slower, which is wrong
	Undecided int // of which neither is sure, nor that they are the same
	// Detectable is the relative difference that half of the pairs would have found, as Difference has it; NaN if most
	// pairs could not tell any.
	Detectable float64
}

// CompareEqual compares each run with each later one. The runs measured the same. Rows are in the order of the first run;
// measurements that ended badly, or that only some runs have, count no pair there. Those without figures that can be
// compared, such as a launch of no time, are undecided.
func CompareEqual(runs []*Set, o Options) []Equal {
	var rows []Equal
	found := map[string]int{}
	detectable := map[string][]float64{}
	for i := range runs {
		for j := i + 1; j < len(runs); j++ {
			for _, r := range Compare(runs[i], runs[j], o) {
				if r.By == "" && r.Verdict != Undecided {
					continue
				}
				at, known := found[r.Name]
				if !known {
					at = len(rows)
					found[r.Name] = at
					rows = append(rows, Equal{Name: r.Name})
				}
				rows[at].count(r.Verdict)
				d := r.Detectable
				if math.IsNaN(d) {
					d = math.Inf(1)
				}
				detectable[r.Name] = append(detectable[r.Name], d)
			}
		}
	}
	for i := range rows {
		all := slices.Sorted(slices.Values(detectable[rows[i].Name]))
		if rows[i].Detectable = all[len(all)/2]; math.IsInf(rows[i].Detectable, 0) {
			rows[i].Detectable = math.NaN()
		}
	}
	return rows
}

func (e *Equal) count(v Verdict) {
	e.Pairs++
	switch v {
	case Faster, Slower:
		e.Alarms++
	case Undecided:
		e.Undecided++
	}
}

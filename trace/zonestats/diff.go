package zonestats

import (
	"cmp"
	"math"
	"slices"

	"zonemark/driver/stats"
	"zonemark/trace/histogram"
)

// Verdict says what became of the zones of a name.
type Verdict string

// The verdicts of a diff.
const (
	Slower    Verdict = "slower"  // significantly, and by more than the threshold
	Faster    Verdict = "faster"  // likewise
	Same      Verdict = "same"    // the medians differ by less than the threshold
	Undecided Verdict = "unknown" // the medians differ, and chance alone may have done that
	Added     Verdict = "new"     // only in the later capture
	Removed   Verdict = "gone"    // only in the earlier one
)

// wrong is the fraction of all names called Slower or Faster that may be called so by chance, were the occurrences of a
// zone independent.
const wrong = 0.05

// Change compares the zones of one name in two captures.
type Change struct {
	Name          string
	Before, After *Group // nil where there are none
	// of the Mann-Whitney test across the occurrences, not corrected for the number of names; NaN with one side only
	P       float64
	Verdict Verdict
}

// DeltaNS is by how much the sum of the zones' times has grown.
func (c *Change) DeltaNS() int64 {
	var before, after int64
	if c.Before != nil {
		before = c.Before.SumNS()
	}
	if c.After != nil {
		after = c.After.SumNS()
	}
	return after - before // both are at least 0: this cannot turn round
}

// Ratio is the median after over the median before; NaN where either is missing or both are zero.
func (c *Change) Ratio() float64 {
	if c.Before == nil || c.After == nil {
		return math.NaN()
	}
	return c.After.MedianNS() / c.Before.MedianNS()
}

// Diff compares two captures name by name; both must have been summed up by name and alike in the other options. A name
// is Slower or Faster when the Mann-Whitney test across its occurrences, with the number of names allowed for, rules
// out chance and its medians differ by more than threshold, a fraction. Occurrences within one capture are no
// independent runs: a machine that was slower during one of the captures is significant, too. Where either side has
// more than 1,024 occurrences, times that differ by less than 0.8 % count as equal. The zones that cost most more come
// first.
func Diff(before, after *Summary, threshold float64) []Change {
	index := map[string]int{}
	changes := make([]Change, 0, max(len(before.Zones), len(after.Zones)))
	for _, z := range before.Zones {
		index[z.Name] = len(changes)
		changes = append(changes, Change{Name: z.Name, Before: z, P: math.NaN(), Verdict: Removed})
	}
	for _, z := range after.Zones {
		i, ok := index[z.Name]
		if !ok {
			changes = append(changes, Change{Name: z.Name, After: z, P: math.NaN(), Verdict: Added})
			continue
		}
		c := &changes[i]
		c.After = z
		coarse := !c.Before.times.Exact() || !z.times.Exact()
		c.P = stats.MannWhitneyCounts(counts(&c.Before.times, coarse), counts(&z.times, coarse))
	}
	named := significant(changes)
	for i := range changes {
		c := &changes[i]
		ratio := c.Ratio()
		switch {
		case c.Before == nil || c.After == nil:
		case c.Before.MedianNS() == c.After.MedianNS() || math.Abs(ratio-1) < threshold:
			c.Verdict = Same
		case !named[i]:
			c.Verdict = Undecided
		case ratio > 1:
			c.Verdict = Slower
		default:
			c.Verdict = Faster
		}
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.DeltaNS(), a.DeltaNS()), cmp.Compare(a.Name, b.Name))
	})
	return changes
}

// significant says which changes chance alone does not explain: among those that it names, at most the fraction wrong
// is expected to be named by chance, by the method of Benjamini and Hochberg, which allows for zones that nest and so
// change together. Names that have too few occurrences to be named whatever their times are do not count: a capture has
// hundreds that occur once.
func significant(changes []Change) []bool {
	var order []int
	for i := range changes {
		if c := &changes[i]; c.Before != nil && c.After != nil &&
			stats.LeastP(float64(c.Before.Count), float64(c.After.Count)) <= wrong {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(changes[i].P, changes[j].P) })
	named := make([]bool, len(changes))
	for k := len(order); k > 0; k-- {
		if changes[order[k-1]].P <= wrong*float64(k)/float64(len(order)) {
			for _, i := range order[:k] {
				named[i] = true
			}
			break
		}
	}
	return named
}

// counts returns the times of a histogram as the test of ranks takes them.
func counts(h *histogram.Histogram, coarse bool) []stats.Count[int64] {
	var out []stats.Count[int64]
	for _, t := range h.Tallies(coarse) {
		out = append(out, stats.Count[int64](t))
	}
	return out
}

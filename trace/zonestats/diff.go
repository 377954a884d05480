package zonestats

import (
	"cmp"
	"math"
	"slices"

	"zonemark/invocations/stats"
)

// Verdict says what became of the zones of a name.
type Verdict string

// The verdicts of a diff.
const (
	Slower    Verdict = "slower"  // significantly, and by more than the floor
	Faster    Verdict = "faster"  // likewise
	Same      Verdict = "same"    // the difference lies within the threshold; of single captures: the medians do
	Undecided Verdict = "unknown" // the captures cannot tell
	Added     Verdict = "new"     // only in the later captures
	Removed   Verdict = "gone"    // only in the earlier ones
)

// Side is the zones of one name in the captures of one side.
type Side struct {
	groups   []*Group // of the captures that have the name, at least one
	captures int      // of the side
}

// Captures returns the number of captures that have the name.
func (s *Side) Captures() int { return len(s.groups) }

// Count returns the number of zones in all captures.
func (s *Side) Count() (n int64) {
	for _, g := range s.groups {
		n += g.Count
	}
	return n
}

// MedianNS returns the median of the medians of the captures that have the name.
func (s *Side) MedianNS() float64 { return stats.Median(s.medians()) }

// SumNS returns the sum of the times in a capture, the mean of all captures of the side.
func (s *Side) SumNS() int64 {
	var mean float64
	for _, g := range s.groups {
		mean += float64(g.SumNS()) / float64(s.captures)
	}
	if mean >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(mean))
}

// medians returns the median of each capture.
func (s *Side) medians() []float64 {
	list := make([]float64, len(s.groups))
	for i, g := range s.groups {
		list[i] = g.MedianNS()
	}
	return list
}

// Change compares the zones of one name on two sides.
type Change struct {
	Name          string
	Track         string // as Group.TrackName has it
	Before, After *Side  // nil where there are none
	// Difference is that of the medians of captures. Its interval has no end, and P is NaN, if a side has fewer than two.
	Difference stats.Difference
	Verdict    Verdict
}

// DeltaNS is by how much the sum of the zones' times in a capture has grown.
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

// Diff compares captures name by name; all must have been summed up by name and alike in the other options. A capture is
// one sample, however many zones it has: what slowed the machine down while it was made slowed down all of them. So
// decided is by the medians of the captures of either side, as two runs are compared by their launches
// (stats.Independent, Holm's correction for the number of names), and by more than threshold, a fraction. With a single
// capture on a side nothing is Slower or Faster. The zones that cost most more come first.
func Diff(before, after []*Summary, threshold float64) []Change {
	type key struct{ name, track string }
	index := map[key]int{}
	var changes []Change
	add := func(captures []*Summary, side func(*Change) **Side) {
		for _, capture := range captures {
			for _, z := range capture.Zones {
				i, known := index[key{z.Name, z.TrackName()}]
				if !known {
					i = len(changes)
					index[key{z.Name, z.TrackName()}] = i
					changes = append(changes, Change{Name: z.Name, Track: z.TrackName()})
				}
				s := side(&changes[i])
				if *s == nil {
					*s = &Side{captures: len(captures)}
				}
				(*s).groups = append((*s).groups, z)
			}
		}
	}
	add(before, func(c *Change) **Side { return &c.Before })
	add(after, func(c *Change) **Side { return &c.After })
	p := make([]float64, len(changes))
	for i := range changes {
		changes[i].compare()
		p[i] = changes[i].Difference.P
	}
	for i, differs := range stats.Holm(p, stats.UsualAlpha) {
		changes[i].decide(differs, threshold)
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.DeltaNS(), a.DeltaNS()), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Track, b.Track))
	})
	return changes
}

// compare finds the difference of the sides.
func (c *Change) compare() {
	c.Difference = stats.Difference{Ratio: math.NaN(), P: math.NaN(), High: math.Inf(1)}
	if c.Before != nil && c.After != nil {
		c.Difference = stats.Independent(c.Before.medians(), c.After.medians(), 0, 0)
	}
}

// decide sets the verdict. Differs says that the difference stands up to the correction for all names.
func (c *Change) decide(differs bool, threshold float64) {
	d := &c.Difference
	switch {
	case c.Before == nil:
		c.Verdict = Added
		return
	case c.After == nil:
		c.Verdict = Removed
		return
	case math.IsNaN(d.P) && (c.Before.MedianNS() == c.After.MedianNS() || math.Abs(d.Ratio-1) < threshold):
		c.Verdict = Same
		return
	}
	switch d.Decide(differs, threshold, min(threshold, stats.UsualFloor)) {
	case stats.Alike:
		c.Verdict = Same
	case stats.Longer:
		c.Verdict = Slower
	case stats.Shorter:
		c.Verdict = Faster
	default:
		c.Verdict = Undecided
	}
}

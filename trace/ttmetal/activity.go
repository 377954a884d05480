package ttmetal

import (
	"cmp"
	"slices"
)

// Activity is a stretch of a device's span between two long gaps.
type Activity struct {
	StartNS float64 // after the device's first op began
	SpanNS  float64
	// fraction in which an op ran, of equal parts of the stretch
	Occupancy []float64
}

const (
	longGap        = 0.02 // of the span: a gap that is at least so long divides it
	mostActivities = 6
	activityBins   = 120
)

// busy is a time in which some op ran, in nanoseconds after the device's first op began.
type busy struct{ from, to float64 }

// activities divides times, which are sorted and do not overlap, at the longest of the gaps that are long.
func activities(times []busy) []Activity {
	if len(times) == 0 {
		return nil
	}
	span := times[len(times)-1].to - times[0].from
	var cuts []int // of the times after a long gap
	for i := 1; i < len(times); i++ {
		if times[i].from-times[i-1].to >= longGap*span {
			cuts = append(cuts, i)
		}
	}
	slices.SortStableFunc(cuts, func(a, b int) int {
		return cmp.Compare(times[b].from-times[b-1].to, times[a].from-times[a-1].to)
	})
	cuts = cuts[:min(len(cuts), mostActivities-1)]
	slices.Sort(cuts)
	var all []Activity
	first := 0
	for _, end := range append(cuts, len(times)) {
		if a := activityOf(times[first:end]); a.SpanNS > 0 {
			all = append(all, a)
		}
		first = end
	}
	return all
}

func activityOf(times []busy) Activity {
	a := Activity{StartNS: times[0].from, SpanNS: times[len(times)-1].to - times[0].from}
	if !(a.SpanNS > 0) {
		return a
	}
	a.Occupancy = make([]float64, activityBins)
	for _, t := range times {
		occupy(a.Occupancy, (t.from-a.StartNS)/a.SpanNS, (t.to-a.StartNS)/a.SpanNS)
	}
	return a
}

// occupy marks a part of a span, both ends as fractions of it.
func occupy(bins []float64, from, to float64) {
	from, to = from*float64(len(bins)), to*float64(len(bins))
	for i := int(from); i < len(bins) && float64(i) < to; i++ {
		bins[i] += min(to, float64(i+1)) - max(from, float64(i))
	}
}

package drawing

import (
	"cmp"
	"slices"
)

// Timeline is spans of time that the function timeline of Script draws, in nanoseconds. The JSON of it is what that
// function takes.
type Timeline struct {
	Title string   `json:"title"`
	Note  string   `json:"note,omitempty"` // for people, below the drawing
	Names []string `json:"names"`          // of the spans
	Span  float64  `json:"span"`           // the length of all: no span ends later
	Lanes []Lane   `json:"lanes"`
	// Folds are gaps that FoldGaps has shortened: start and length as drawn, and the real length.
	Folds [][3]float64 `json:"folds,omitempty"`
}

// Lane is spans that belong together. Those that overlap are drawn below each other.
type Lane struct {
	Title string       `json:"title"`
	Spans [][3]float64 `json:"spans"` // in order of start: position of the name in Names, start, length
}

const (
	foldFrom = 0.05 // of the time in which some span runs: a gap that is longer is folded
	foldTo   = 0.02 // of that time: the length of a folded gap, if there are few
	foldAll  = 0.5  // of that time: the length of all folded gaps at most
)

// FoldGaps shortens gaps in which no lane has a span, if they are long compared with the time in which one has, so that
// spans can be seen that are microseconds in seconds. Starts of spans are then those on the shortened axis.
func (t *Timeline) FoldGaps() {
	busy := t.busy()
	total := 0.0
	for _, b := range busy {
		total += b[1] - b[0]
	}
	var gaps [][2]float64
	for i := 1; i < len(busy); i++ {
		if busy[i][0]-busy[i-1][1] > foldFrom*total {
			gaps = append(gaps, [2]float64{busy[i-1][1], busy[i][0]})
		}
	}
	if len(gaps) == 0 {
		return
	}
	kept := min(foldTo, foldAll/float64(len(gaps))) * total
	saved := 0.0
	for _, g := range gaps {
		t.Folds = append(t.Folds, [3]float64{g[0] - saved, kept, g[1] - g[0]})
		saved += g[1] - g[0] - kept
	}
	for l := range t.Lanes {
		next, saved := 0, 0.0
		for i := range t.Lanes[l].Spans {
			s := &t.Lanes[l].Spans[i]
			for ; next < len(gaps) && gaps[next][1] <= s[1]; next++ {
				saved += gaps[next][1] - gaps[next][0] - kept
			}
			s[1] -= saved
		}
	}
	t.Span -= saved
}

// busy returns the times in which some lane has a span, in order, without those that overlap.
func (t *Timeline) busy() (merged [][2]float64) {
	var all [][2]float64
	for _, lane := range t.Lanes {
		for _, s := range lane.Spans {
			all = append(all, [2]float64{s[1], s[1] + s[2]})
		}
	}
	slices.SortFunc(all, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	for _, one := range all {
		if last := len(merged) - 1; last >= 0 && one[0] <= merged[last][1] {
			merged[last][1] = max(merged[last][1], one[1])
			continue
		}
		merged = append(merged, one)
	}
	return merged
}

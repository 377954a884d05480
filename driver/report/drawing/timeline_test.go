package drawing

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Long gaps are folded, short ones are not, and nothing else changes: lengths, order, and what overlaps.
func TestFoldGaps(t *testing.T) {
	line := Timeline{Span: 1_000_140, Lanes: []Lane{
		{Spans: [][3]float64{{0, 0, 40}, {1, 42, 38}, {0, 1_000_080, 20}}},
		{Spans: [][3]float64{{1, 5, 70}, {0, 1_000_120, 20}}},
	}}
	line.FoldGaps()
	const total = 40 + 38 + 20 + 20.0
	kept := foldTo * (total + 2) // the other lane runs in the gap of the first one
	want := Timeline{Lanes: []Lane{
		{Spans: [][3]float64{{0, 0, 40}, {1, 42, 38}, {0, 80 + kept, 20}}},
		{Spans: [][3]float64{{1, 5, 70}, {0, 100 + 2*kept, 20}}},
	}, Folds: [][3]float64{{80, kept, 1_000_000}, {100 + kept, kept, 20}}, Span: 120 + 2*kept}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
	if diff := cmp.Diff(want, line, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	even := Timeline{Span: 30, Lanes: []Lane{{Spans: [][3]float64{{0, 0, 10}, {0, 10.2, 10}}}}}
	if even.FoldGaps(); even.Folds != nil || even.Lanes[0].Spans[1][1] != 10.2 {
		t.Errorf("a short gap is folded: %+v", even)
	}
	none := Timeline{}
	if none.FoldGaps(); none.Folds != nil {
		t.Errorf("%+v", none)
	}
}

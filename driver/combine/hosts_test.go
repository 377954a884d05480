package combine

import (
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// Times at reference clocks that differ are not joined.
func TestJoinSpreadsClocks(t *testing.T) {
	host := func(ghz float64) invocations.Result {
		i := stats.Interval{Value: 10, Low: 9, High: 11}
		return invocations.Result{Spread: &invocations.Spread{Launches: 1, Numbers: []int{0}, MediansNS: []float64{10},
			ReferenceMedians: []float64{9}, Time: i, Reference: i, ReferenceGHz: ghz}}
	}
	same, other := joinSpreads([]invocations.Result{host(3), host(3)}), joinSpreads([]invocations.Result{host(3), host(4)})
	if !same.Reference.Known() || same.ReferenceGHz != 3 || len(same.ReferenceMedians) != 2 || same.Cycles.Known() {
		t.Errorf("equal clocks: %+v", same)
	}
	if other.Reference.Known() || other.ReferenceMedians != nil || other.ReferenceGHz != 0 || other.Launches != 2 {
		t.Errorf("other clocks: %+v", other)
	}
}

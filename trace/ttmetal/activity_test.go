package ttmetal

import (
	"testing"
)

func TestActivities(t *testing.T) {
	second := 1e9
	got := activities([]busy{{0, 1e6}, {2e6, 3e6}, {5 * second, 5*second + 4e6}, {10 * second, 10*second + 1e6}})
	if len(got) != 3 {
		t.Fatalf("%d stretches", len(got))
	}
	for i, want := range []Activity{{StartNS: 0, SpanNS: 3e6}, {StartNS: 5 * second, SpanNS: 4e6},
		{StartNS: 10 * second, SpanNS: 1e6}} {
		if got[i].StartNS != want.StartNS || got[i].SpanNS != want.SpanNS {
			t.Errorf("stretch %d: %v, %v, want %v, %v", i, got[i].StartNS, got[i].SpanNS, want.StartNS, want.SpanNS)
		}
	}
	sum := 0.0
	for _, v := range got[0].Occupancy {
		sum += v
	}
	if !near(sum/activityBins, 2./3) || got[0].Occupancy[activityBins/2] != 0 {
		t.Errorf("an op runs in %v of the first stretch: %v", sum/activityBins, got[0].Occupancy)
	}
	var many []busy
	for i := range 40 {
		many = append(many, busy{float64(i) * 100, float64(i)*100 + 1})
	}
	if got := activities(many); len(got) != mostActivities {
		t.Errorf("%d stretches", len(got))
	}
	if got := activities([]busy{{5, 5}}); got != nil {
		t.Errorf("an op without a duration: %v", got)
	}
	if got := activities(nil); got != nil {
		t.Errorf("no ops: %v", got)
	}
}

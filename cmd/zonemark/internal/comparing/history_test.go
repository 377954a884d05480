package comparing

import (
	"slices"
	"testing"

	"zonemark/driver/compare"
)

// A measurement without a run that counts has a row that says so, and no empty picture; without pictures, nothing leads to
// them.
func TestTrendPageOfContended(t *testing.T) {
	m := machineHistory{runs: []*compare.Set{{}}, series: []compare.Series{
		{Name: "contended", Points: []compare.Point{{Note: "the run was contended"}}},
	}}
	p := trendPage([]machineHistory{m})
	if len(p.Drawings) != 0 || len(p.Card.Links) != 1 || len(p.Rows) != 1 ||
		!slices.Equal(p.Rows[0].Details, []string{"no run counts: the run was contended"}) {
		t.Errorf("%+v", p)
	}
	m.series = append(m.series, compare.Series{Name: "quiet", Points: []compare.Point{{Value: 5}}})
	if p = trendPage([]machineHistory{m}); len(p.Drawings) != 1 || len(p.Card.Links) != 2 || len(p.Rows) != 2 {
		t.Errorf("%+v", p)
	}
}

// A history has the order of a comparison: what became slower comes first, however much others became faster.
func TestHistoryOrder(t *testing.T) {
	step := func(v compare.Verdict, ratio float64) compare.Step {
		return compare.Step{Difference: compare.Difference{Ratio: ratio}, Verdict: v}
	}
	m := &machineHistory{series: []compare.Series{
		{Name: "even"},
		{Name: "faster", Steps: []compare.Step{step(compare.Faster, 0.5)}},
		{Name: "slower", Steps: []compare.Step{step(compare.Slower, 1.1)}},
		{Name: "mended", Steps: []compare.Step{step(compare.Slower, 3), step(compare.Faster, 0.3)}},
		{Name: "much slower", Steps: []compare.Step{step(compare.Slower, 1.2)}},
	}}
	var names []string
	for _, s := range m.ordered() {
		names = append(names, s.Name)
	}
	if want := []string{"much slower", "slower", "mended", "faster", "even"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

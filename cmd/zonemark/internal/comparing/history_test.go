package comparing

import (
	"slices"
	"testing"

	"zonemark/driver/compare"
)

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

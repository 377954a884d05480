package invocations

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zonemark/invocations/stats"
)

func TestByLaunch(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name         string
		numbers      []int
		values, want []float64
	}{
		{"none set apart", nil, []float64{1, 2}, []float64{1, 2}},
		{"the second set apart", []int{0, 2, 3}, []float64{1, 2, 3}, []float64{1, nan, 2, 3}},
		{"values of fewer launches", []int{0, 2, 3}, []float64{1, 2}, []float64{1, 2}},
		{"numbers that are none", []int{0, -1}, []float64{1, 2}, []float64{1, 2}},
		{"numbers beyond all measure", []int{0, 1 << 40}, []float64{1, 2}, []float64{1, 2}},
	} {
		r := RecordedLaunches{LaunchTimes: LaunchTimes{LaunchNumbers: c.numbers}}
		if d := cmp.Diff(c.want, r.ByLaunch(c.values), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func TestLaunchNumbers(t *testing.T) {
	res := Result{Status: OK, Batches: Batches{SamplesNS: []float64{1, 2, 3}},
		Summary:  stats.Summarize([]float64{1, 2, 3}, nil),
		OfDriver: OfDriver{Spread: &Spread{Launches: 2, Numbers: []int{0, 2}, MediansNS: []float64{1, 2}}}}
	if r := NewRecord(Invocation{}, res); !cmp.Equal(r.LaunchNumbers, []int{0, 2}) {
		t.Errorf("launches 0 and 2: %v", r.LaunchNumbers)
	}
	res.Spread.Numbers = []int{0, 1}
	if r := NewRecord(Invocation{}, res); r.LaunchNumbers != nil {
		t.Errorf("launches 0 and 1: %v", r.LaunchNumbers)
	}
}

package schedule

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// batches has a launch take these times.
func batches(r *invocations.Result, ns ...float64) {
	r.SamplesNS, r.CPUSamplesNS = ns, nil
	r.Summary = stats.Summarize(ns, nil)
}

func TestCalm(t *testing.T) {
	launch := func(ns ...float64) (r invocations.Result) {
		batches(&r, ns...)
		return r
	}
	for _, c := range []struct {
		name     string
		launches []invocations.Result
		want     []float64 // of each
	}{
		{"none", nil, nil},
		{"single batches", []invocations.Result{launch(1000), launch(1200)}, []float64{1000, 1200}},
		{"half of the batches of one are disturbed", []invocations.Result{launch(1000, 1000, 1000, 1000), launch(1000, 1000, 1300,
			1300)}, []float64{1000, 1000}},
		{"calls of two times", []invocations.Result{launch(800, 1100, 1100, 1100), launch(800, 1100, 1100, 1100)},
			[]float64{1100, 1100}},
		{"calls of two times, disturbed", []invocations.Result{launch(800, 1100, 1100, 1100), launch(800, 1100, 1400, 1400)},
			[]float64{1100, 1100}},
		{"no time", []invocations.Result{launch(0, 0, 0), launch(-1, 0, 1)}, []float64{0, 0}},
	} {
		for i, factor := range calm(c.launches) {
			if got := factor * c.launches[i].Summary.MedianNS; math.Abs(got-c.want[i]) > 1e-6 {
				t.Errorf("%s: launch %d takes %g, want %g", c.name, i, got, c.want[i])
			}
		}
	}
}

// TestRaceBesideNeighbour: somebody works beside half of the batches. Few launches find the best, whose calls take 3 %
// less; medians need twice as many. One variant has calls of two times, of which the seldom one is shorter.
func TestRaceBesideNeighbour(t *testing.T) {
	const names = "abcdefghijkl"
	random := rand.New(rand.NewPCG(1, 2))
	launches := 0
	for range 20 {
		_, s := raceOf(names, 30)
		f := follow(t, s, func(s *Series, l *Launch) (invocations.Result, time.Duration) {
			r, took := takes(stairs)(s, l)
			var ns []float64
			for i := range 4 {
				one := stairs(s.Name, l.Number)
				if s.Name == "l" && i == 0 {
					one = 900
				}
				if random.IntN(2) == 0 {
					one *= 1 + 0.3*random.Float64()
				}
				ns = append(ns, one)
			}
			batches(&r, ns...)
			return r, took
		})
		if f.finished["a"] != nil || f.alsoRan["a"] != nil {
			t.Errorf("the best has left: %+v", f.finished["a"])
		}
		launches += len(f.orders)
	}
	if most := 20 * 8 * len(names); launches > most {
		t.Errorf("%d launches, want %d at most", launches, most)
	}
}

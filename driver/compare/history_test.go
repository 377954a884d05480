package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"zonemark/invocations"
)

// runsOf makes runs of one measurement whose times are around the given ones.
func runsOf(rng *rand.Rand, spread float64, times ...float64) (runs []*Set) {
	for i, t := range times {
		var launches []float64
		run := 1 + spread*rng.NormFloat64()
		for range 5 {
			launches = append(launches, t*run*(1+spread*rng.NormFloat64()))
		}
		m := Measurement{Name: "f", Status: invocations.OK, Reference: Values{Launches: launches, Half: 3 * spread},
			OwnClock: 1}
		runs = append(runs, &Set{Measurements: []Measurement{m}, Started: time.Unix(int64(i), 0), Commit: fmt.Sprint("c", i)})
	}
	return runs
}

// level returns n equal times.
func level(n int, t float64) []float64 { return slices.Repeat([]float64{t}, n) }

// Steps are found where times change for good, and nowhere else.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		times []float64
		want  []int // first points after steps
	}{
		"nothing":          {level(20, 100), nil},
		"slower":           {slices.Concat(level(10, 100), level(10, 110)), []int{10}},
		"and back":         {slices.Concat(level(8, 100), level(8, 120), level(8, 100)), []int{8, 16}},
		"the latest":       {slices.Concat(level(10, 100), level(1, 130)), []int{10}},
		"two runs":         {[]float64{100, 120}, []int{1}},
		"below the margin": {slices.Concat(level(10, 100), level(10, 100.5)), nil},
	} {
		series := History(runsOf(rng, 0.002, c.times...), Options{})
		if len(series) != 1 {
			t.Fatalf("%s: %d series", name, len(series))
		}
		var got []int
		for _, s := range series[0].Steps {
			got = append(got, s.After)
			if worse := c.times[s.After] > c.times[s.Before]; worse != (s.Verdict == Slower) {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: steps before %v, want %v", name, got, c.want)
		}
	}
}

// Equal runs seldom have a step.
func TestNoSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const trials = 300
	wrong := 0
	for range trials {
		if len(History(runsOf(rng, 0.01, level(30, 100)...), Options{})[0].Steps) > 0 {
			wrong++
		}
	}
	if wrong > trials*2/100 {
		t.Errorf("%d of %d series of equal runs have a step", wrong, trials)
	}
}

// Runs that were disturbed do not count, and measurements of one run are no series.
func TestPointsThatDoNotCount(t *testing.T) {
	for _, v := range []invocations.Verdict{invocations.Contended, invocations.Slower} {
		rng := rand.New(rand.NewPCG(5, 6))
		runs := runsOf(rng, 0.001, 100, 100, 150, 100)
		runs[2].Measurements[0].Verdicts = []invocations.Verdict{v}
		runs[0].Measurements = append(runs[0].Measurements, Measurement{
			Name: "once", Status: invocations.OK, Time: Values{Launches: []float64{1, 2}},
		})
		series := History(runs, Options{})
		if len(series) != 1 || len(series[0].Steps) != 0 || len(series[0].Points) != 4 || series[0].Points[2].Note == "" {
			t.Errorf("%s: %+v", v, series)
		}
	}
}

package invocations

import "testing"

// TestComparedLaunches: launches that took turns are compared at the reference clock if the clock has moved, and by wall
// time if only the correction scatters.
func TestComparedLaunches(t *testing.T) {
	factors := []float64{1, 1.08, 0.95, 1.1, 0.97, 1.03, 0.93, 1.06}
	own := 1.0
	for _, c := range []struct {
		name   string
		times  bool // scatter, and not those at the reference clock
		figure LaunchFigure
	}{{"the clock has moved", true, ReferenceTimes}, {"the correction scatters", false, WallTimes}} {
		var results []*RecordedLaunches
		for v, level := range []float64{1000, 1020, 1100, 1300} {
			r := &RecordedLaunches{OwnClock: &own}
			for i := range factors {
				odd, even := level*factors[(i*3+v*5)%len(factors)], level*(1+0.001*float64(i%2))
				if !c.times {
					odd, even = even, odd
				}
				r.LaunchMediansNS, r.LaunchReference = append(r.LaunchMediansNS, odd), append(r.LaunchReference, even)
			}
			results = append(results, r)
		}
		if got, known := ComparedLaunches(results); got != c.figure || !known {
			t.Errorf("%s: figure %d, %t", c.name, got, known)
		}
	}
}

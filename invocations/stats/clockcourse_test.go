package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// coursesAt draws the batches of launches whose clock stays for so many batches at one of three steps of 2.5 %. fast is
// the share of the time in which it is a step lower for some microseconds only, which each probe sees or does not see.
func coursesAt(random *rand.Rand, stays int, fast, follows, drift float64) (launches []ClockCourse) {
	for range 5 {
		var cycles, times []float64
		ghz := 4.0
		probe := func() float64 {
			if random.Float64() < fast {
				return 0.975 * ghz
			}
			return ghz
		}
		before := probe()
		for i := range 800 {
			if stays > 0 && random.IntN(stays) == 0 {
				ghz = 4 - 0.1*float64(random.IntN(3))
			}
			after, mean := probe(), ghz*(1-0.025*fast)
			ns := 1000 * math.Exp(-follows*math.Log(mean/4)+0.004*random.NormFloat64()-drift*float64(i)/800)
			times, cycles = append(times, ns), append(cycles, ns*(before+after)/2)
			before = after
		}
		launches = append(launches, courseOf(cycles, times))
	}
	return launches
}

// TestCourseSlope: batches tell by how much times follow the clock if it stays for some batches where it is, and
// nothing if it stands still, or moves within batches.
func TestCourseSlope(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name                 string
		stays                int
		fast, follows, drift float64
		known                bool
	}{
		{"all follows", 60, 0, 1, 0, true},
		{"nothing follows", 60, 0, 0, 0, true},
		{"half follows", 60, 0, 0.5, 0, true},
		{"all follows, and times drift", 60, 0, 1, 0.03, true},
		{"all follows, and the clock moves within batches, too", 60, 0.3, 1, 0, true},
		{"nothing follows, and the clock moves within batches, too", 60, 0.3, 0, 0, true},
		{"the clock stands still", 0, 0, 1, 0, false},
		{"the clock moves within batches only", 0, 0.3, 1, 0, false},
	} {
		told, off := 0, 0
		for range 40 {
			slope, standard, known := courseSlope(coursesAt(random, c.stays, c.fast, c.follows, c.drift))
			if known {
				told++
				if math.Abs(slope-c.follows) > 3*standard {
					off++
				}
			}
		}
		if c.known && told < 36 || !c.known && told > 1 || off > 2 {
			t.Errorf("%s: %d of 40 runs tell, %d wrongly", c.name, told, off)
		}
	}
	if _, _, known := courseSlope([]ClockCourse{courseOf(make([]float64, 400), make([]float64, 400))}); known {
		t.Error("no time and no clock tell something")
	}
}

// TestSpinAtAnotherClock: a call that waits for a time of day works all the while, and takes as long at any clock. The
// batches tell, though all launches had the same clock, far from the usual one.
func TestSpinAtAnotherClock(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, follows := range []float64{0, 1} {
		c := Clocked{Usual: 3.8, Works: 1, Courses: coursesAt(random, 60, 0, follows, 0)}
		for range 5 {
			c.NS, c.GHz = append(c.NS, 1000), append(c.GHz, 4)
		}
		want := 1000 * math.Pow(4/3.8, follows)
		if got := Median(c.AtUsual().NS); math.Abs(got/want-1) > 0.005 {
			t.Errorf("a call that follows the clock by %g takes %g ns at the usual one, want %g", follows, got, want)
		}
	}
}

package stats

import "math"

// ClockCourse is what the batches of a launch, one after the other, tell of the clock of the core, in sums: by how much times
// follow it, and how exactly the probes know it. Its zero value tells nothing.
type ClockCourse struct {
	Blocks int // of neighbouring batches
	// Sums over blocks of what the logarithms of two clocks and of the time have in common in it, and of their squares and
	// products; see courseSlope.
	XZ, YZ, XZ2, XZYZ, YZ2 float64
	Vague2                 float64 // variance of the median of the logarithm of the clock; NaN: one batch, or none
}

const (
	batchStep     = 10   // batches between two that are compared
	batchApart    = 2    // batches whose clocks were not seen by the same probe
	batchBlock    = 20   // neighbours, whose deviations are alike
	fewestBlocks  = 10   // that tell how far a slope may be off
	mostOff       = 0.1  // of a logarithm; a batch beyond was disturbed
	batchSlope    = 0.05 // least standard error: what the batches show is not all
	besidesClock  = 5e-4 // by how much, as a fraction, something else may move times just when the clock moves
	vagueSlope    = 0.15 // standard error of a slope that tells nothing
	batchesStray  = 3e-3 // probesStray from one batch to another a little later
	leastWandered = 0.005
)

// courseOf returns the course of the clock over a launch's batches, of which each took so many nanoseconds, and cycles by
// the clock around it.
func courseOf(cycles, ns []float64) (c ClockCourse) {
	clock, time := make([]float64, len(ns)), make([]float64, len(ns)) // logarithms
	for i := range ns {
		clock[i], time[i] = math.Log(cycles[i]/ns[i]), math.Log(ns[i])
	}
	for begin := batchStep + batchApart; begin+batchBlock+batchApart <= len(ns); begin += batchBlock {
		var xz, yz float64
		for i := begin; i < begin+batchBlock; i++ {
			y, x := time[i]-time[i-batchStep], clock[i]-clock[i-batchStep]
			z := clock[i+batchApart] - clock[i-batchStep-batchApart]
			if math.Abs(y) < mostOff && math.Abs(x) < mostOff && math.Abs(z) < mostOff { // false for NaN, too
				xz, yz = xz+x*z, yz+y*z
			}
		}
		c.Blocks++
		c.XZ, c.YZ = c.XZ+xz, c.YZ+yz
		c.XZ2, c.XZYZ, c.YZ2 = c.XZ2+xz*xz, c.XZYZ+xz*yz, c.YZ2+yz*yz
	}
	c.Vague2 = math.NaN()
	if n := len(clock); n > 1 {
		off := deviation(clock) * medianError(n)
		c.Vague2 = off * off / float64(n)
	}
	return c
}

// courseSlope returns by how much the logarithm of the time falls with that of the clock from one batch to another a
// little later, with its standard error. What drifts over a launch does not matter then. A probe sees the clock of a
// microsecond, and the clock may have moved to and fro in the batch, which would make the slope too small. So the
// probes of other batches, next to the two, are the instrument: the error of those does not depend on the error of
// these. It is not known if the clock stood still, or if it moved so fast that a probe tells nothing of its neighbours.
func courseSlope(launches []ClockCourse) (slope, standard float64, known bool) {
	var all ClockCourse
	for _, c := range launches {
		all.Blocks += c.Blocks
		all.XZ, all.YZ = all.XZ+c.XZ, all.YZ+c.YZ
		all.XZ2, all.XZYZ, all.YZ2 = all.XZ2+c.XZ2, all.XZYZ+c.XZYZ, all.YZ2+c.YZ2
	}
	if all.Blocks < fewestBlocks || !(all.XZ > 0) {
		return 0, 0, false
	}
	// The clock must have moved in many blocks, not in one, and by more than its probes err.
	moved := math.Sqrt(all.XZ / float64(all.Blocks*batchBlock))
	if !(all.XZ*all.XZ > fewestBlocks*all.XZ2) || !(moved > clockError) {
		return 0, 0, false
	}
	slope = -all.YZ / all.XZ
	left := max(0, all.YZ2+slope*(2*all.XZYZ+slope*all.XZ2)) // the squares of yz + slope · xz
	standard = max(batchSlope, math.Sqrt(left)/all.XZ, besidesClock/moved, math.Pow(batchesStray/moved, 2))
	return slope, standard, standard < vagueSlope
}

// vagueClock returns how exactly the clock of a launch is known. A launch of a few long batches has seen it for a few
// microseconds of them.
func vagueClock(launches []ClockCourse) float64 {
	squares, n := 0.0, 0.0
	for _, c := range launches {
		if !math.IsNaN(c.Vague2) {
			squares, n = squares+c.Vague2, n+1
		}
	}
	return max(clockError, vagueError*math.Sqrt(squares/max(1, n)))
}

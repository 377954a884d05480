package stats

import "math"

// Batches are times of a launch's batches in turn, and the clock of the core during each, in GHz.
type Batches struct{ NS, GHz []float64 }

const (
	batchStep     = 10   // batches between two that are compared
	batchApart    = 2    // batches whose clocks were not seen by the same probe
	batchBlock    = 20   // neighbours, whose deviations are alike
	fewestBlocks  = 10   // that tell how far a slope may be off
	mostOff       = 0.1  // of a logarithm; a batch beyond was disturbed
	batchSlope    = 0.05 // least standard error: what the batches show is not all
	besidesClock  = 5e-4 // by how much, as a fraction, something else may move times just when the clock moves
	vagueSlope    = 0.15 // standard error of a slope that tells nothing
	leastWandered = 0.005
)

// slopeOfBatches returns by how much the logarithm of the time falls with that of the clock from one batch to another a
// little later, with its standard error. What drifts over a launch does not matter then. A probe sees the clock of a
// microsecond, and the clock may have moved to and fro in the batch, which would make the slope too small. So the
// probes of other batches, next to the two, are the instrument: the error of those does not depend on the error of
// these. It is not known if the clock stood still, or if it moved so fast that a probe tells nothing of its neighbours.
func slopeOfBatches(launches []Batches) (slope, standard float64, known bool) {
	var xz, yz float64
	type block struct{ xz, yz float64 }
	var blocks []block
	for _, b := range launches {
		for begin := batchStep + batchApart; begin+batchBlock+batchApart <= len(b.NS); begin += batchBlock {
			var one block
			for i := begin; i < begin+batchBlock; i++ {
				y, x := math.Log(b.NS[i]/b.NS[i-batchStep]), math.Log(b.GHz[i]/b.GHz[i-batchStep])
				z := math.Log(b.GHz[i+batchApart] / b.GHz[i-batchStep-batchApart])
				if math.Abs(y) < mostOff && math.Abs(x) < mostOff && math.Abs(z) < mostOff { // false for NaN, too
					one.xz, one.yz = one.xz+x*z, one.yz+y*z
				}
			}
			xz, yz, blocks = xz+one.xz, yz+one.yz, append(blocks, one)
		}
	}
	if len(blocks) < fewestBlocks || !(xz > 0) {
		return 0, 0, false
	}
	slope = -yz / xz
	left, moved := 0.0, 0.0
	for _, one := range blocks {
		left += (one.yz + slope*one.xz) * (one.yz + slope*one.xz)
		moved += one.xz * one.xz
	}
	// The clock must have moved in many blocks, not in one, and by more than its probes err.
	if !(xz*xz > fewestBlocks*moved) || !(xz > float64(len(blocks)*batchBlock)*clockError*clockError) {
		return 0, 0, false
	}
	standard = max(batchSlope, math.Sqrt(left)/xz, besidesClock/math.Sqrt(xz/float64(len(blocks)*batchBlock)))
	return slope, standard, standard < vagueSlope
}

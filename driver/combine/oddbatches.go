package combine

import (
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// oddShare is the share of batches that are the fast ones of a row, and that of the slow ones.
	oddShare = 0.05
	// leastOdd is the fraction by which they must need fewer or more cycles than the middle one to matter. Those of most
	// functions differ by 0.5 %: the probes around a batch do not know its clock better.
	leastOdd = 0.03
)

// oddBatches returns how far the batches of all launches together differ. Probes have seen nobody else beside them. So it
// is what earlier calls have left in the processor, such as predictions, that decides, or where the arguments lie: on one
// machine, calls that scale 256 numbers take 349 cycles, and 296 from the moment on, somewhere in the first second, at
// which the processor has learned where their loop ends. Callers may find either. Slow batches count in stretches: what
// no probe has seen makes single ones slow, and none fast. even are the factors that make launches of all kinds alike; nil:
// they are.
func oddBatches(results []invocations.Result, even []float64) (o odds) {
	if worksShare(results) < worksFully || results[0].SetBytes > beyondCaches { // the system or neighbours decide, too
		return o
	}
	var single, stretches, medians []float64
	for i := range results {
		if c := &results[i].Cycles; len(c.Single) > 0 && !slices.Contains(results[i].Verdicts, invocations.Contended) {
			factor := 1.0
			if even != nil {
				factor = even[i]
			}
			single, stretches = appendScaled(single, c.Single, factor), appendScaled(stretches, c.Stretches, factor)
			medians = append(medians, factor*c.Median)
		}
	}
	middle := stats.Median(medians)
	if !(middle > 0) { // also of none
		return o
	}
	if less := 1 - stats.QuantileOf(single, oddShare)/middle; less >= leastOdd {
		o.less = less
	}
	if more := stats.QuantileOf(stretches, 1-oddShare)/middle - 1; more >= leastOdd {
		o.more = more
	}
	return o
}

func appendScaled(to, from []float64, factor float64) []float64 {
	for _, v := range from {
		to = append(to, factor*v)
	}
	return to
}

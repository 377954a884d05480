package stats

import (
	"math"
	"slices"
)

// Cycles are those of the batches of a launch, as far as anything needs them after it: it may have had 50,000 batches. The
// zero value is that of a launch whose cycles are not known.
type Cycles struct {
	N       int       // batches whose cycles are known
	Median  float64   // per call, of all batches
	Turns   []float64 // the same of each turn, NaN if it has no batch; nil if the launch has no turns
	Typical float64   // per call, a mean over the batches of typical times
	// Single are evenly spread quantiles of the batches, per call, and Stretches of the medians of stretches of batches in
	// turn; nil if the launch has too few.
	Single, Stretches []float64
	Course            ClockCourse // of the clock that has made cycles of times, if they were not counted
	StepNS            float64     // by which the times of batches differ at least, per call: a step of the clock; 0: unknown
}

const (
	stretch       = 10 // batches
	fewestSpread  = 40 // batches of a launch that tell how they differ
	keptQuantiles = 20
)

// CyclesOf returns what is kept of the cycles of the batches of a launch, and of their times, per call. turns are the
// numbers of batches of each turn, if it has turns. Where cycles were not counted, they are times by the clock that
// probes saw around each batch.
func CyclesOf(cycles, ns []float64, turns []int, counted bool) Cycles {
	if len(cycles) == 0 {
		return Cycles{}
	}
	sorted := slices.Sorted(slices.Values(cycles))
	c := Cycles{N: len(cycles), Median: Quantile(sorted, 0.5)}
	c.Typical = c.Median
	if c.N >= fewestSpread {
		c.Single, c.Stretches = spreadQuantiles(sorted), spreadQuantiles(stretchesOf(cycles))
	}
	if len(ns) != c.N {
		return c
	}
	times := slices.Sorted(slices.Values(ns))
	if c.N >= fewestSpread {
		c.StepNS = stepOf(times)
	}
	begin := 0
	for _, n := range turns {
		c.Turns, begin = append(c.Turns, Median(cycles[begin:begin+n])), begin+n
	}
	if !counted {
		c.Typical, c.Course = typicalCycles(cycles, ns, times), courseOf(cycles, ns)
	}
	return c
}

// sameTime is the fraction by which two times differ at most that are the same step of a clock.
const sameTime = 1e-9

// stepOf returns by how much sorted times differ at least that are not the same; 0 if all are.
func stepOf(sorted []float64) float64 {
	step := math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		if apart := sorted[i] - sorted[i-1]; apart > sameTime*sorted[i] {
			step = min(step, apart)
		}
	}
	if math.IsInf(step, 1) {
		return 0
	}
	return step
}

// stretchesOf returns the sorted medians of stretches of batches.
func stretchesOf(cycles []float64) []float64 {
	medians := make([]float64, len(cycles)/stretch)
	for i := range medians {
		medians[i] = Median(cycles[i*stretch : (i+1)*stretch])
	}
	slices.Sort(medians)
	return medians
}

// spreadQuantiles returns evenly spread quantiles of sorted values.
func spreadQuantiles(sorted []float64) []float64 {
	kept := make([]float64, keptQuantiles)
	for i := range kept {
		kept[i] = Quantile(sorted, (float64(i)+0.5)/keptQuantiles)
	}
	return kept
}

// typicalCycles returns the mean of the cycles of the batches of typical times, by the times and these sorted. Those that
// the probes' clock makes go in the steps of the processor's counter: a mean is finer than the median.
func typicalCycles(cycles, ns, sorted []float64) float64 {
	low, high := Quantile(sorted, 0.25), Quantile(sorted, 0.75)
	var typical []float64
	for i := range ns {
		if low <= ns[i] && ns[i] <= high {
			typical = append(typical, cycles[i])
		}
	}
	return Typical(typical)
}

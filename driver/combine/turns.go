package combine

import (
	"slices"

	"zonemark/invocations"
)

// Turns makes one result of a side's turns in a launch, of which some were disturbed on either side. MergedSamples
// tells how many samples each turn has: none if it was disturbed and most turns were not, or the other way round. If the
// last turn did not end well, it counts alone.
func Turns(turns []invocations.Result, disturbed []bool) invocations.Result {
	last := turns[len(turns)-1]
	if last.Status != invocations.OK {
		return last
	}
	out := turns[0]
	f := folding{out: &out, parts: alike(turns, disturbed, mostly(disturbed)), all: turns, disturbed: disturbed}
	f.run(ofTurns, whatever())
	f.run(ofTurns, timed())
	return out
}

// mostly reports whether most turns were disturbed.
func mostly(disturbed []bool) bool {
	n := 0
	for _, is := range disturbed {
		if is {
			n++
		}
	}
	return 2*n > len(disturbed)
}

// alike sets the samples of disturbed turns apart, or those of the others if most turns were disturbed: on a shared core,
// both sides are slower, and their ratio is about the same.
func alike(turns []invocations.Result, disturbed []bool, mostly bool) []invocations.Result {
	list := slices.Clone(turns)
	for i := range list {
		one := &list[i]
		if disturbed[i] == mostly {
			continue
		}
		one.Apart.NS = slices.Concat(one.SamplesNS, one.Apart.NS)
		one.Apart.CPUNS = slices.Concat(one.CPUSamplesNS, one.Apart.CPUNS)
		one.Apart.After = make([]int64, len(one.Apart.NS))
		one.SamplesNS, one.CPUSamplesNS, one.CyclesSamples, one.Iterations = nil, nil, nil, 0
	}
	return list
}

// DisturbedTurns reports for each turn whether either side's was disturbed. The sides must have the same turns: a ratio of
// quiet batches to others would not be theirs.
func DisturbedTurns(parts [2][]invocations.Result) []bool {
	out := make([]bool, max(len(parts[0]), len(parts[1])))
	for _, turns := range parts {
		for i := range turns {
			out[i] = out[i] || slices.Contains(turns[i].Verdicts, invocations.Contended)
		}
	}
	return out
}

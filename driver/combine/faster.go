package combine

import (
	"fmt"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// fastShare is the share of its batches that are the fast ones of a launch, and fewestFast how many batches a launch
	// must have for them to say something.
	fastShare, fewestFast = 0.05, 40
	// leastFaster is the fraction by which fast batches must need fewer cycles than the middle one to matter. Those of
	// most functions need 0.5 % less: the probes around a batch do not know its clock better.
	leastFaster = 0.03
)

// quantilesOf returns what is kept of the cycles of the batches of a launch: those of fast batches, of the middle one, and
// of slow ones; of few batches, only of the middle one. Their median is that of all.
func quantilesOf(cycles []float64) []float64 {
	if len(cycles) == 0 {
		return nil
	}
	x := slices.Sorted(slices.Values(cycles))
	if len(x) < fewestFast {
		return []float64{stats.Quantile(x, 0.5)}
	}
	return []float64{stats.Quantile(x, fastShare), stats.Quantile(x, 0.5), stats.Quantile(x, 1-fastShare)}
}

// fasterBatches returns by which fraction the fast batches of launches need fewer cycles than the middle one; 0 if that is
// little or tells nothing of the function. Probes have seen nobody else, and the arguments lie where they lay. So it is
// what the batch before has left in the processor, such as predictions, that decides: on one machine, a thousand
// exponentials in a row take 11,000 or 12,400 cycles, depending on the system's calls before them. Callers may find
// either.
func fasterBatches(results []invocations.Result) float64 {
	if worksShare(results) < worksFully || results[0].SetBytes > beyondCaches { // the system or neighbours decide, too
		return 0
	}
	var faster []float64
	for i := range results {
		if kept := results[i].CyclesSamples; len(kept) == 3 { // of many batches; see quantilesOf
			faster = append(faster, 1-kept[0]/kept[1])
		}
	}
	if len(faster) == 0 {
		return 0
	}
	if share := stats.Median(faster); share >= leastFaster {
		return share
	}
	return 0
}

// reaching returns an interval that reaches the time of the fast batches.
func reaching(i stats.Interval, faster float64) stats.Interval {
	i.Low = min(i.Low, i.Value*(1-faster))
	return i
}

// fasterNote says that batches of launches which agree differ.
func fasterNote(faster float64) string {
	return fmt.Sprintf("its launches agree, but batches that nobody disturbed differ: one in twenty takes %.2g %% less than "+
		"the middle one. What earlier calls leave in the processor, such as predictions of branches, decides about it, and "+
		"other callers may find something else", 100*faster)
}

package combine

import (
	"math"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// neighbourhood is the greatest distance, in places, between batches of both sides that are compared. A batch is
// compared with several, since a disturbance seldom affects all of them; batches further away have another clock of the
// core.
const neighbourhood = 2

// CompareNeighbours notes in both results of a turn in steps how the batches of one side compare with those of the other
// that were made next to them: one ratio for each of some parts of the turn. What disturbs a batch mostly disturbs its
// neighbours, so that all batches count.
func CompareNeighbours(turn *[2]invocations.Result, parts int) {
	a, b := inOrder(&turn[0]), inOrder(&turn[1])
	n := min(len(a), len(b))
	turn[0].Neighbours, turn[1].Neighbours = make([]float64, parts), make([]float64, parts)
	for k := range parts {
		begin, end := k*n/parts, (k+1)*n/parts
		ratio := ratioNearby(a[begin:end], b[begin:end])
		turn[0].Neighbours[k], turn[1].Neighbours[k] = -ratio, ratio
	}
}

// ratioNearby returns the median of the logarithms of the ratios of batches, b to a, that are near each other; NaN if there
// are none.
func ratioNearby(a, b []float64) float64 {
	var near [2][]float64 // batches that are compared
	for i := range a {
		for j := max(0, i-neighbourhood); j <= i+neighbourhood && j < len(b); j++ {
			near[0], near[1] = append(near[0], a[i]), append(near[1], b[j])
		}
	}
	d := stats.LogRatios(near[0], near[1])
	if len(d) == 0 {
		return math.NaN()
	}
	return stats.Median(d)
}

// inOrder returns the times of all batches of a turn, as they were made; nil if some are not known.
func inOrder(r *invocations.Result) []float64 {
	if len(r.Apart.NS) >= invocations.MostApart {
		return nil
	}
	all := make([]float64, 0, len(r.SamplesNS)+len(r.Apart.NS))
	kept := int64(0)
	for i, ns := range r.Apart.NS {
		all = append(all, r.SamplesNS[kept:r.Apart.After[i]]...)
		all, kept = append(all, ns), r.Apart.After[i]
	}
	return append(all, r.SamplesNS[kept:]...)
}

// neighbours returns the Neighbours of turns in steps; nil if those of one are not known.
func neighbours(turns []invocations.Result) (list []float64) {
	for i := range turns {
		if turns[i].Neighbours == nil {
			return nil
		}
		list = append(list, turns[i].Neighbours...)
	}
	return list
}

// FastestCall returns the time of the fastest call of some launches, in nanoseconds; +Inf if none is known.
func FastestCall(launches []invocations.Result) float64 {
	fastest := math.Inf(1)
	for i := range launches {
		if ns := launches[i].Summary.MinNS; ns >= 1 {
			fastest = min(fastest, ns)
		}
	}
	return fastest
}

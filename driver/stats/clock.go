package stats

import "math"

const (
	clockMoved  = 0.03 // relative distance of the clocks of two launches whose times say something about the clock
	leastSlopes = 5    // pairs of such launches
)

// FollowsClock returns how much of a change of the core's clock the times of launches follow: 1 if the core bounds the
// function, 0 if memory does, whose clock is another. It is the median over pairs of launches. It is not known if the
// clock hardly moved. timesNS and ghz are of the same launches.
func FollowsClock(timesNS, ghz []float64) (share float64, known bool) {
	var slopes []float64
	for i := range timesNS {
		for j := range i {
			if moved := math.Log(ghz[i] / ghz[j]); math.Abs(moved) > clockMoved {
				slopes = append(slopes, -math.Log(timesNS[i]/timesNS[j])/moved)
			}
		}
	}
	if len(slopes) < leastSlopes {
		return 0, false
	}
	return min(1, max(0, Median(slopes))), true
}

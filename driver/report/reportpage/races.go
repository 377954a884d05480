package reportpage

import (
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations"
)

// mostRounds is the number of launches of a race that are drawn. No race has as many.
const mostRounds = 10_000

// raceOf returns a drawing of how many variants a race has had in each launch; nil if it has dropped none, or if nobody
// can tell when.
func raceOf(rows []*invocations.Record) *drawing.Drawing {
	var last []int // the last launches of the variants that were dropped
	rounds := 0
	for _, r := range rows {
		if d := r.Dropped; d != nil && d.Launches > 0 && d.Launches < mostRounds {
			last, rounds = append(last, d.Launches), max(rounds, d.Launches)
		}
	}
	if len(last) == 0 {
		return nil
	}
	in := make([]float64, rounds+1)
	for n := range in {
		in[n] = float64(len(rows))
		for _, launch := range last {
			if launch <= n {
				in[n]--
			}
		}
	}
	d := drawing.Curves("The race", "launch", "variants", []drawing.Curve{{Name: "variants", Values: in}}, report.Number)
	return &d
}

package report

import (
	"fmt"
	"iter"

	"zonemark/invocations"
)

// referenceColumns are the columns of the time at the reference clock and its interval. They are shown if, in some row,
// that time differs from the wall time by more than their intervals.
type referenceColumns struct {
	title string
	shown bool
}

func newReferenceColumns(rows iter.Seq[*invocations.Record]) referenceColumns {
	var c referenceColumns
	ghz, several := 0.0, false
	for r := range rows {
		reference := r.Reference()
		if !reference.Known() {
			continue
		}
		if s := r.Summary(); r.CIHighNS != nil && (reference.Low > s.CIHighNS || reference.High < s.CILowNS) {
			c.shown = true
		}
		if r.ReferenceAt != nil {
			several = several || ghz != 0 && ghz != *r.ReferenceAt
			ghz = *r.ReferenceAt
		}
	}
	c.title = fmt.Sprintf("at %.3g GHz", ghz)
	if ghz == 0 || several {
		c.title = "at reference clock"
	}
	return c
}

// cells returns the ± of the median of a row, and the time at the reference clock with its ±. There is one interval, that
// of the figure by which the row was judged: the time at the reference clock if it is known. It stands beside the median
// if that time is not shown.
func (c referenceColumns) cells(r *invocations.Record) (ofMedian, at, within string) {
	reference := r.Reference()
	if !reference.Known() {
		return plusMinus(r), "", ""
	}
	within = halfWidth(reference)
	if r.Launches != nil && *r.Launches < 2 {
		within = plusMinus(r)
	}
	if !c.shown {
		return within, "", ""
	}
	return "", unitOf(*r.MedianNS).format(reference.Value), within
}

package report

import (
	"fmt"
	"iter"
	"math"

	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

// referenceColumns are the columns of the time at the reference clock and its interval. They are shown if, in some row,
// that time differs from the wall time by more than their intervals.
type referenceColumns struct {
	title string
	shown bool
	clock rank.Clock // whose figure they have, if they are shown: the reference clock's or counted cycles
}

// rowFigures are the texts of the figures of a row: the median and the compared figure, with the one ± of the row beside
// the figure that was judged.
type rowFigures struct{ median, ofMedian, compared, ofCompared string }

// newComparedColumns returns the columns of the figure that the ratios of a ranking are made of. They are not shown if
// it is the median.
func newComparedColumns(ranking *rank.Ranking, rows iter.Seq[*invocations.Record]) referenceColumns {
	c := newReferenceColumns(rows)
	c.clock, c.shown = ranking.Clock, ranking.Clock != rank.WallClock
	if c.clock == rank.CyclesClock {
		c.title = "cycles"
	}
	return c
}

func newReferenceColumns(rows iter.Seq[*invocations.Record]) referenceColumns {
	var seen referenceSeen
	for r := range rows {
		seen.add(r)
	}
	return seen.columns()
}

// referenceSeen is what the columns depend on.
type referenceSeen struct {
	differs bool // from the wall time by more than their intervals
	ghz     float64
	several bool // reference clocks
}

// add takes note of a row.
func (s *referenceSeen) add(r *invocations.Record) {
	reference := r.Reference()
	if !reference.Known() {
		return
	}
	if t := r.Summary(); r.CIHighNS != nil && (reference.Low > t.CIHighNS || reference.High < t.CILowNS) {
		s.differs = true
	}
	if r.ReferenceAt != nil {
		s.several = s.several || s.ghz != 0 && s.ghz != *r.ReferenceAt
		s.ghz = *r.ReferenceAt
	}
}

// columns returns the columns for all rows.
func (s *referenceSeen) columns() referenceColumns {
	c := referenceColumns{clock: rank.ReferenceClock, shown: s.differs, title: fmt.Sprintf("at %.3g GHz", s.ghz)}
	if s.ghz == 0 || s.several {
		c.title = "at reference clock"
	}
	return c
}

// ReferenceTitle returns the title of the column with the time at the reference clock, "" if that differs from the median
// by more than their intervals in none of the rows.
func ReferenceTitle(rows iter.Seq[*invocations.Record]) string {
	if c := newReferenceColumns(rows); c.shown {
		return c.title
	}
	return ""
}

// judgedWithin formats the ± of the figure by which a record was judged: the time at the reference clock if that is known,
// else the median.
func judgedWithin(r *invocations.Record, figure stats.Interval) string {
	if !figure.Known() || r.Launches != nil && *r.Launches < 2 {
		return plusMinus(r)
	}
	return halfWidth(figure)
}

// cells returns the figures of a row. There is one interval, that of the figure by which the row was judged: the time at
// the reference clock if it is known, else the median. It stands beside the figure that is compared if that is shown,
// else beside the median. If both is not set, a time at the reference clock stands instead of the median.
func (c referenceColumns) cells(r *invocations.Record, both bool) rowFigures {
	unit := figures.UnitOf(*r.MedianNS)
	figure := r.Reference()
	f := rowFigures{median: unit.Format(*r.MedianNS), ofMedian: judgedWithin(r, figure)}
	switch c.clock {
	case rank.CyclesClock:
		cycles := r.Cycles()
		if !cycles.Known() {
			return f
		}
		f.compared = Grouped(int64(math.Round(cycles.Value)))
	case rank.ReferenceClock:
		if c.shown && figure.Known() {
			if f.compared = unit.Format(figure.Value); !both {
				f.median = ""
			}
		}
	}
	if f.compared != "" {
		f.ofMedian, f.ofCompared = "", f.ofMedian
	}
	return f
}

package comparepage

import (
	"cmp"
	"math"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
)

// Trend is a measurement over runs.
type Trend struct {
	Title            string
	Unit             string    // "time" or "cycles"
	Runs             []Run     // all runs, oldest first
	Run              []int     // of each value: a place in Runs
	Value, Low, High []float64 // with the ends of their intervals
	Steps            []float64 // where the measurement became faster or slower: places in Runs, between two of them
	Notes            []string  // for below the drawing
}

// Run is a run as the axis of a trend names it. Texts may be empty.
type Run struct{ Day, Time, Commit string }

// Draw returns the drawing of a trend. Runs are evenly spread, since some are minutes apart and some are months.
func Draw(t Trend) drawing.Drawing {
	label := report.ShortTime
	if t.Unit != "time" {
		label = func(v float64) string { return report.Grouped(int64(math.Round(v))) }
	}
	series := drawing.Series{Y: t.Value, Low: t.Low, High: t.High}
	for _, run := range t.Run {
		series.X = append(series.X, float64(run))
	}
	several := false // days
	for _, run := range t.Runs {
		several = several || run.Day != t.Runs[0].Day
	}
	d := drawing.Sequence(t.Title, "run: date and commit", t.Unit, series, t.Steps, len(t.Runs), func(i int) (string, string) {
		run := t.Runs[i]
		if several {
			return run.Day, run.Commit
		}
		return cmp.Or(run.Time, run.Day), run.Commit
	}, label)
	d.Notes = t.Notes
	return d
}

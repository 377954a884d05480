package reportpage

import (
	"fmt"
	"math"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// ranking is a group with its variants, the best first.
type ranking struct {
	Title, How, Note string
	Decided          bool // the first row is the best
	Rows             []ranked
	From, To         string // the ends of the scale of the intervals
	One              float64
	By               string // the title of the column of Compared; empty: there is none
	Table            drawing.Table
	Race             *drawing.Drawing // how many variants were left in each launch; nil: all
}

// ranked is a variant in a ranking.
type ranked struct {
	Rank int
	Name string
	report.Cells
	report.RankedCells
	Flaw           bool
	Drawn          bool
	At, Low, Width float64 // places on the scale, from 0 to scaleWidth
}

// scaleWidth is the width of the drawing of an interval in its own units.
const scaleWidth = 200.0

func rankingsOf(sources []Source) []ranking {
	var all []ranking
	for _, s := range sources {
		for _, r := range s.Run.Rankings {
			view := newRanking(&s, r)
			if len(sources) > 1 {
				view.Title += " — " + s.name()
			}
			view.name(len(all) + 1)
			all = append(all, view)
		}
	}
	return all
}

// name gives the table a name in the page, and names its columns in narrow windows.
func (r *ranking) name(number int) {
	r.Table = drawing.Table{ID: fmt.Sprintf("group-%d", number), Titles: []string{"rank", "", ""}}
	if r.By != "" {
		r.Table.Titles = append(r.Table.Titles, r.By)
	}
	r.Table.Titles = append(r.Table.Titles, "±", "ratio", "interval")
}

// drawable reports whether a ratio has a place on a scale. Those of usable times are far within these limits.
func drawable(ratio float64) bool { return ratio > 1e-100 && ratio < 1e100 }

// endsOf returns the ends of a scale for all ratios, and for all intervals but those that go far beyond, such as that of a
// variant with one launch. Else there would be one long interval, and all others would be dots in a corner.
func endsOf(rows []stats.Row) (low, high float64) {
	low, high = 1, 1
	farthest, ends := 0.0, []float64{}
	for _, row := range rows {
		if drawable(row.Ratio) {
			low, high, farthest = min(low, row.Ratio), max(high, row.Ratio), max(farthest, math.Abs(math.Log(row.Ratio)))
		}
		for _, v := range []float64{row.Low, row.High} {
			if drawable(v) {
				ends = append(ends, v)
			}
		}
	}
	distances := make([]float64, len(ends))
	for i, v := range ends {
		distances[i] = math.Abs(math.Log(v))
	}
	most := max(1.5*farthest, 3*stats.Median(distances))
	for i, v := range ends {
		if distances[i] <= most {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

func newRanking(s *Source, r rank.Ranking) ranking {
	rows := make([]*invocations.Record, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = &s.records[row.Variant]
	}
	view := ranking{Title: report.Printable(r.Group), How: r.How(), Note: r.Note, Race: raceOf(rows)}
	view.Decided = r.Rows[0].Standing == stats.Best || r.Rows[0].Standing == stats.Slower // the latter in an interrupted race
	low, high := endsOf(r.Rows)
	margin := math.Pow(high/low, 0.03) + 0.001
	low, high = low/margin, high*margin
	at := func(v float64) float64 { // ratios are drawn logarithmically
		return math.Round(10*scaleWidth*min(1, max(0, math.Log(v/low)/math.Log(high/low)))) / 10
	}
	view.From, view.To, view.One = report.Ratio(low), report.Ratio(high), at(1)
	by, cells := report.RankedCellsOf(&r, rows)
	view.By = by
	for i, row := range r.Rows {
		record := rows[i]
		out := ranked{Rank: i + 1, Name: report.Printable(record.Name), Cells: report.CellsOf(record), RankedCells: cells[i]}
		out.Flaw = out.Verdict != "" && isFlaw(out.Verdict)
		if out.Drawn = drawable(row.Ratio); out.Drawn {
			out.At, out.Low = at(row.Ratio), at(row.Ratio)
			if drawable(row.Low) && drawable(row.High) && row.High >= row.Low {
				out.Low = at(row.Low)
				out.Width = at(row.High) - out.Low
			}
		}
		view.Rows = append(view.Rows, out)
	}
	return view
}

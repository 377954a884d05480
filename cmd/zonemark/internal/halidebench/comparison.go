package halidebench

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations"
)

// comparison is the table of results: a row for each benchmark, a column for each scheduler.
type comparison struct {
	rows, columns []string
	records       map[cell]*invocations.Record
	ratios        map[cell]float64 // of the time to the best of the row, from pairs of launches
	emulated      bool             // the records have counts and no times
}

func newComparison(r *run, results report.Run) (*comparison, error) {
	t := &comparison{
		rows: r.rows, columns: r.columns, emulated: r.emulated(),
		records: map[cell]*invocations.Record{}, ratios: map[cell]float64{},
	}
	for record, err := range results.Records.All() {
		if err != nil {
			return nil, err
		}
		if at, known := r.cells[record.Name]; known {
			t.records[at] = record
		}
	}
	for _, ranking := range results.Rankings {
		for _, row := range ranking.Rows {
			if at, known := r.cells[row.Name]; known && row.Ratio > 0 {
				t.ratios[at] = row.Ratio
			}
		}
	}
	return t, nil
}

// unclean marks a time that was not measured cleanly.
const unclean = "*"

// write writes the table. Times of a row have one unit.
func (t *comparison) write(w io.Writer) error {
	if t.emulated {
		return t.writeCounts(w)
	}
	table := texttable.Table{Columns: []texttable.Column{{Title: "benchmark", Name: true}}}
	for _, column := range t.columns {
		table.Columns = append(table.Columns, texttable.Column{Title: column, Right: true},
			texttable.Column{Title: "ratio", Right: true})
	}
	marked := false
	for _, row := range t.rows {
		cells := []string{report.Printable(row)}
		times := t.times(row)
		for _, column := range t.columns {
			at := cell{row, column}
			text, ratio := t.outcome(at), ""
			if time, timed := times[at]; timed {
				text = time + t.mark(at)
				marked = marked || t.mark(at) == unclean
				if t.ratios[at] > 0 {
					ratio = report.Ratio(t.ratios[at])
				}
			}
			cells = append(cells, text, ratio)
		}
		table.Add(cells...)
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, "\nmedian times by scheduler, and their ratios to the best of the row")
	if err := table.Write(&b, cli.TerminalWidth(w)); err != nil {
		return err
	}
	if marked {
		fmt.Fprintf(&b, "  %s not measured cleanly; the verdicts say why\n", unclean)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// times returns the medians of a row, in one unit.
func (t *comparison) times(row string) map[cell]string {
	var cells []cell
	var ns []float64
	for _, column := range t.columns {
		at := cell{row, column}
		if r := t.records[at]; r != nil && r.Status == invocations.OK && r.MedianNS != nil {
			cells, ns = append(cells, at), append(ns, *r.MedianNS)
		}
	}
	texts := map[cell]string{}
	for i, text := range report.TimesAlike(ns) {
		texts[cells[i]] = text
	}
	return texts
}

// mark returns what follows a time; as wide as unclean, so that times stand below each other.
func (t *comparison) mark(at cell) string {
	if slices.Equal(t.records[at].Verdicts, []invocations.Verdict{invocations.Clean}) {
		return " "
	}
	return unclean
}

// outcome returns what stands in the place of a time.
func (t *comparison) outcome(at cell) string {
	if r := t.records[at]; r != nil {
		return string(r.Status)
	}
	return "-" // it was filtered out
}

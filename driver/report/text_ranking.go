package report

import (
	"bufio"
	"fmt"
	"math"
	"slices"

	"zonemark/driver/report/rank"
	"zonemark/driver/report/texttable"
	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

// writeRanking writes the variants of a group, the best first, with the counters that explain most about differences.
func writeRanking(b *bufio.Writer, run Run, ranking rank.Ranking) error {
	fmt.Fprintf(b, "\n%s: %s, by %s\n", Printable(ranking.Group), Counted(len(ranking.Rows), "variant"), ranking.How())
	if ranking.Note != "" {
		fmt.Fprintf(b, "  (%s)\n", ranking.Note)
	}
	rows, err := rowsOf(run, ranking)
	if err != nil {
		return err
	}
	compared := newComparedColumns(&ranking, slices.Values(rows))
	t := texttable.Table{Columns: []texttable.Column{
		{Title: "rank", Right: true},
		{Title: "name", Name: true},
		{Title: "median", Right: true},
		{Title: "±", Right: true},
		{Title: compared.title, Right: true},
		{Title: "±", Right: true},
		{Title: "ratio", Right: true},
		{Title: "95 % interval", Right: true},
		{Title: "instructions", Right: true, Spare: true},
		{Title: "IPC", Right: true, Spare: true},
		{Title: "verdict", Paint: standingColour, Wrap: true},
	}, Colours: run.Colours}
	for i, row := range ranking.Rows {
		r := rows[i]
		f := compared.cells(r, run.Verbose)
		t.Add(fmt.Sprint(i+1), Printable(r.Name), f.median, f.ofMedian, f.compared, f.ofCompared,
			ratioText(row), ratioInterval(row), countText(r, counterInstructions), ipcText(r), standingText(row, *r))
	}
	return t.Write(b, run.Width)
}

// rowsOf returns the records of the rows of a ranking.
func rowsOf(run Run, ranking rank.Ranking) ([]*invocations.Record, error) {
	rows := make([]*invocations.Record, len(ranking.Rows))
	for i, row := range ranking.Rows {
		r, err := run.Records.At(row.Variant)
		if err != nil {
			return nil, err
		}
		rows[i] = r
	}
	return rows, nil
}

func ratioText(row stats.Row) string {
	if !(row.Ratio > 0) {
		return "-"
	}
	return figures.Significant(row.Ratio, 4)
}

func ratioInterval(row stats.Row) string {
	if row.Standing == stats.Best || !(row.Low > 0) {
		return ""
	}
	high := "∞" // of two launches that differ much
	if !math.IsInf(row.High, 1) {
		high = figures.Significant(row.High, 4)
	}
	return fmt.Sprintf("%s … %s", figures.Significant(row.Low, 4), high)
}

// droppedText says when a race has dropped a variant, or left it out.
func droppedText(r *invocations.Record) string {
	text := "dropped"
	if r.Stop == invocations.StopAlsoRan {
		text = "left out"
	}
	if r.Dropped.Launches == 1 {
		return text + " after 1 launch"
	}
	return fmt.Sprintf("%s after %d launches", text, r.Dropped.Launches)
}

// standingText returns the standing, the detectable difference if no difference was found, and the flaws of the
// measurement.
func standingText(row stats.Row, r invocations.Record) string {
	text := string(row.Standing)
	if r.Dropped != nil {
		text = droppedText(&r)
	}
	if (row.Standing == stats.Same || row.Standing == stats.Unknown) && row.Detectable >= 0 {
		text += fmt.Sprintf(" (detects %s)", Percent(row.Detectable))
	}
	r.Verdicts = slices.DeleteFunc(slices.Clone(r.Verdicts), func(v invocations.Verdict) bool {
		return v == invocations.Slower // it is the standing
	})
	if flaws := verdictText(r); flaws != "" && flaws != string(invocations.Clean) {
		text += "; " + flaws
	}
	return text
}

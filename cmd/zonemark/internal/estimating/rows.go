package estimating

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/costmodel/table"
	"zonemark/driver/report"
	"zonemark/invocations/files"
)

// manyRows is the number of rows from which a message says how long the estimates took.
const manyRows = 100_000

// estimateFile adds estimates to the rows of a file.
func (f *Flags) estimateFile(ctx context.Context, input, output string) error {
	from, err := f.open(input)
	if err != nil {
		return err
	}
	t, err := readInput(input, output)
	if err != nil {
		return err
	}
	begin := time.Now()
	all, err := from.estimates(t, f.identity(input))
	if err != nil {
		return err
	}
	took := time.Since(begin)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("interrupted: %w", err)
	}
	f.warn(all)
	added := estimateColumns(t, all)
	added = append(added, errorColumns(all)...)
	if err := f.writeTable(output, t, added); err != nil {
		return err
	}
	f.summarize(t, added[0].Number)
	if t.Rows >= manyRows {
		f.note("%s estimates in %.2f s", report.Grouped(int64(t.Rows)), took.Seconds())
	}
	return nil
}

// readInput reads configurations. It returns an error if the output would replace them, or if they have estimates.
func readInput(input, output string) (*table.Table, error) {
	if err := cli.CheckExists(input, "a table of configurations (.csv)"); err != nil {
		return nil, err
	}
	t, err := table.ReadFile(input)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"estimate", "ratio"} {
		if c := t.Column(name); c != nil {
			return nil, fmt.Errorf("%s: line 1: there is a column %s already: estimate the file that it was made from",
				input, c.Header)
		}
	}
	before, err := os.Stat(input)
	if err != nil {
		return nil, err
	}
	if after, err := os.Stat(output); output != "" && err == nil && os.SameFile(before, after) {
		return nil, fmt.Errorf("%s is the input itself; name another file", output)
	}
	return t, nil
}

// warn prints each warning once, with the number of its rows.
func (f *Flags) warn(all []estimate) {
	var order []string
	count := map[string]int{}
	for _, e := range all {
		for _, warning := range e.Warnings {
			if count[warning]++; count[warning] == 1 {
				order = append(order, warning)
			}
		}
	}
	for _, warning := range order {
		f.Say("warning: %s (%s)", warning, report.Counted(count[warning], "row"))
	}
	outside := 0
	for _, e := range all {
		if len(e.Outside) > 0 {
			outside++
		}
	}
	if outside > 0 {
		f.Say("warning: %s of %s outside of what was fitted", report.Grouped(int64(outside)),
			report.Counted(len(all), "row"))
	}
}

// estimateColumns returns the documented columns: estimate and, if there is a runtime, ratio.
func estimateColumns(t *table.Table, all []estimate) []table.Column {
	estimates := make([]float64, len(all))
	for i, e := range all {
		estimates[i] = thousandths(e.Estimate)
	}
	columns := []table.Column{{Header: "estimate", Number: estimates}}
	if t.Runtime == nil {
		return columns
	}
	ratios := make([]float64, len(all))
	for i, v := range estimates {
		ratios[i] = math.Round(v/t.Runtime[i]*1e6) / 1e6
	}
	return append(columns, table.Column{Header: "ratio", Number: ratios})
}

// errorColumns returns the expected errors and whether rows are outside of the fitted range.
func errorColumns(all []estimate) []table.Column {
	low, high, mape := gaps(len(all)), gaps(len(all)), gaps(len(all))
	outside := make([]string, len(all))
	for i, e := range all {
		if e.High != nil {
			low[i], high[i] = thousandths(*e.Low), thousandths(*e.High)
		}
		if e.Error != nil {
			mape[i] = thousandths(*e.Error)
		}
		switch {
		case e.Outside == nil:
			outside[i] = "unknown"
		case len(e.Outside) > 0:
			outside[i] = strings.Join(e.Outside, "; ")
		}
	}
	return []table.Column{
		{Header: "estimate_low", Number: low}, {Header: "estimate_high", Number: high},
		{Header: "expected_error_percent", Number: mape}, {Header: "outside", Text: outside},
	}
}

func gaps(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

func thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }

// writeTable writes rows to a file, which is replaced, or to standard output.
func (f *Flags) writeTable(output string, t *table.Table, added []table.Column) error {
	write := func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<16)
		return errors.Join(t.Write(out, added...), out.Flush())
	}
	if output == "" {
		return write(f.Out)
	}
	return files.Replace(output, 0o644, write)
}

// summarize prints how far the estimates are from the measured values.
func (f *Flags) summarize(t *table.Table, estimates []float64) {
	if t.Runtime == nil {
		f.note("%s estimated", report.Counted(t.Rows, "row"))
		return
	}
	low, high, sum := math.Inf(1), 0.0, 0.0
	for i, v := range estimates {
		ratio := v / t.Runtime[i]
		low, high, sum = min(low, ratio), max(high, ratio), sum+math.Abs(ratio-1)
	}
	f.note("%s: mean error %s, estimate / measured %.3f to %.3f", report.Counted(t.Rows, "row"),
		report.Percent(sum/float64(t.Rows)), low, high)
}

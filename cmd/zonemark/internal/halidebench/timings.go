package halidebench

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/executor/halide/generator"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/foreign"
)

// timingsColumns returns the columns of the file timings.csv of the older scripts. There, the last one was in
// milliseconds and the others in seconds; here, all are in seconds.
func timingsColumns() []string {
	return []string{"Name", "No Schedule", "HW Schedule", "Pre-Trained CM", "Auto-Tuned"}
}

// timingsOf returns the columns of the table that the columns of the file hold, behind the name.
func timingsOf() []string { return []string{generator.None, generator.Manual, adams, tuned} }

// checkTimings returns an error, before anything is done, if the file cannot be written, or holds something else.
func (f *flags) checkTimings() error {
	return cli.Output{Flag: "--timings-csv", Path: f.timings, Kind: "table of times of this kind", Holds: holdsTimings}.Check()
}

// holdsTimings returns an error if the file does not begin with the columns.
func holdsTimings(path string) error {
	text, err := files.Read(path)
	if err == nil && !strings.HasPrefix(string(text), strings.Join(timingsColumns(), ",")) {
		err = errors.New("it has other columns")
	}
	return err
}

// keep writes the file of times. A cell without a time is empty.
func (t *comparison) keep(path string) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(timingsColumns()) // of a buffer; Error below says the same
	for _, row := range t.rows {
		line := []string{foreign.Cell(row)}
		for _, column := range timingsOf() {
			text := ""
			if r := t.records[cell{row, column}]; r != nil && r.Status == invocations.OK && r.MedianNS != nil {
				text = strconv.FormatFloat(*r.MedianNS/1e9, 'g', -1, 64)
			}
			line = append(line, text)
		}
		_ = w.Write(line)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	if err := files.Write(path, 0o644, b.Bytes()); err != nil {
		return fmt.Errorf("--timings-csv: %w", err)
	}
	return nil
}

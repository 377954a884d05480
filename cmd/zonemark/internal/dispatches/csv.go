package dispatches

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/trace/dispatchcsv"
)

// ReadCSV reads a dispatch CSV.
func ReadCSV(path string) ([]dispatchcsv.Row, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dispatchcsv.Read(path, f)
}

// captureOutput returns the path of the first capture. A resumed run does not replace earlier captures.
func captureOutput(file string, resume bool) string {
	path, extension := file, filepath.Ext(file)
	for n := 2; resume; n++ {
		if _, err := os.Stat(path); err != nil {
			break
		}
		path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(file, extension), n, extension)
	}
	return path
}

// replaceRows replaces a dispatch CSV in one step. The rows are those of certain invocations, given by their ids. Rows
// of other invocations may be kept.
func replaceRows(path string, rows []dispatchcsv.Row, of map[string]string, keep bool) error {
	var all []dispatchcsv.Row
	if keep {
		before, err := ReadCSV(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, row := range before {
			if _, again := of[row.Invocation]; !again {
				all = append(all, row)
			}
		}
	}
	all = append(all, rows...)
	err := files.Replace(path, 0o644, func(w io.Writer) error { return dispatchcsv.Write(w, all) })
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// AddProfiled writes the profiles of the measured invocations into the dispatch CSV, if the user wants one. A row for
// each dispatch stands for all calls.
func (p *Passes) AddProfiled(records *invocations.Records) error {
	if p.options.CSVFile == "" || records.Len() == 0 {
		return nil
	}
	var rows []dispatchcsv.Row
	of := map[string]string{}
	for r, err := range records.All() {
		if err != nil {
			return err
		}
		if r.DispatchSource != invocations.ByProfiler {
			continue
		}
		of[r.ID] = r.Name
		for _, d := range r.Dispatches {
			rows = append(rows, summaryRow(r, &d))
		}
	}
	if len(rows) == 0 && p.traced { // the traced pass has already written the file
		return nil
	}
	return replaceRows(p.options.CSVFile, rows, of, p.options.Resume || p.traced)
}

// summaryRow returns the row of a dispatch of which only medians over calls are known.
func summaryRow(r *invocations.Record, d *invocations.DispatchRecord) dispatchcsv.Row {
	row := dispatchcsv.Row{
		Invocation: r.ID, Name: r.Name, Ordinal: d.Ordinal, Dispatch: d.Name, SourceFile: d.SourceFile,
		SourceLine: uint32(d.SourceLine),
		Workgroups: d.Workgroups, Threads: d.Threads, Calls: d.Count,
	}
	for from, to := range map[*float64]*int64{d.MedianNS: &row.DurationNS, d.P10NS: &row.P10NS, d.P90NS: &row.P90NS} {
		if from != nil {
			*to = int64(math.Round(*from))
		}
	}
	if r.DispatchQuietShare != nil {
		row.QuietShare = strconv.FormatFloat(*r.DispatchQuietShare, 'g', 4, 64)
	}
	if r.DispatchContended {
		row.Disturbed = "other work"
	}
	return row
}

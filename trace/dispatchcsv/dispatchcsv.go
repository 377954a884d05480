// Package dispatchcsv writes and reads the dispatch CSV: a row for each dispatch of each iteration of each invocation.
// It knows nothing of captures or profilers.
package dispatchcsv

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"

	"github.com/gocarina/gocsv"
)

// Row is a row of the dispatch CSV: one dispatch of one iteration of one invocation; or, with Calls, of the median over iterations that nobody knows singly.
// Columns are added at the end, never renamed; all times are in nanoseconds, start_ns since the start of the capture.
type Row struct {
	Invocation  string `csv:"invocation"` // id
	Name        string `csv:"invocation_name"`
	Iteration   int    `csv:"iteration"` // 0-based
	Warmup      bool   `csv:"warmup"`
	Ordinal     int    `csv:"ordinal"` // position in the iteration, 0-based
	Dispatch    string `csv:"dispatch"`
	SourceFile  string `csv:"source_file"`
	SourceLine  uint32 `csv:"source_line"`
	StartNS     int64  `csv:"start_ns"`
	DurationNS  int64  `csv:"duration_ns"` // wall time
	TotalNS     int64  `csv:"total_ns"`    // summed over workgroups
	Workgroups  int    `csv:"workgroups"`
	Threads     int    `csv:"threads"`
	GapBeforeNS int64  `csv:"gap_before_ns"`
	Flags       string `csv:"flags"` // of the iteration, separated by blanks; see Flags
	// Calls is how many iterations DurationNS is the median of; 0 where the row is of one. The columns of which medians know nothing are then empty, and read as 0.
	Calls int64 `csv:"calls"`
}

// dispatchColumns are those without which a row means nothing.
var required = [...]string{"invocation", "iteration", "ordinal", "dispatch", "start_ns", "duration_ns"}

// Write writes a header and the rows.
func Write(w io.Writer, rows []Row) error {
	if err := gocsv.MarshalCSV(rows, &rowWriter{Writer: csv.NewWriter(w)}); err != nil {
		return fmt.Errorf("write dispatch CSV: %w", err)
	}
	return nil
}

// dispatchWriter leaves the columns of one iteration empty in rows that stand for many.
type rowWriter struct {
	*csv.Writer
	single      []int // columns of one iteration
	line, calls int   // the columns source_line and calls
	header      bool  // has been written
}

func (d *rowWriter) Write(record []string) error {
	if !d.header {
		d.header = true
		for _, column := range []string{"iteration", "warmup", "start_ns", "total_ns", "gap_before_ns"} {
			d.single = append(d.single, slices.Index(record, column))
		}
		d.line, d.calls = slices.Index(record, "source_line"), slices.Index(record, "calls")
	} else if record[d.calls] == "0" {
		record[d.calls] = ""
	} else {
		for _, column := range d.single {
			record[column] = ""
		}
		if record[d.line] == "0" { // nor do profilers know sources
			record[d.line] = ""
		}
	}
	return d.Writer.Write(record)
}

// Read reads what Write wrote. Columns may come in any order, unknown ones are ignored. The name is for errors.
func Read(name string, r io.Reader) ([]Row, error) {
	records := csv.NewReader(r)
	header, err := records.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: header of a dispatch CSV: %w", name, err)
	}
	for _, column := range required {
		if !slices.Contains(header, column) {
			return nil, fmt.Errorf("%s: not a dispatch CSV: the column %q is missing; write one with zonemark trace dispatches -d FILE", name, column)
		}
	}
	rows := []Row{}
	if err := gocsv.UnmarshalCSV(&afterHeader{Reader: records, header: header}, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// afterHeader gives back the header that was read to look at it.
type afterHeader struct {
	*csv.Reader
	header []string
}

func (a *afterHeader) Read() ([]string, error) {
	if header := a.header; header != nil {
		a.header = nil
		return header, nil
	}
	return a.Reader.Read()
}

func (a *afterHeader) ReadAll() ([][]string, error) {
	rest, err := a.Reader.ReadAll()
	if header := a.header; header != nil {
		a.header = nil
		rest = append([][]string{header}, rest...)
	}
	return rest, err
}

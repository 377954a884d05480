// Package dispatchcsv writes and reads the dispatch CSV: a row for each dispatch of each iteration of each invocation.
// It knows nothing of captures or profilers.
package dispatchcsv

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"zonemark/invocations/foreign"
)

// Row is a row of the dispatch CSV: one dispatch of one iteration of one invocation; or, with Calls, of the median over
// iterations that nobody knows singly. All times are in nanoseconds.
type Row struct {
	Invocation  string // id
	Name        string // of the invocation
	Iteration   int    // 0-based
	Warmup      bool
	Ordinal     int // position in the iteration, 0-based
	Dispatch    string
	SourceFile  string
	SourceLine  uint32
	StartNS     int64 // since the start of the capture
	DurationNS  int64 // wall time
	TotalNS     int64 // summed over workgroups
	Workgroups  int
	Threads     int
	GapBeforeNS int64
	Flags       string // what is unusual in the iteration, such as unexplained or differs, separated by blanks
	// Calls is the number of iterations if the row has their median, or 0 if the row is of one iteration. Columns that a
	// median does not have are empty, and read as 0.
	Calls int64
	// Of a median: what a tenth of the iterations do not reach and nine of ten do not exceed, the share of them, as text
	// from 0 to 1, during which no thread lost its CPU, and what disturbed them; 0 and empty where that is not known.
	P10NS, P90NS          int64
	QuietShare, Disturbed string
}

// column is a column of the table.
type column struct {
	name     string
	required bool // without it a row means nothing
	single   bool // of one iteration: empty in rows that stand for many
	get      func(*Row) string
	set      func(*Row, string) error
}

// columns are the columns in the order of the header. Columns are added at the end, never renamed.
func columns() []column {
	return []column{
		text("invocation", true, func(r *Row) *string { return &r.Invocation }),
		text("invocation_name", false, func(r *Row) *string { return &r.Name }),
		number("iteration", true, true, func(r *Row) *int { return &r.Iteration }),
		{"warmup", false, true, func(r *Row) string { return strconv.FormatBool(r.Warmup) }, setWarmup},
		number("ordinal", true, false, func(r *Row) *int { return &r.Ordinal }),
		text("dispatch", true, func(r *Row) *string { return &r.Dispatch }),
		text("source_file", false, func(r *Row) *string { return &r.SourceFile }),
		sourceLine(),
		number("start_ns", true, true, func(r *Row) *int64 { return &r.StartNS }),
		number("duration_ns", true, false, func(r *Row) *int64 { return &r.DurationNS }),
		number("total_ns", false, true, func(r *Row) *int64 { return &r.TotalNS }),
		number("workgroups", false, false, func(r *Row) *int { return &r.Workgroups }),
		number("threads", false, false, func(r *Row) *int { return &r.Threads }),
		number("gap_before_ns", false, true, func(r *Row) *int64 { return &r.GapBeforeNS }),
		text("flags", false, func(r *Row) *string { return &r.Flags }),
		calls(),
		unlessZero("p10_ns", func(r *Row) *int64 { return &r.P10NS }),
		unlessZero("p90_ns", func(r *Row) *int64 { return &r.P90NS }),
		text("quiet_share", false, func(r *Row) *string { return &r.QuietShare }),
		text("disturbed", false, func(r *Row) *string { return &r.Disturbed }),
	}
}

func text(name string, required bool, field func(*Row) *string) column {
	return column{
		name, required, false,
		func(r *Row) string { return foreign.Cell(*field(r)) },
		func(r *Row, s string) error { *field(r) = foreign.Uncell(s); return nil },
	}
}

func number[T int | int64 | uint32](name string, required, single bool, field func(*Row) *T) column {
	return column{
		name, required, single,
		func(r *Row) string { return strconv.FormatInt(int64(*field(r)), 10) },
		func(r *Row, s string) error {
			if s == "" {
				return nil
			}
			n, err := strconv.ParseInt(s, 10, 64)
			if err == nil && int64(T(n)) != n {
				err = fmt.Errorf("%s is out of range", s)
			}
			*field(r) = T(n)
			return err
		},
	}
}

// sourceLine is empty in medians that lack it: profilers do not know sources.
func sourceLine() column {
	c := number("source_line", false, false, func(r *Row) *uint32 { return &r.SourceLine })
	get := c.get
	c.get = func(r *Row) string {
		if r.Calls != 0 && r.SourceLine == 0 {
			return ""
		}
		return get(r)
	}
	return c
}

// calls is empty in rows of one iteration.
func calls() column { return unlessZero("calls", func(r *Row) *int64 { return &r.Calls }) }

// unlessZero is a column that is empty where the number is 0.
func unlessZero(name string, field func(*Row) *int64) column {
	c := number(name, false, false, field)
	get := c.get
	c.get = func(r *Row) string {
		if *field(r) == 0 {
			return ""
		}
		return get(r)
	}
	return c
}

func setWarmup(r *Row, s string) (err error) {
	if s != "" {
		r.Warmup, err = strconv.ParseBool(s)
	}
	return err
}

// Write writes a header and the rows, as RFC 4180 wants them.
func Write(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	table := columns()
	record := make([]string, len(table))
	for i, c := range table {
		record[i] = c.name
	}
	err := out.Write(record)
	for k := range rows {
		for i, c := range table {
			if record[i] = ""; !c.single || rows[k].Calls == 0 {
				record[i] = c.get(&rows[k])
			}
		}
		err = errors.Join(err, out.Write(record))
	}
	out.Flush()
	if err = errors.Join(err, out.Error()); err != nil {
		return fmt.Errorf("write dispatch CSV: %w", err)
	}
	return nil
}

// Read reads what Write wrote. Columns may come in any order, unknown ones are ignored. The name is for errors.
func Read(name string, r io.Reader) ([]Row, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: header of a dispatch CSV: %w", name, err)
	}
	type place struct {
		column
		at int
	}
	var places []place
	for _, c := range columns() {
		if at := slices.Index(header, c.name); at >= 0 {
			places = append(places, place{c, at})
		} else if c.required {
			return nil, fmt.Errorf("%s: not a dispatch CSV: the column %q is missing; write one with zonemark trace "+
				"dispatches -d FILE", name, c.name)
		}
	}
	rows := []Row{}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		var row Row
		for _, p := range places {
			if err := p.set(&row, record[p.at]); err != nil {
				line, _ := in.FieldPos(p.at)
				return nil, fmt.Errorf("%s:%d: column %q: %w", name, line, p.name, err)
			}
		}
		rows = append(rows, row)
	}
}

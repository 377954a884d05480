// Package table reads sweeps of operations: CSV files in which a row is a configuration of an operation and the cycles
// that it took. It knows the dialects of the published files and the names of their columns, and nothing of models.
package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/spelling"
)

// Dialect is the layout of a file, told by its columns.
type Dialect string

// The dialects of the sweeps of Tenstorrent's Budabackend, and ours.
const (
	Sweep   Dialect = "sweep"   // total-runtime over inputs first-input-idx-recorded to last-input-idx-recorded
	Compact Dialect = "compact" // runtime of one input
	Sparse  Dialect = "sparse"  // runtime of one input, and nz_strips, nz_ublocks, nz_tiles
	Verbose Dialect = "verbose" // a block of report columns for the fastest and one for the slowest core
	Plain   Dialect = "plain"   // configurations without a runtime, to be estimated
)

// Table holds the rows of one file, by column. It is not changed after it was read.
type Table struct {
	File    string // for messages
	Dialect Dialect
	// Unmeasured says how many rows are left out because they were not measured: "2 not applied, 1 crashed". It is
	// empty if all rows are there.
	Unmeasured string
	Rows       int
	Lines      []int     // the line in the file that each row starts on, from 1; 0 if there is no file
	Runtime    []float64 // cycles for one input, all positive; nil if the file has no runtime
	Columns    []Column  // in the file's order

	index map[string]int // canonical name to column
}

// Column holds one column. Name is what the rest of the program calls it: t, m, n, r, c, k, u, z for the shape (see
// Canonical), and else the file's name in lower case with underscores.
type Column struct {
	Name   string
	Header string    // as the file has it
	Number []float64 // NaN stands for N/A and an empty cell; nil in a column of text
	Text   []string  // the cells without blanks around them; nil in a column of numbers
	Role   Role
}

// Role says what a column is good for.
type Role uint8

// The roles of columns.
const (
	Unknown Role = iota // neither is known: a model sees it only if it is asked to
	Choice              // part of the configuration
	Outcome             // measured, or the number of a row: a model must not see it
)

// Column returns the column with a canonical name, or nil if there is none.
func (t *Table) Column(name string) *Column {
	if i, ok := t.index[name]; ok {
		return &t.Columns[i]
	}
	return nil
}

// Number returns the numbers of a column, or nil if there is no such column of numbers.
func (t *Table) Number(name string) []float64 {
	if c := t.Column(name); c != nil {
		return c.Number
	}
	return nil
}

// Text returns the cells of a column of text, or nil if there is no such column.
func (t *Table) Text(name string) []string {
	if c := t.Column(name); c != nil {
		return c.Text
	}
	return nil
}

// Cell returns a cell as text: a number in its shortest form, N/A if there is none.
func (c *Column) Cell(row int) string {
	switch {
	case c.Number == nil:
		return c.Text[row]
	case math.IsNaN(c.Number[row]):
		return "N/A"
	}
	return strconv.FormatFloat(c.Number[row], 'g', -1, 64)
}

// Where names a row for messages.
func (t *Table) Where(row int) string {
	if t.Lines[row] == 0 {
		return t.File
	}
	return fmt.Sprintf("%s: line %d", t.File, t.Lines[row])
}

// Require returns an error that names the first of the columns that the table lacks, or that has a gap, with the names
// that it goes by and the nearest name that the table has. The columns must hold numbers.
func (t *Table) Require(names ...string) error {
	for _, name := range names {
		c := t.Column(name)
		if c == nil {
			return t.missing(name)
		}
		if c.Number == nil {
			return fmt.Errorf("%s: column %s must hold numbers; row 1 has %q", t.Where(0), c.Header, cut(c.Text[0]))
		}
		if i := slices.IndexFunc(c.Number, math.IsNaN); i >= 0 {
			return fmt.Errorf("%s: column %s is empty or N/A, but is needed", t.Where(i), c.Header)
		}
	}
	return nil
}

func (t *Table) missing(name string) error {
	known := Headers(name)
	var headers []string
	for _, c := range t.Columns {
		headers = append(headers, c.Header)
	}
	nearest := ""
	for _, k := range known {
		if n := spelling.Nearest(k, headers); n != "" {
			nearest = fmt.Sprintf("; the nearest is %q", n)
			break
		}
	}
	return fmt.Errorf("%s: line 1: no column %s%s", t.File, strings.Join(known, " or "), nearest)
}

// Select returns a table of some of the rows, in the given order.
func (t *Table) Select(rows []int) *Table {
	s := &Table{File: t.File, Dialect: t.Dialect, Rows: len(rows), index: t.index}
	for _, r := range rows {
		s.Lines = append(s.Lines, t.Lines[r])
	}
	if t.Runtime != nil {
		s.Runtime = pick(t.Runtime, rows)
	}
	for _, c := range t.Columns {
		if c.Number != nil {
			c.Number = pick(c.Number, rows)
		} else {
			c.Text = pick(c.Text, rows)
		}
		s.Columns = append(s.Columns, c)
	}
	return s
}

// Slice returns the rows from up to before end. It shares its cells with the table.
func (t *Table) Slice(from, end int) *Table {
	s := &Table{File: t.File, Dialect: t.Dialect, Rows: end - from, Lines: t.Lines[from:end], index: t.index}
	if t.Runtime != nil {
		s.Runtime = t.Runtime[from:end]
	}
	for _, c := range t.Columns {
		if c.Number != nil {
			c.Number = c.Number[from:end]
		} else {
			c.Text = c.Text[from:end]
		}
		s.Columns = append(s.Columns, c)
	}
	return s
}

func pick[T any](values []T, rows []int) []T {
	picked := make([]T, len(rows))
	for i, r := range rows {
		picked[i] = values[r]
	}
	return picked
}

// New makes a table of records that were read elsewhere: header names and one slice of cells a row. lines may be nil.
func New(file string, header []string, records [][]string, lines []int) (*Table, error) {
	if lines == nil {
		lines = make([]int, len(records))
	}
	return build(file, header, records, lines)
}

// errEmpty reports a file that has a header at most.
var errEmpty = errors.New("no rows")

const mostQuoted = 40

// cut shortens foreign text for a message.
func cut(s string) string {
	if len(s) > mostQuoted {
		return s[:mostQuoted] + "…"
	}
	return s
}

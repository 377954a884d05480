package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"zonemark/invocations/files"
)

// Limits of one file. The largest published one has 1,230 rows of 45 columns.
const (
	mostColumns = 1000
	mostCells   = 100_000_000
)

// ReadFile reads one file.
func ReadFile(path string) (*Table, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads comma-separated rows under a line of names. It copes with a UTF-8 byte order mark, CRLF, N/A, numbers such
// as 01, True and False, and blank lines. An error names the file, the line and the column. name is the file's name.
func Read(r io.Reader, name string) (*Table, error) {
	in := bufio.NewReader(r)
	if mark, err := in.Peek(3); err == nil && bytes.Equal(mark, []byte("\ufeff")) {
		in.Discard(3)
	}
	c := csv.NewReader(in)
	header, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file is empty", name)
	}
	if err != nil {
		return nil, readError(name, err)
	}
	if len(header) > mostColumns {
		return nil, fmt.Errorf("%s: line 1: %d columns; at most %d are read", name, len(header), mostColumns)
	}
	var records [][]string
	var lines []int
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, readError(name, err)
		}
		if len(records)*len(header) > mostCells {
			return nil, fmt.Errorf("%s: more than %d cells", name, mostCells)
		}
		line, _ := c.FieldPos(0)
		records, lines = append(records, record), append(lines, line)
	}
	return build(name, header, records, lines)
}

func readError(name string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		if errors.Is(parse.Err, csv.ErrFieldCount) {
			return fmt.Errorf("%s: line %d: the row has another number of columns than the header", name, parse.Line)
		}
		return fmt.Errorf("%s: line %d, byte %d: %w", name, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func build(name string, header []string, records [][]string, lines []int) (*Table, error) {
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errEmpty)
	}
	records, lines, unmeasured := measured(header, records, lines)
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: %w: %s", name, ErrNotMeasured, unmeasured)
	}
	t := &Table{
		File: name, Rows: len(records), Lines: lines, Unmeasured: unmeasured.String(), index: map[string]int{},
	}
	blocks := map[string]int{} // how often a name stood in the header
	verbose := slices.ContainsFunc(header, func(h string) bool { return Canonical(h) == "core_label" })
	for j, h := range header {
		if !utf8.ValidString(h) {
			return nil, fmt.Errorf("%s: line 1: column %d: the name is not UTF-8", name, j+1)
		}
		c := Column{Name: Canonical(h), Header: strings.TrimSpace(h)}
		if c.Name == "" {
			if err := t.blank(records, j); err != nil {
				return nil, err
			}
			continue
		}
		if err := t.fill(&c, records, j); err != nil {
			return nil, err
		}
		c.Role = role(c.Name)
		if at, stands := t.index[c.Name]; stands && (c.Role != Outcome || !verbose) {
			if err := t.agree(&t.Columns[at], &c); err != nil {
				return nil, err
			}
			continue
		}
		if blocks[c.Name]++; blocks[c.Name] > 1 {
			c.Name = fmt.Sprintf("%s[%d]", c.Name, blocks[c.Name])
		}
		t.index[c.Name] = len(t.Columns)
		t.Columns = append(t.Columns, c)
	}
	return t, t.measure()
}

// ErrNotMeasured is the error of a table of which no row was measured.
var ErrNotMeasured = errors.New("no row was measured")

// statuses counts rows by what became of them.
type statuses map[string]int

// String says "2 not applied, 1 crashed".
func (s statuses) String() string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(s)) {
		parts = append(parts, fmt.Sprintf("%d %s", s[status], cut(status)))
	}
	return strings.Join(parts, ", ")
}

// measured returns the rows that were measured. Tables of zonemark's sweeps say in their column status what became of
// each row; without it, all rows count.
func measured(header []string, records [][]string, lines []int) ([][]string, []int, statuses) {
	at := func(name string) int {
		return slices.IndexFunc(header, func(h string) bool { return Canonical(h) == name })
	}
	status := at("status")
	if status < 0 || at("runtime_source") < 0 {
		return records, lines, nil
	}
	others := statuses{}
	var kept [][]string
	var keptLines []int
	for i, r := range records {
		if r[status] != "ok" {
			others[r[status]]++
			continue
		}
		kept, keptLines = append(kept, r), append(keptLines, lines[i])
	}
	return kept, keptLines, others
}

// blank accepts a column without a name if nothing stands in it: a comma at the ends of lines.
func (t *Table) blank(records [][]string, j int) error {
	for i, r := range records {
		if s := strings.TrimSpace(r[j]); s != "" {
			return fmt.Errorf("%s: column %d has %q but no name in line 1", t.Where(i), j+1, cut(s))
		}
	}
	return nil
}

// agree accepts two columns for one variable, such as t and output_t, if they say the same.
func (t *Table) agree(a, b *Column) error {
	for i := range t.Rows {
		if a.Cell(i) != b.Cell(i) {
			return fmt.Errorf("%s: columns %s and %s are the same variable, but one has %q and the other %q",
				t.Where(i), a.Header, b.Header, cut(a.Cell(i)), cut(b.Cell(i)))
		}
	}
	return nil
}

// fill reads a column as numbers if all of its cells are numbers, and else as text.
func (t *Table) fill(c *Column, records [][]string, j int) error {
	numbers := make([]float64, len(records))
	known := false // whether there is a number at all
	for i, r := range records {
		cell := strings.TrimSpace(r[j])
		v, ok := number(cell)
		if !ok && numeric(c.Name) {
			return fmt.Errorf("%s: column %s: %q is not a number", t.Where(i), c.Header, cut(cell))
		}
		if !ok {
			numbers = nil
			break
		}
		known = known || !math.IsNaN(v)
		numbers[i] = v
	}
	if numbers != nil && (known || numeric(c.Name)) {
		c.Number = numbers
		return nil
	}
	for i, r := range records {
		cell := strings.TrimSpace(r[j])
		if !utf8.ValidString(cell) {
			return fmt.Errorf("%s: column %s: the text is not UTF-8", t.Where(i), c.Header)
		}
		c.Text = append(c.Text, cell)
	}
	return nil
}

// number reads a cell. NaN stands for a gap.
func number(cell string) (float64, bool) {
	switch strings.ToLower(cell) {
	case "", "n/a":
		return math.NaN(), true
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// measure tells the dialect and computes the runtime in cycles for one input.
func (t *Table) measure() error {
	total, runtime := t.Column("total_runtime"), t.Column("runtime")
	switch {
	case t.Column("core_label") != nil:
		t.Dialect = Verbose
	case runtime != nil && t.Column("nz_tiles") != nil:
		t.Dialect = Sparse
	case runtime != nil:
		t.Dialect = Compact
	case total != nil:
		t.Dialect = Sweep
	default:
		t.Dialect = Plain
		return nil
	}
	source := runtime
	switch {
	case runtime != nil:
		if err := t.Require("runtime"); err != nil {
			return err
		}
		t.Runtime = slices.Clone(runtime.Number)
	case total != nil:
		source = total
		if err := t.perInput(); err != nil {
			return err
		}
	default:
		if err := t.Require("runtime_last_input"); err != nil {
			return err
		}
		source = t.Column("runtime_last_input")
		t.Runtime = t.slowest(func(suffix string, i int) float64 { return t.Number("runtime_last_input" + suffix)[i] })
	}
	for i, v := range t.Runtime {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: column %s: the runtime is %g cycles; it must be above 0",
				t.Where(i), source.Header, v)
		}
	}
	return nil
}

// perInput divides the total runtime by the number of inputs that were recorded.
func (t *Table) perInput() error {
	for block := ""; t.Column("total_runtime"+block) != nil; block = nextBlock(block) {
		first, last := "first_input_idx_recorded"+block, "last_input_idx_recorded"+block
		if err := t.Require("total_runtime"+block, first, last); err != nil {
			return err
		}
		for i, f := range t.Number(first) {
			if l := t.Number(last)[i]; !(l >= f) {
				return fmt.Errorf("%s: column %s: inputs %g to %g are none", t.Where(i), t.Column(last).Header, f, l)
			}
		}
	}
	t.Runtime = t.slowest(func(block string, i int) float64 {
		inputs := t.Number("last_input_idx_recorded" + block)[i] - t.Number("first_input_idx_recorded" + block)[i] + 1
		return t.Number("total_runtime" + block)[i] / inputs
	})
	return nil
}

// slowest takes the largest figure of the blocks of a verbose report: the operation is done when its last core is.
func (t *Table) slowest(figure func(block string, row int) float64) []float64 {
	out := make([]float64, t.Rows)
	probe := "total_runtime"
	if t.Column(probe) == nil {
		probe = "runtime_last_input"
	}
	for block := ""; t.Number(probe+block) != nil; block = nextBlock(block) {
		for i := range out {
			out[i] = max(out[i], figure(block, i))
		}
	}
	return out
}

func nextBlock(block string) string {
	n, _ := strconv.Atoi(strings.Trim(block, "[]"))
	return fmt.Sprintf("[%d]", max(n, 1)+1)
}

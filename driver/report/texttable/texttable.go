// Package texttable writes tables of text for terminals: aligned, coloured, and as wide as there is room. It knows nothing
// of what is in them.
package texttable

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"slices"
	"unicode/utf8"

	"zonemark/invocations/foreign"
)

// Table holds rows of text in aligned columns. Lines end without blanks. The text is kept in a few large pieces, so
// that hundreds of thousands of rows take little more memory than their text.
type Table struct {
	Columns []Column
	Colours bool // cells are painted

	text   [][]byte // the cells of the rows, each with its end behind it
	rows   int
	widths []int // of the widest cell of each column
}

// Column describes a column. A column without text in any row is not shown.
type Column struct {
	Title string
	Right bool // aligned to the right, as numbers are
	Name  bool // shortened in the middle if the table is too wide even without spare columns
	Spare bool // left out, the last first, if the table is too wide
	Wrap  bool // the last column: broken into several lines at words if the table is too wide
	// Paint returns the colour of a cell. Nil: none.
	Paint func(cell string) Colour
}

const (
	cellEnd  = 0 // does not occur in printable text
	textPage = 64 << 10
)

// Add adds a row: a cell for each column.
func (t *Table) Add(cells ...string) {
	if t.widths == nil {
		t.widths = make([]int, len(t.Columns))
	}
	size := len(cells)
	for i, cell := range cells {
		size += len(cell)
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
	}
	last := len(t.text) - 1
	if last < 0 || cap(t.text[last])-len(t.text[last]) < size {
		t.text = append(t.text, make([]byte, 0, max(size, min(textPage, 32*size))))
		last++
	}
	for _, cell := range cells {
		begin := len(t.text[last])
		t.text[last] = append(t.text[last], cell...)
		for i, b := range t.text[last][begin:] {
			if b == cellEnd { // it would end the cell
				t.text[last][begin+i] = ' '
			}
		}
		t.text[last] = append(t.text[last], cellEnd)
	}
	t.rows++
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows }

// Clear removes all rows.
func (t *Table) Clear() { t.text, t.rows, t.widths = nil, 0, nil }

// Rows iterates over the rows. A row has a cell for each column. The slice is reused for the next row.
func (t *Table) Rows() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		row := make([]string, len(t.Columns))
		for cells := range t.cells() {
			for i, cell := range cells {
				row[i] = string(cell)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// cells iterates over the rows without a copy of their text.
func (t *Table) cells() iter.Seq[[][]byte] {
	return func(yield func([][]byte) bool) {
		row := make([][]byte, len(t.Columns))
		for _, text := range t.text {
			for len(text) > 0 {
				for i := range row {
					end := bytes.IndexByte(text, cellEnd)
					row[i], text = text[:end], text[end+1:]
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

const (
	leastName = 12 // the width below which names are not shortened
	goodWrap  = 24 // the width from which on spare columns are kept rather than text that wraps on one line
	leastWrap = 12 // the width below which text does not wrap
)

// Write writes the table, indented by two columns. If width is greater than 0, columns are left out and names shortened
// until the table fits, as far as possible.
func (t *Table) Write(w io.Writer, width int) error {
	widths := t.widthsIn(width)
	titles := make([][]byte, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = []byte(c.Title)
	}
	out := bufio.NewWriter(w)
	line := t.appendLine(nil, titles, widths, nil)
	_, _ = out.Write(line) // Flush returns the error
	for row := range t.cells() {
		line = t.appendRow(line[:0], row, widths)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Shows reports whether a column is shown in so many columns of a terminal.
func (t *Table) Shows(column, width int) bool { return t.widthsIn(width)[column] > 0 }

// widthsIn returns the widths of the columns in so many columns of a terminal; 0 for a column that is left out.
func (t *Table) widthsIn(width int) []int {
	widths := t.fullWidths()
	if width > 0 && sum(widths) > width {
		t.squeeze(widths, width)
	}
	return widths
}

// appendRow appends a row, which is several lines if its last cell is.
func (t *Table) appendRow(line []byte, row [][]byte, widths []int) []byte {
	last, colours := len(row)-1, t.colours(row)
	if !t.Columns[last].Wrap || utf8.RuneCount(row[last]) <= widths[last] {
		return t.appendLine(line, row, widths, colours)
	}
	row = slices.Clone(row)
	for i, text := range Wrap(string(row[last]), widths[last]) {
		if i > 0 {
			clear(row[:last])
		}
		row[last] = []byte(text)
		line = t.appendLine(line, row, widths, colours)
	}
	return line
}

// colours returns the colours of the cells of a row, nil if there are none.
func (t *Table) colours(row [][]byte) []Colour {
	if !t.Colours {
		return nil
	}
	list := make([]Colour, len(row))
	for i, c := range t.Columns {
		if c.Paint != nil && len(row[i]) > 0 {
			list[i] = c.Paint(string(row[i]))
		}
	}
	return list
}

// appendLine appends one line. colours are those of its cells, nil if there are none.
func (t *Table) appendLine(line []byte, row [][]byte, widths []int, colours []Colour) []byte {
	for i, cell := range row {
		if widths[i] == 0 {
			continue
		}
		if utf8.RuneCount(cell) > widths[i] {
			cell = []byte(foreign.Shorten(string(cell), widths[i]))
		}
		line = append(line, "  "...)
		if !t.Columns[i].Right {
			line = appendCell(line, i, cell, colours)
		}
		for range widths[i] - utf8.RuneCount(cell) {
			line = append(line, ' ')
		}
		if t.Columns[i].Right {
			line = appendCell(line, i, cell, colours)
		}
	}
	return append(bytes.TrimRight(line, " "), '\n')
}

// appendCell appends the text of a cell, in its colour.
func appendCell(line []byte, column int, cell []byte, colours []Colour) []byte {
	if colours == nil || len(cell) == 0 {
		return append(line, cell...)
	}
	return append(line, colours[column].Paint(string(cell))...)
}

// squeeze makes widths fit. It removes the spare columns that do not fit beside names of at most half the width and
// some width for text that wraps. If that is not enough, it narrows this text, and then names. In the end names get the
// room that is left, and then that text.
func (t *Table) squeeze(widths []int, width int) {
	full := slices.Clone(widths)
	shorten := func(longest int) {
		for i, c := range t.Columns {
			if c.Name {
				widths[i] = min(full[i], longest)
			}
		}
	}
	shorten(max(leastName, width/2))
	last := len(t.Columns) - 1
	wraps := t.Columns[last].Wrap
	if wraps {
		widths[last] = min(full[last], goodWrap)
	}
	for i := len(t.Columns) - 1; i >= 0 && sum(widths) > width; i-- {
		if t.Columns[i].Spare {
			widths[i] = 0
		}
	}
	if wraps && sum(widths) > width {
		widths[last] = min(full[last], leastWrap)
	}
	if sum(widths) > width {
		shorten(leastName)
	}
	grow := func(i int) { widths[i] = min(full[i], widths[i]+max(0, width-sum(widths))) }
	for i, c := range t.Columns {
		if c.Name {
			grow(i)
		}
	}
	if wraps {
		grow(last)
	}
}

// fullWidths returns the width of each column without its margin, 0 for one that is empty.
func (t *Table) fullWidths() []int {
	widths := make([]int, len(t.Columns))
	copy(widths, t.widths)
	for i, c := range t.Columns {
		if widths[i] > 0 {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.Title))
		}
	}
	return widths
}

// sum returns the width of a line with its margins.
func sum(widths []int) int {
	total := 0
	for _, n := range widths {
		if n > 0 {
			total += n + 2
		}
	}
	return total
}

package report

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Table is rows of text in aligned columns. Lines end without blanks.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// Column describes a column; one without any text in its rows is not shown.
type Column struct {
	Title string
	Right bool // numbers
	Name  bool // shortened in the middle when the table is too wide
	Spare bool // left out, the last first, when shortening does not suffice
}

// Add adds a row: a cell for each column.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// leastName is the width below which names are not shortened.
const leastName = 12

// Write writes the table two columns indented. A width above 0 is kept by shortening names and leaving out columns, as far as that goes.
func (t *Table) Write(w io.Writer, width int) error {
	widths := t.widths()
	if width > 0 && sum(widths) > width {
		t.squeeze(widths, width)
	}
	titles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	var b strings.Builder
	for _, row := range append([][]string{titles}, t.Rows...) {
		line := ""
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			cell = Shorten(cell, widths[i])
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.Columns[i].Right {
				line += "  " + pad + cell
			} else {
				line += "  " + cell + pad
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// squeeze makes widths fit: names as long as there is room for after spare columns are gone that do not fit beside the shortest names.
func (t *Table) squeeze(widths []int, width int) {
	full := slices.Clone(widths)
	for i, c := range t.Columns {
		if c.Name {
			widths[i] = min(full[i], leastName)
		}
	}
	for i := len(t.Columns) - 1; i >= 0 && sum(widths) > width; i-- {
		if t.Columns[i].Spare {
			widths[i] = 0
		}
	}
	for i, c := range t.Columns {
		if c.Name {
			widths[i] = min(full[i], widths[i]+max(0, width-sum(widths)))
		}
	}
}

// widths is the width of each column without its margin, 0 for one that is empty.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		for _, row := range t.Rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.Title))
		}
	}
	return widths
}

// sum is the width of a line with its margins.
func sum(widths []int) int {
	total := 0
	for _, n := range widths {
		if n > 0 {
			total += n + 2
		}
	}
	return total
}

// Shorten replaces the middle of a text that is too long: both its ends tell variants apart.
func Shorten(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	head := (width - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(width-1-head):])
}

// Printable keeps what native code and files say from steering the terminal or breaking lines.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		if unicode.IsSpace(r) {
			return ' '
		}
		return utf8.RuneError
	}, s)
}

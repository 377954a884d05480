package statstable

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/trace"
	"zonemark/trace/zonestats"
)

// columns returns the columns of the table of statistics.
func columns() []texttable.Column {
	return []texttable.Column{
		{Title: "zone", Name: true}, {Title: "count", Right: true}, {Title: "total", Right: true},
		{Title: "share", Right: true},
		{Title: "median", Right: true}, {Title: "self", Right: true, Spare: true},
		{Title: "p90", Right: true, Spare: true},
		{Title: "mean", Right: true, Spare: true}, {Title: "min", Right: true, Spare: true},
		{Title: "max", Right: true, Spare: true}, {Title: "source", Spare: true},
		{Title: "track", Spare: true},
	}
}

// cellEnd is behind each cell. Printable text does not contain it.
const cellEnd = 0

// cellsOfRows makes the cells of rows. One is used by one goroutine.
type cellsOfRows struct {
	cells  []byte          // of the rows so far, each with its end behind it
	widths []int           // of the widest cell of each column so far
	at     *trace.Location // whose place is source
	source string
}

func newCells() *cellsOfRows { return &cellsOfRows{widths: make([]int, len(columns()))} }

// add adds the row of a group.
func (c *cellsOfRows) add(z *zonestats.Group) {
	if z.Location != c.at {
		c.at, c.source = z.Location, report.Printable(z.Location.Place())
	}
	c.end(0, appendPrintable(c.cells, z.Name))
	c.end(1, appendGrouped(c.cells, z.Count))
	c.end(2, appendTime(c.cells, float64(z.TotalNS)))
	c.end(3, appendPercent(c.cells, z.Share))
	c.end(4, appendTime(c.cells, z.MedianNS()))
	c.end(5, appendTime(c.cells, float64(z.SelfNS)))
	c.end(6, appendTime(c.cells, z.QuantileNS(0.9)))
	c.end(7, appendTime(c.cells, z.MeanNS()))
	c.end(8, appendTime(c.cells, float64(z.MinNS())))
	c.end(9, appendTime(c.cells, float64(z.MaxNS())))
	c.end(10, append(c.cells, c.source...))
	c.end(11, appendPrintable(c.cells, z.TrackName()))
}

// end ends the cell of a column: what b has behind the cells so far.
func (c *cellsOfRows) end(column int, b []byte) {
	c.widths[column] = max(c.widths[column], utf8.RuneCount(b[len(c.cells):]))
	c.cells = append(b, cellEnd)
}

// take returns the rows so far and forgets them. It copies them: all parts of a table are held until the widths are
// known, so none may have memory to spare.
func (c *cellsOfRows) take() part {
	p := part{bytes.Clone(c.cells), slices.Clone(c.widths)}
	c.cells = c.cells[:0]
	clear(c.widths)
	return p
}

// appendPrintable appends what report.Printable returns.
func appendPrintable(b []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return append(b, report.Printable(s)...)
		}
	}
	return append(b, s...)
}

// writeFitted writes the table so that it fits into the columns of a terminal, if it can.
func writeFitted(w io.Writer, zones []*zonestats.Group, width int) error {
	t := &texttable.Table{Columns: columns()}
	made := newCells()
	row := make([]string, len(t.Columns))
	for _, z := range zones {
		made.cells = made.cells[:0]
		made.add(z)
		rest := made.cells
		for i := range row {
			cell, behind, _ := bytes.Cut(rest, []byte{cellEnd})
			row[i], rest = string(cell), behind
		}
		t.Add(row...)
	}
	return t.Write(w, width)
}

// writeFull writes what writeFitted writes for a terminal that is wide enough, and shares the work between
// the processors. Captures may have hundreds of thousands of groups.
func writeFull(w io.Writer, zones []*zonestats.Group) error {
	parts := slices.Collect(slices.Chunk(zones, rowtext.RowsAPart))
	texts := make([]part, len(parts))
	rowtext.ForParts(len(parts), func() func(int) {
		made := newCells()
		return func(i int) {
			for _, z := range parts[i] {
				made.add(z)
			}
			texts[i] = made.take()
		}
	})
	layout := newLayout(texts)
	if _, err := w.Write(layout.appendTitles(nil)); err != nil {
		return err
	}
	return rowtext.WriteParts(w, len(parts), func(b []byte, i int) ([]byte, error) {
		return layout.appendLines(b, texts[i].cells), nil
	})
}

// part is some rows of the table.
type part struct {
	cells  []byte // as cellsOfRows makes them
	widths []int  // of the widest cell of each column
}

// layoutOfTable aligns the cells of the table, as texttable.Table does.
type layoutOfTable struct {
	columns []texttable.Column
	widths  []int // 0: the column is empty and not shown
}

func newLayout(parts []part) *layoutOfTable {
	l := &layoutOfTable{columns: columns()}
	l.widths = make([]int, len(l.columns))
	for i, c := range l.columns {
		for _, p := range parts {
			l.widths[i] = max(l.widths[i], p.widths[i])
		}
		if l.widths[i] > 0 {
			l.widths[i] = max(l.widths[i], utf8.RuneCountInString(c.Title))
		}
	}
	return l
}

// appendTitles appends the line with the titles.
func (l *layoutOfTable) appendTitles(b []byte) []byte {
	var titles []byte
	for _, c := range l.columns {
		titles = append(append(titles, c.Title...), cellEnd)
	}
	return l.appendLines(b, titles)
}

// appendLines appends a line for each row of cells.
func (l *layoutOfTable) appendLines(b, cells []byte) []byte {
	const blanks = "                                                                "
	for len(cells) > 0 {
		begin := len(b)
		for i, width := range l.widths {
			end := bytes.IndexByte(cells, cellEnd)
			cell := cells[:end]
			cells = cells[end+1:]
			if width == 0 {
				continue
			}
			b = append(b, "  "...)
			if !l.columns[i].Right {
				b = append(b, cell...)
			}
			missing := width - utf8.RuneCount(cell)
			for ; missing > len(blanks); missing -= len(blanks) {
				b = append(b, blanks...)
			}
			b = append(b, blanks[:missing]...)
			if l.columns[i].Right {
				b = append(b, cell...)
			}
		}
		b = append(b[:begin+len(bytes.TrimRight(b[begin:], " "))], '\n')
	}
	return b
}

// Package columns reads tables with a header whose columns come and go with versions of the program that writes them, row
// by row into values of one type. It knows no table.
package columns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"zonemark/trace/csvtext"
)

// Column is a column of a table whose rows make values of T. Columns come and go with versions of the program.
type Column[T any] struct {
	Name     string
	Required bool                              // without it the table is another one
	Set      func(value *T, cell []byte) error // the cell stays as it is until Set returns
}

// Text is a column of texts.
func Text[T any](name string, required bool, field func(*T) *string) Column[T] {
	return Column[T]{name, required, func(v *T, cell []byte) error { *field(v) = string(cell); return nil }}
}

// mostTexts bounds the number of texts that Shared remembers.
const mostTexts = 4096

// Shared is a column of few different texts, which are kept in texts. A row often has the text of the row before it.
func Shared[T any](texts map[string]string, name string, required bool, field func(*T) *string) Column[T] {
	last := ""
	return Column[T]{name, required, func(v *T, cell []byte) error {
		if string(cell) != last {
			text, known := texts[string(cell)]
			if !known {
				text = string(cell)
				if len(texts) < mostTexts {
					texts[text] = text
				}
			}
			last = text
		}
		*field(v) = last
		return nil
	}}
}

// Whole is a column of whole numbers; an empty cell leaves the field as it is.
func Whole[T any](name string, required bool, field func(*T) *int64) Column[T] {
	return Column[T]{name, required, func(v *T, cell []byte) error {
		if len(cell) == 0 {
			return nil
		}
		n, short := ShortNumber(cell)
		if !short {
			var err error
			if n, err = strconv.ParseInt(string(cell), 10, 64); err != nil {
				return NotANumber(cell)
			}
		}
		*field(v) = n
		return nil
	}}
}

// partSize is the number of rows that are kept together while a table is read.
const partSize = 256

// Read reads a table with a header and returns a value for each row, which begins as a copy of empty and is handed
// to finish at last. With an error come the rows before it. The list is never nil: the table is there.
func Read[T any](name string, r io.Reader, columns []Column[T], empty T, finish func(row *T, line int)) ([]T, error) {
	var full [][]T // a list that grows would be copied again and again
	var part []T
	t := Table[T]{Name: name, Columns: columns, Empty: empty}
	err := t.Each(csvtext.NewRows(r), func() *T {
		if len(part) == cap(part) {
			full, part = append(full, part), make([]T, 0, partSize)
		}
		return &part[:len(part)+1][len(part)]
	}, func(row *T, line int) error {
		part = part[:len(part)+1]
		finish(row, line)
		return nil
	})
	all := slices.Concat(append(full, part)...)
	if all == nil {
		all = []T{}
	}
	return all, err
}

// Table says how a table with a header is read.
type Table[T any] struct {
	Name    string // in errors
	Before  int    // lines of the file before the header
	Columns []Column[T]
	Empty   T    // what a row begins as
	Whole   bool // rows must have a cell for each of the columns that the table has
}

// Each reads the rows of a table one by one into the values that next returns, and hands each to take. Cells are
// trimmed, as tt-metal writes blanks after its commas; columns that are not named are passed over.
func (t *Table[T]) Each(rows *csvtext.Rows, next func() *T, take func(row *T, line int) error) error {
	at := func(line int, err error) error { return fmt.Errorf("%s:%d: %w", t.Name, t.Before+line, err) }
	header, err := readHeader(rows)
	if err != nil {
		return at(1, err)
	}
	places, err := findColumns(header, t.Columns)
	if err != nil {
		return at(1, err)
	}
	least := 0
	for i := range places {
		if t.Whole {
			least = max(least, places[i].at+1)
		}
	}
	for {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		row := next()
		*row = t.Empty
		switch {
		case cells > len(header):
			err = fmt.Errorf("%d fields under %d columns", cells, len(header))
		case cells < least:
			err = fmt.Errorf("%d fields where at least %d are needed; the file was cut or is still being written",
				cells, least)
		default:
			err = set(row, places, rows, cells)
		}
		if err == nil {
			err = take(row, t.Before+rows.Line())
		}
		if err != nil {
			return at(rows.Line(), err)
		}
	}
}

// set sets what the cells of a row say.
func set[T any](row *T, places []placedColumn[T], rows *csvtext.Rows, cells int) error {
	for i := range places {
		p := &places[i]
		if p.at >= cells {
			continue
		}
		if err := p.Set(row, Cell(rows.Cell(p.at))); err != nil {
			return fmt.Errorf("column %q: %w", p.Name, err)
		}
	}
	return nil
}

// readHeader reads the first row of a table.
func readHeader(rows *csvtext.Rows) (header []string, err error) {
	cells, err := rows.Next()
	if errors.Is(err, io.EOF) {
		err = errors.New("the header is missing; the file is empty or cut")
	}
	for i := range cells {
		header = append(header, string(rows.Cell(i)))
	}
	return header, err
}

// Cell returns the text of a cell; empty for what programs write that have no value.
func Cell(field []byte) []byte {
	cell := field
	if last := len(cell) - 1; last >= 0 && !(isGraph(cell[0]) && isGraph(cell[last])) {
		cell = bytes.TrimSpace(cell)
	}
	if len(cell) > len("-Infinity") || len(cell) == 0 || !beginsNoValue[cell[0]] { // nearly all
		return cell
	}
	switch strings.ToLower(strings.TrimLeft(string(cell), "+-")) {
	case "nan", "inf", "infinity", "n/a", "<na>", "none", "null", "":
		return nil
	}
	return cell
}

// isGraph reports whether a byte is a character that is seen, in ASCII.
func isGraph(b byte) bool { return b > ' ' && b < 0x7f }

// beginsNoValue has the bytes with which a cell without a value may begin: a sign, the first letter of one of its
// names, or what may be such a letter in lower case.
var beginsNoValue = func() (is [256]bool) {
	for _, c := range []byte("+-nNiI<") {
		is[c] = true
	}
	for c := 0x80; c < len(is); c++ {
		is[c] = true
	}
	return is
}()

// NotANumber is the error about a cell, in words that are not those of a parser.
func NotANumber(cell []byte) error { return fmt.Errorf("%.100q is no number", cell) }

// placedColumn is a column and where it stands in the rows.
type placedColumn[T any] struct {
	Column[T]
	at int
}

// findColumns finds those of the columns that a header has.
func findColumns[T any](header []string, columns []Column[T]) (places []placedColumn[T], err error) {
	at := map[string]int{}
	for i, title := range header {
		at[strings.TrimSpace(strings.TrimPrefix(title, "\ufeff"))] = i
	}
	for _, c := range columns {
		i, found := at[c.Name]
		if found {
			places = append(places, placedColumn[T]{c, i})
		} else if c.Required {
			return nil, fmt.Errorf("there is no column %q; is this the right file?", c.Name)
		}
	}
	return places, nil
}

// ShortNumber returns the number of a cell of at most 15 digits, which a Decimal would hold exactly. It returns false
// for any other cell.
func ShortNumber(cell []byte) (n int64, short bool) {
	if len(cell) == 0 || len(cell) > 15 {
		return 0, false
	}
	for i := range len(cell) {
		digit := cell[i] - '0'
		if digit > 9 {
			return 0, false
		}
		n = 10*n + int64(digit)
	}
	return n, true
}

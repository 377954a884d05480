package ttmetal

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zonemark/trace/csvtext"
)

// column is a column of a table whose rows make values of T. Columns come and go with versions of tt-metal.
type column[T any] struct {
	name     string
	required bool // without it the table is another one
	set      func(value *T, cell string) error
}

func textColumn[T any](name string, required bool, field func(*T) *string) column[T] {
	return column[T]{name, required, func(v *T, cell string) error { *field(v) = cell; return nil }}
}

// wholeColumn is a column of whole numbers; an empty cell is 0.
func wholeColumn[T any](name string, required bool, field func(*T) *int64) column[T] {
	return column[T]{name, required, func(v *T, cell string) error {
		var n csvtext.Integer
		if n.UnmarshalCSV(cell) != nil {
			return notANumber(cell)
		}
		*field(v) = int64(n)
		return nil
	}}
}

// readTable reads a table with a header and hands on a value for each row, which begins as a copy of empty. Cells are
// trimmed, as tt-metal writes blanks after its commas; columns that are not named are passed over. The strings of a row
// hold on to all of its text. With an error, the rows before it have been handed on.
func readTable[T any](name string, r io.Reader, columns []column[T], empty T, row func(value *T, line int)) error {
	reader := csv.NewReader(r)
	reader.FieldsPerRecord, reader.LazyQuotes, reader.ReuseRecord = -1, true, true
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		err = errors.New("the header is missing; the file is empty or cut")
	}
	if err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	places, err := findColumns(header, columns)
	if err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	width := len(header)
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
			return fmt.Errorf("%s:%d: %w", name, parse.Line, parse.Err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := reader.FieldPos(0)
		if len(record) > width {
			return fmt.Errorf("%s:%d: %d fields under %d columns", name, line, len(record), width)
		}
		value := empty
		for _, p := range places {
			if p.at < len(record) {
				if err := p.set(&value, cellOf(record[p.at])); err != nil {
					return fmt.Errorf("%s:%d: column %q: %w", name, line, p.name, err)
				}
			}
		}
		row(&value, line)
	}
}

// cellOf returns the text of a cell; empty for what programs write that have no value.
func cellOf(field string) string {
	cell := strings.TrimSpace(field)
	if len(cell) > len("-Infinity") || len(cell) == 0 || cell[0] >= '0' && cell[0] <= '9' { // nearly all
		return cell
	}
	switch strings.ToLower(strings.TrimLeft(cell, "+-")) {
	case "nan", "inf", "infinity", "n/a", "<na>", "none", "null", "":
		return ""
	}
	return cell
}

// notANumber is the error about a cell, in words that are not those of a parser.
func notANumber(cell string) error { return fmt.Errorf("%.100q is no number", cell) }

// placedColumn is a column and where it stands in the rows.
type placedColumn[T any] struct {
	column[T]
	at int
}

// findColumns finds those of the columns that a header has.
func findColumns[T any](header []string, columns []column[T]) (places []placedColumn[T], err error) {
	at := map[string]int{}
	for i, title := range header {
		at[strings.TrimSpace(strings.TrimPrefix(title, "\ufeff"))] = i
	}
	for _, c := range columns {
		i, found := at[c.name]
		if found {
			places = append(places, placedColumn[T]{c, i})
		} else if c.required {
			return nil, fmt.Errorf("there is no column %q; is this the right file?", c.name)
		}
	}
	return places, nil
}

// callID finds the number behind "id:" in the text of a zone of tt-metal; -1: there is none.
func callID(text string) int64 {
	_, rest, found := strings.Cut(text, "id:")
	if !found {
		return -1
	}
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gocarina/gocsv"
)

// ttNumber is an integer of tt-metal's tables; empty is 0.
type ttNumber = csvInteger

// ttTable hands the rows of a table with a header to row, with the columns that T does not name. Cells are trimmed, as tt-metal writes blanks after its commas.
// Rows must hold all required columns. Errors name the line, by what comes before the table.
func ttTable[T any](name string, r io.Reader, linesBefore int, required []string, row func(value *T, unknown map[string]string, line int) error) error {
	reader := csv.NewReader(r)
	reader.FieldsPerRecord = -1
	reader.LazyQuotes = true
	reader.ReuseRecord = true
	at := func(err error, line int) error { return fmt.Errorf("%s:%d: %w", name, line+linesBefore, err) }
	header, err := reader.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the header is missing; the file is empty or cut")
		}
		return at(err, 1)
	}
	columns := slices.Clone(header)
	for i := range columns {
		columns[i] = strings.Clone(strings.TrimSpace(strings.TrimPrefix(columns[i], "\ufeff")))
	}
	for _, c := range required {
		if !slices.Contains(columns, c) {
			return at(fmt.Errorf("there is no column %q; is this the right file?", c), 1)
		}
	}
	// gocsv's Unmarshaller reads from a csv.Reader only; it is given the header alone, and the rows one by one, so that each has its line.
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			var parse *csv.ParseError
			if errors.As(err, &parse) {
				return at(parse.Err, parse.Line)
			}
			return at(err, 1)
		}
		line, _ := reader.FieldPos(0)
		if len(record) > len(columns) {
			return at(fmt.Errorf("%d fields under %d columns", len(record), len(columns)), line)
		}
		for i := range record {
			record[i] = strings.TrimSpace(record[i])
		}
		var rows []T
		if err := gocsv.UnmarshalCSV(csvRecordBatch{columns, record}, &rows); err != nil {
			var parse *csv.ParseError
			if errors.As(err, &parse) {
				err = fmt.Errorf("column %q: %w", columns[parse.Column-1], parse.Err)
			}
			return at(err, line)
		}
		unknown := map[string]string{}
		for i, cell := range record {
			if cell != "" {
				unknown[columns[i]] = strings.Clone(cell)
			}
		}
		if err := row(&rows[0], unknown, line); err != nil {
			return at(err, line)
		}
	}
}

// remove takes the columns out of a map that a row has as fields.
func remove(unknown map[string]string, columns ...string) map[string]string {
	for _, c := range columns {
		delete(unknown, c)
	}
	return unknown
}

// ttCallID finds the number behind "id:" in the text of a zone of tt-metal; -1: there is none.
func ttCallID(text string) int64 {
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

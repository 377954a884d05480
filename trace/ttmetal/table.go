package ttmetal

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gocarina/gocsv"

	"zonemark/trace/csvtext"
)

// ttNumber is an integer of tt-metal's tables; empty is 0.
type number = csvtext.Integer

// ttTable hands the rows of a table with a header to row, each with its line. Cells are trimmed, as tt-metal writes blanks after its commas; columns that T does not name are
// passed over. The strings of a row hold on to all of its text. The header must have all required columns.
func readTable[T any](name string, r io.Reader, required []string, row func(value *T, line int) error) error {
	reader := csv.NewReader(r)
	reader.FieldsPerRecord = -1
	reader.LazyQuotes = true
	columns, err := reader.Read()
	if errors.Is(err, io.EOF) {
		err = errors.New("the header is missing; the file is empty or cut")
	}
	if err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	for i := range columns {
		columns[i] = strings.TrimSpace(strings.TrimPrefix(columns[i], "\ufeff"))
	}
	for _, c := range required {
		if !slices.Contains(columns, c) {
			return fmt.Errorf("%s:1: there is no column %q; is this the right file?", name, c)
		}
	}
	batch := rowBatch[T]{name: name, records: csvtext.Records{columns}, row: row}
	for {
		record, err := reader.Read()
		if err == nil {
			line, _ := reader.FieldPos(0)
			err = batch.add(record, line)
		} else if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
			err = fmt.Errorf("%s:%d: %w", name, parse.Line, parse.Err)
		} else if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("%s: %w", name, err)
		}
		if err == nil {
			continue
		}
		if convertErr := batch.convert(); convertErr != nil { // of a line before
			return convertErr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// ttRowsABatch is how many rows are converted at once: gocsv looks the way from columns to fields up anew each time.
const rowsABatch = 512

// ttBatch converts rows, some at a time, so that neither all are in memory nor the lines of those in error unknown.
type rowBatch[T any] struct {
	name    string
	records csvtext.Records // the header first
	lines   []int           // of the records behind it
	row     func(value *T, line int) error
}

func (b *rowBatch[T]) add(record []string, line int) error {
	if columns := len(b.records[0]); len(record) > columns {
		return fmt.Errorf("%s:%d: %d fields under %d columns", b.name, line, len(record), columns)
	}
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	b.records, b.lines = append(b.records, record), append(b.lines, line)
	if len(b.lines) < rowsABatch {
		return nil
	}
	return b.convert()
}

// convert hands the rows on, up to the first that is wrong.
func (b *rowBatch[T]) convert() error {
	if len(b.lines) == 0 {
		return nil
	}
	var rows []T // new ones: gocsv leaves fields of empty cells as they are
	err := gocsv.UnmarshalCSV(b.records, &rows)
	good := len(b.lines)
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) && parse.Line >= 2 && parse.Line-2 < good { // it counts the header
		good = parse.Line - 2
		err = fmt.Errorf("%s:%d: column %q: %w", b.name, b.lines[good], b.records[0][parse.Column-1], parse.Err)
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", b.name, b.lines[0], err)
	}
	for i := range good {
		if err := b.row(&rows[i], b.lines[i]); err != nil {
			return fmt.Errorf("%s:%d: %w", b.name, b.lines[i], err)
		}
	}
	b.records, b.lines = b.records[:1], b.lines[:0]
	return err
}

// ttCallID finds the number behind "id:" in the text of a zone of tt-metal; -1: there is none.
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

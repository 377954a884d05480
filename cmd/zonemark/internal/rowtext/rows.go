// Package rowtext makes the text of tables that may have very many rows, for programs: CSV or NDJSON, of which several
// goroutines make parts at once. It knows nothing of what the rows are about.
package rowtext

import (
	"bytes"
	"encoding/json"
	"io"
	"math"

	"github.com/gocarina/gocsv"

	"zonemark/invocations/foreign"
)

// The formats of most reports. Text is for people; this package does not write it.
const (
	Text   = "text"
	CSV    = "csv"
	NDJSON = "ndjson"
)

// RowsAPart is how many rows are formatted at once: they stay in the second cache.
const RowsAPart = 1024

// Write writes rows with csv and json tags in one of the formats for programs.
func Write[T any](w io.Writer, format string, rows []T) error {
	return WriteOf(w, format, len(rows), func(i int) T { return rows[i] })
}

// WriteOf writes n rows as Write does. Rows are made when they are written, by several goroutines.
func WriteOf[T any](w io.Writer, format string, n int, row func(i int) T) error {
	parts := max(1, (n+RowsAPart-1)/RowsAPart) // a table without rows has a header
	return WriteParts(w, parts, func(b []byte, part int) ([]byte, error) {
		rows := make([]T, 0, RowsAPart)
		for i := part * RowsAPart; i < min(n, (part+1)*RowsAPart); i++ {
			r := row(i)
			if format == CSV {
				r = foreign.Row(r)
			}
			rows = append(rows, r)
		}
		out := bytes.NewBuffer(b)
		if format == CSV {
			marshal := gocsv.MarshalWithoutHeaders
			if part == 0 {
				marshal = gocsv.Marshal
			}
			err := marshal(rows, out)
			return out.Bytes(), err
		}
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		for _, row := range rows {
			if err := enc.Encode(row); err != nil {
				return nil, err
			}
		}
		return out.Bytes(), nil
	})
}

// Thousandths rounds what is interpolated between whole nanoseconds: more digits mean nothing and differ between
// processors.
func Thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }

// Limited cuts a list off; 0: no limit.
func Limited[T any](list []T, limit int64) []T {
	if limit > 0 && int64(len(list)) > limit {
		return list[:limit]
	}
	return list
}

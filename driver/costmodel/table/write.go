package table

import (
	"encoding/csv"
	"io"

	"zonemark/invocations/foreign"
)

// Write writes the table as comma-separated rows under the file's own column names, with more columns at the end, such
// as estimate and ratio. Gaps are written as N/A. The added columns must have as many rows as the table.
func (t *Table) Write(w io.Writer, added ...Column) error {
	columns := append(t.Columns[:len(t.Columns):len(t.Columns)], added...)
	out := csv.NewWriter(w)
	record := make([]string, len(columns))
	for j := range columns {
		record[j] = foreign.Value(columns[j].Header)
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for i := range t.Rows {
		for j := range columns {
			record[j] = foreign.Value(columns[j].Cell(i))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

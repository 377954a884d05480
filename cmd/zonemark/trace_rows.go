package main

import (
	"encoding/json"
	"io"

	"github.com/gocarina/gocsv"
)

// writeRows writes rows with csv and json tags in one of the formats for programs.
func writeRows[T any](w io.Writer, format string, rows []T) error {
	if format == formatCSV {
		return gocsv.Marshal(rows, w)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, row := range rows {
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"encoding/json"
	"io"
	"math"

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

// thousandths rounds what is interpolated between whole nanoseconds: more digits mean nothing and differ between processors.
func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }

// Package statstable writes the table of statistics of zones: for people, made by several goroutines as captures may
// have hundreds of thousands of rows, and as rows for programs.
package statstable

import (
	"io"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/trace/zonestats"
)

// row is a row of the csv and ndjson formats. Columns are added at the end, never renamed.
type row struct {
	Name     string  `csv:"name" json:"name"`
	File     string  `csv:"src_file" json:"src_file"`
	Line     uint32  `csv:"src_line" json:"src_line"`
	Count    int64   `csv:"count" json:"count"`
	TotalNS  int64   `csv:"total_ns" json:"total_ns"`
	SelfNS   int64   `csv:"self_ns" json:"self_ns"`
	MeanNS   float64 `csv:"mean_ns" json:"mean_ns"`
	MedianNS float64 `csv:"median_ns" json:"median_ns"`
	P90NS    float64 `csv:"p90_ns" json:"p90_ns"`
	MinNS    int64   `csv:"min_ns" json:"min_ns"`
	MaxNS    int64   `csv:"max_ns" json:"max_ns"`
	Share    float64 `csv:"share_percent" json:"share_percent"`
	Track    string  `csv:"track" json:"track,omitempty"`
}

// Write writes the groups as a table, of that many columns of a terminal if width is not 0, or as rows for
// programs.
func Write(out io.Writer, format string, zones []*zonestats.Group, width int) error {
	switch {
	case format == rowtext.CSV || format == rowtext.NDJSON:
		return rowtext.WriteOf(out, format, len(zones), func(i int) row { return newRow(zones[i]) })
	case width > 0:
		return writeFitted(out, zones, width)
	}
	return writeFull(out, zones)
}

func newRow(z *zonestats.Group) row {
	return row{
		z.Name, z.Location.File, z.Location.Line, z.Count, z.TotalNS, z.SelfNS, rowtext.Thousandths(z.MeanNS()),
		rowtext.Thousandths(z.MedianNS()), rowtext.Thousandths(z.QuantileNS(0.9)), z.MinNS(), z.MaxNS(), rowtext.Thousandths(100 * z.Share),
		z.TrackName(),
	}
}

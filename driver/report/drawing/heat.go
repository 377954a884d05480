package drawing

import "math"

// Heat is a table whose cells are coloured by their values. The template "heat" shows it.
type Heat struct {
	Title, XTitle, YTitle string
	Columns               []string // the texts of the horizontal variable's values
	Rows                  []HeatRow
}

// HeatRow is a row of a Heat: a cell for each column.
type HeatRow struct {
	Label string // the text of the vertical variable's value
	Cells []HeatCell
}

// HeatCell is a value in words, with its colour: 0 for the smallest value of all, 1 for the largest. Text is empty if
// there is no value.
type HeatCell struct {
	Text string
	Heat float64
}

// NewHeat returns a table of values, a list for each row; NaN is no value. The colours are logarithmic if the values
// are positive and span a factor of eight. label returns the text of a value.
func NewHeat(title, x, y string, columns, rows []string, values [][]float64, label func(float64) string) Heat {
	h := Heat{Title: title, XTitle: x, YTitle: y, Columns: columns}
	scale := scaleOf(8, values...)
	for i, list := range values {
		row := HeatRow{Label: rows[i]}
		for _, v := range list {
			cell := HeatCell{}
			if finite(v) {
				cell = HeatCell{label(v), math.Min(1, math.Max(0, scale.at(v)))}
			}
			row.Cells = append(row.Cells, cell)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

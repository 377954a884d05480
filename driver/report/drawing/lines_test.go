package drawing

import (
	"math"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	series := []Series{
		{Name: "a", X: []float64{8, 16, 32}, Y: []float64{1, 2, 4}, Low: []float64{0.9, math.NaN(), 3},
			High: []float64{1.1, 2.1, 5}},
		{Name: "b", X: []float64{8, 32}, Y: []float64{3, math.Inf(1)}},
	}
	d := Lines("title", "n", "time", series, label, label)
	if a, b := within(t, d, d.Lines[0].Points), within(t, d, d.Lines[1].Points); a != 3 || b != 1 {
		t.Errorf("%d and %d dots", a, b)
	}
	if n := strings.Count(d.Lines[0].Spans, "V"); n != 2 || d.Lines[1].Spans != "" {
		t.Errorf("%d intervals: %+v", n, d.Lines)
	}
	if len(d.Legend) != 2 || len(d.Lines) != 2 {
		t.Errorf("legend %v of %d lines", d.Legend, len(d.Lines))
	}
	if len(d.XTicks) != 3 || d.XTicks[1].Text != "16" || d.Across(d.XTicks[1].At) != "50.00%" {
		t.Errorf("a logarithmic axis with ticks at the values: %v, with the middle at %s", d.XTicks, d.Across(d.XTicks[1].At))
	}
	many := make([]Series, 20)
	for i := range many {
		many[i] = Series{X: []float64{1, 2}, Y: []float64{1, 2}}
	}
	if d := Lines("title", "n", "time", many, label, label); len(d.Lines) != MostLines {
		t.Errorf("%d lines", len(d.Lines))
	}
}

// TestLinesOfStrangeValues: there are ticks, but not endlessly many, and nothing is drawn outside of the frame.
func TestLinesOfStrangeValues(t *testing.T) {
	strange := []float64{math.NaN(), math.Inf(-1), -1e308, -1, 0, 5e-324, 1e-310, 1, 1e17, 1e17 + 16, 1e199, 1e308,
		math.Inf(1)}
	for _, a := range strange {
		for _, b := range strange {
			d := Lines("title", "n", "time", []Series{{X: []float64{a, b}, Y: []float64{b, a}}}, label, label)
			points := within(t, d, d.Lines[0].Points)
			if len(d.XTicks) > 250 || strings.Contains(d.Lines[0].Points+d.Lines[0].Path, "N") {
				t.Errorf("%v and %v: %d ticks, points %s", a, b, len(d.XTicks), d.Lines[0].Points)
			}
			if (points == 0) != (d.Missing == "no time is known") {
				t.Errorf("%v and %v: %d points, and the frame says %q", a, b, points, d.Missing)
			}
		}
	}
}

func TestHeat(t *testing.T) {
	values := [][]float64{{1, 10}, {math.NaN(), 100}}
	h := NewHeat("title", "n", "m", []string{"8", "16"}, []string{"1", "2"}, values, label)
	cells := []HeatCell{h.Rows[0].Cells[0], h.Rows[0].Cells[1], h.Rows[1].Cells[1]}
	if !(cells[0].Heat < 0.1) || math.Abs(cells[1].Heat-0.5) > 1e-9 || !(cells[2].Heat > 0.9) || cells[2].Text != "100" {
		t.Errorf("colours of 1, 10 and 100: %v", cells)
	}
	if none := h.Rows[1].Cells[0]; none.Text != "" {
		t.Errorf("no value: %v", none)
	}
	page, err := Template("page", `{{template "heat" .}}`)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := page.Execute(&out, h); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<td style="--heat:0.50">10</td>`, `<td class="none"></td>`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
}

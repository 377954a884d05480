package comparepage

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"zonemark/driver/report/drawing"
)

// A page shows what it is given, and foreign text stays text.
func TestWrite(t *testing.T) {
	var out bytes.Buffer
	err := Write(&out, Page{
		Title: "old → <b>new</b>", Facts: []Fact{{"old", "<script>alert(1)</script>"}}, Notes: []string{"the machines differ"},
		Columns: []string{"name", "verdict"},
		Rows: []Row{
			{Cells: []string{"<i>f</i>", "slower"}, Class: "worse", Ratio: 1.2, Low: 1.1, High: 1.3, Details: []string{"dispatch d"}},
			{Cells: []string{"g", "broken"}, Ratio: math.NaN()},
		},
		Sections: []Section{{Title: "f over runs", Drawings: []drawing.Drawing{Draw(Trend{
			Title: "f", Unit: "time", Run: []float64{1, 2}, Value: []float64{100, 120}, Low: []float64{99, 119},
			High: []float64{101, 121},
		})}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{"&lt;script&gt;", "&lt;i&gt;f&lt;/i&gt;", `class="worse"`, "dispatch d", "the machines differ",
		"f over runs", "120.0 ns", `content="zonemark compare"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Count(page, `class="value"`) != 1 {
		t.Error(page)
	}
}

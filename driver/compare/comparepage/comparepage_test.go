package comparepage

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"zonemark/driver/report/drawing"
)

func written(t *testing.T, p Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A page shows what it is given, in the order of all pages, without empty columns, and foreign text stays text.
func TestWrite(t *testing.T) {
	page := written(t, Page{
		Card: drawing.Card{Title: "old → <b>new</b>", Place: "host, 2026-01-02", Headline: "1 slower", Warnings: []string{"the machines differ"},
			Facts: []drawing.Fact{{Name: "old", Text: "<script>alert(1)</script>"}, {Name: "nothing"}}},
		Columns: []Column{{Title: "name"}, {Title: "verdict", Class: "verdict"}, {Title: "code"}, {Title: "change", Class: "right"}},
		Rows: []Row{
			{Cells: []string{"<i>f</i>", "slower", "", "+20 %"}, Class: "worse", Ratio: 1.2, Low: 1.1, High: 1.3, Details: []string{"dispatch d"}},
			{Cells: []string{"a_long_name/of_a.dispatch", "broken", "", ""}, Ratio: math.NaN()},
		},
		Drawings: []drawing.Drawing{Draw(Trend{
			Title: "f", Unit: "time", Runs: []Run{{Day: "2026-01-02", Commit: "aaa"}, {Day: "2026-01-03", Commit: "bbb"}}, Run: []int{0, 1},
			Value: []float64{100, 120}, Low: []float64{99, 119}, High: []float64{101, 121}, Steps: []float64{0.5}, Notes: []string{"slower by 20 %"},
		})},
		Left: "5 more",
	})
	at := 0
	for _, want := range []string{
		"<title>old → &lt;b&gt;new&lt;/b&gt; — host, 2026-01-02</title>", `class="card"`, "1 slower", "the machines differ", "&lt;script&gt;",
		`class="worse more"`, "&lt;i&gt;f&lt;/i&gt;", `class="value"`, "dispatch d", `a_long_name/<wbr>of_a.dispatch`, "<h2", "120 ns",
		"2026-01-03", "bbb", "slower by 20\u00a0%", "5 more",
	} {
		next := strings.Index(page[at:], want)
		if next < 0 {
			t.Fatalf("no %s behind %.100s in the page:\n%s", want, page[at:], page)
		}
		at += next
	}
	if strings.Contains(page, "<script") || strings.Count(page, `class="value"`) != 1 || strings.Contains(page, ">code<") ||
		strings.Contains(page, "nothing") {
		t.Error(page)
	}
}

// The axis of a trend names runs by their days and commits, and no text touches another; the last run is named.
func TestDraw(t *testing.T) {
	for _, n := range []int{1, 2, 12, 1000} {
		trend := Trend{Unit: "cycles"}
		for i := range n {
			trend.Runs = append(trend.Runs, Run{Day: fmt.Sprintf("2026-01-%02d", i), Time: "03:00", Commit: fmt.Sprintf("%012x", i)})
			trend.Run, trend.Value = append(trend.Run, i), append(trend.Value, 1e6)
		}
		d := Draw(trend)
		if len(d.XTicks) == 0 || d.XTicks[0].Below != trend.Runs[n-1].Commit || n > 1 && d.XTicks[0].Text != trend.Runs[n-1].Day {
			t.Fatalf("%d runs: %+v", n, d.XTicks)
		}
		for i := 1; i < len(d.XTicks); i++ {
			if apart := d.XTicks[i-1].At - d.XTicks[i].At; apart < 12*6 { // letters of a commit
				t.Errorf("%d runs: texts are %.1f apart", n, apart)
			}
		}
	}
	day := Run{Day: "2026-01-02", Time: "03:00"}
	if d := Draw(Trend{Runs: []Run{day, day}, Run: []int{1}, Value: []float64{5}}); d.XTicks[0].Text != "03:00" {
		t.Errorf("runs of one day: %+v", d.XTicks)
	}
	if d := Draw(Trend{Unit: "time", Runs: []Run{day}}); d.Missing != "no time is known" || d.XTicks != nil {
		t.Errorf("a trend without values: %+v", d)
	}
}

// Small curves are in their frames, and what hardly changes looks flat.
func TestCurve(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, ""}, {[]float64{1}, ""}, {[]float64{1, 2}, "M2.0 18.0L118.0 2.0"}, {[]float64{0, 0}, ""}, {[]float64{1, math.Inf(1)}, ""},
		{[]float64{1000, 1000, 1000}, "M2.0 10.0L60.0 10.0L118.0 10.0"},
	} {
		if got := curveOf(c.values); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

// The line of marks holds the farthest ratio with its interval, but not an interval that is many times as wide.
func TestReach(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	p := Page{Rows: []Row{{Ratio: 1.1, Low: 0.98, High: 1.25}, {Ratio: math.NaN(), Low: 1, High: 90}}}
	if got := p.reach(); !near(got, 1.1*math.Log(1.25)) {
		t.Errorf("with an interval to 1.25: it reaches to %v", math.Exp(got))
	}
	p.Rows = append(p.Rows, Row{Ratio: 1, Low: 0.01, High: 100})
	if got := p.reach(); !near(got, 1.1*math.Log(1.25)) {
		t.Errorf("with an interval to 100: it reaches to %v", math.Exp(got))
	}
}

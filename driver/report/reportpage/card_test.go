package reportpage

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"zonemark/driver/report"
	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/stats"
)

// inOrder fails unless the texts stand in the page in this order.
func inOrder(t *testing.T, page string, texts ...string) {
	t.Helper()
	at := 0
	for _, want := range texts {
		next := strings.Index(page[at:], want)
		if next < 0 {
			t.Fatalf("no %q in the page behind %.200q", want, page[at:])
		}
		at += next + len(want)
	}
}

// cardOf returns the card of a page.
func cardOf(page string) string {
	_, card, _ := strings.Cut(page, `<section class="card">`)
	card, _, _ = strings.Cut(card, "</section>")
	return card
}

// TestSections: the result comes first, then tables, then pictures with their caveats below, then what was measured on.
func TestSections(t *testing.T) {
	run := exampleRun()
	run.Environment["host"] = "testhost"
	run.Complete = false
	run.Records = invocations.RecordsOf(append(recordstest.List(t, run.Records), working("known", 1e5))...)
	page := written(t, Source{Journal: "a.ndjson", Run: run, Peaks: somePeaks()})
	inOrder(t, page, "<title>a.ndjson — testhost, 2026-01-02</title>", `<section class="card">`, "a.ndjson", "testhost, 2026-01-02",
		"22 invocations: 15 ok", "clean", "Not complete", "fastest", "where", "when", `href="#groups"`, "</section>",
		`id="groups"`, `<table class="results"`, `id="all"`, `<table id="results"`, `id="times"`, `class="plot"`,
		"Points are medians", `id="peaks"`, `style="height:342px"`, "Solid roofs", `id="machines"`, "Example CPU")
	for _, link := range regexp.MustCompile(`href="#([a-z]+)"`).FindAllStringSubmatch(cardOf(page), -1) {
		if strings.Count(page, `id="`+link[1]+`"`) != 1 {
			t.Errorf("a link leads to %q, which the page does not have once", link[1])
		}
	}
}

// TestColumns: tables of a page have no empty columns, and as many names of columns in narrow windows as columns.
func TestColumns(t *testing.T) {
	page := written(t, Source{Run: exampleRun()})
	tables := regexp.MustCompile(`(?s)<table [^>]*results[^>]*>(.*?)</table>`).FindAllStringSubmatch(page, -1)
	if len(tables) != 5 {
		t.Fatalf("%d tables, want four groups and the results", len(tables))
	}
	for _, table := range tables {
		heads := len(regexp.MustCompile(`<th[ >]`).FindAllString(table[1], -1))
		full := make([]bool, heads)
		for _, row := range strings.Split(table[1], "<tr>")[2:] {
			cells := strings.Split(row, "<td")[1:]
			if len(cells) != heads {
				t.Fatalf("%d cells below %d titles: %s", len(cells), heads, row)
			}
			for i, cell := range cells {
				full[i] = full[i] || !regexp.MustCompile(`^[^>]*></td>`).MatchString(cell)
			}
		}
		for i, any := range full {
			if !any {
				t.Errorf("column %d is empty: %.300s", i+1, table[1])
			}
		}
	}
}

// TestCardOfSeveral: the card of several journals says what differs, and whose result is the fastest.
func TestCardOfSeveral(t *testing.T) {
	one := func(host string, ns float64) report.Run {
		r := measured(invocations.Invocation{ID: "0", Name: "f"}, ns, 3, 20)
		return report.Run{Complete: true, Environment: map[string]string{"host": host}, Started: time.Unix(1e9, 0),
			Records: invocations.RecordsOf(r)}
	}
	card := cardOf(written(t, Source{Journal: "a.ndjson", Run: one("x", 100)}, Source{Journal: "b.ndjson", Run: one("y", 50)}))
	inOrder(t, card, "a.ndjson, b.ndjson", "x, y, 2001-09-09", "2 invocations: 2 ok", "fastest", "(b.ndjson)", "slowest", "(a.ndjson)",
		"changed", "host; zonemark compare")
	third := one("x", 70)
	third.Started = third.Started.AddDate(0, 0, -2)
	page := written(t, Source{Journal: "a", Run: one("x", 100)}, Source{Journal: "b", Run: third}, Source{Journal: "c", Run: one("x", 50)})
	inOrder(t, page, "x, 2001-09-07 to 2001-09-09", "when", "2001-09-07</span> 01:46 UTC to ", `<td class="verdict">a</td>`,
		`<td class="verdict">b</td>`, `<td class="verdict">c</td>`)
	command := report.Run{Complete: true, Command: []string{"zonemark", "peaks"}, Records: one("x", 1).Records}
	inOrder(t, cardOf(written(t, Source{Run: command})), "<h1>zonemark peaks")
	none := cardOf(written(t, Source{}))
	if !strings.Contains(none, "There are no results.") || strings.Contains(none, "clean") {
		t.Errorf("the card of no results: %s", none)
	}
}

// TestSharedDrawings: lines of several journals share a drawing, each journal with dashes of its own; and points of one
// machine share a roofline, one for each type of numbers.
func TestSharedDrawings(t *testing.T) {
	run := exampleRun()
	charts, _ := chartsOf(loaded(t, []Source{{Journal: "a", Run: run}, {Journal: "b", Run: run}}...))
	lines := 0
	for _, c := range charts {
		if c.Lines == nil {
			continue
		}
		lines++
		if n := len(c.Lines.Lines); n != 4 || c.Lines.Lines[0].Class != "line0 set0" || c.Lines.Lines[2].Class != "line0 set1" ||
			!strings.HasSuffix(c.Lines.Legend[0], " a") || !strings.HasSuffix(c.Lines.Legend[3], " b") {
			t.Errorf("%d lines, of %q: %+v", n, c.Lines.Legend, c.Lines.Lines)
		}
	}
	if lines != 2 {
		t.Errorf("%d drawings of two families in two journals, want 2", lines)
	}
	var six []Source
	for i := range 6 {
		six = append(six, Source{Journal: string(rune('a' + i)), Run: run})
	}
	charts, _ = chartsOf(loaded(t, six...))
	lines = 0
	for _, c := range charts {
		if c.Lines != nil {
			lines++
			if c.Lines.Missing != "" || !strings.HasSuffix(c.Lines.Legend[0], map[bool]string{true: " a", false: " e"}[lines <= 2]) {
				t.Errorf("of six journals: %q, %s", c.Lines.Legend, c.Lines.Missing)
			}
		}
	}
	if lines != 4 {
		t.Errorf("%d drawings of two families in six journals, of which four share one", lines)
	}
	integers := working("integers", 1e5)
	integers.Arguments = []invocations.ArgumentRecord{{Element: invocations.Int8}}
	works := report.Run{Complete: true, Records: invocations.RecordsOf(working("floats", 1e5), integers)}
	list := rooflinesOf(loaded(t, []Source{{Journal: "a", Run: works, Peaks: somePeaks()}, {Journal: "b", Run: works, Peaks: somePeaks()}}...))
	if len(list) != 1 || len(list[0].Drawings) != 2 {
		t.Fatalf("%+v", list)
	}
	for i, element := range []string{"float32", "int8"} {
		d := list[0].Drawings[i]
		if d.Title != "Roofline of "+element || d.Dots[0].R <= d.Dots[1].R || len(d.Dots) != 2 || d.Dots[1].Set != 1 || len(d.Legend) != 2 {
			t.Errorf("%s: %+v", element, d)
		}
		for _, roof := range d.Roofs {
			if roof.AtEnd && !strings.HasPrefix(roof.Name, element) {
				t.Errorf("the roofline of %s has the roof %s", element, roof.Name)
			}
		}
	}
	var many []invocations.Record
	for range mostPoints {
		many = append(many, working("f", 1e5))
	}
	works.Records = invocations.RecordsOf(many...)
	crowded := rooflinesOf(loaded(t, []Source{{Journal: "a", Run: works, Peaks: somePeaks()}, {Journal: "b", Run: works, Peaks: somePeaks()}}...))
	if dots := crowded[0].Drawings[0].Dots; len(dots) != mostPoints || dots[mostPoints/2-1].Set != 0 || dots[mostPoints/2].Set != 1 {
		t.Errorf("of twice as many points as are drawn, not half are of each run: %d", len(dots))
	}
	other := list[0]
	if list = rooflinesOf(loaded(t, []Source{{Run: works, Peaks: somePeaks()}, {Run: works}}...)); len(list) != 2 || len(list[1].Drawings) != 0 ||
		len(list[1].Notes) != 1 || len(other.Notes) == 0 {
		t.Errorf("machines whose peaks differ: %+v", list)
	}
}

// TestComparedColumn: a group has the figure that its ratios are made of.
func TestComparedColumn(t *testing.T) {
	var records []invocations.Record
	for i, name := range []string{"slow", "fast"} {
		r := measured(invocations.Invocation{ID: name, Name: name, Group: "g"}, 1e3*float64(3-i), 5, 20)
		reference, ghz := *r.MedianNS/2, 3.5
		r.ReferenceNS, r.ReferenceAt = &reference, &ghz
		records = append(records, r)
	}
	list := invocations.RecordsOf(records...)
	run := report.Run{Complete: true, Records: list, Rankings: groupsOf(list)}
	if len(run.Rankings) != 1 || run.Rankings[0].Clock != rank.WallClock {
		t.Fatalf("%+v", run.Rankings)
	}
	if page := written(t, Source{Run: run}); strings.Contains(page, "3.5 GHz</th>") {
		t.Error("ratios are made of medians, and the group shows another figure")
	}
	run.Rankings[0].Clock = rank.ReferenceClock
	inOrder(t, written(t, Source{Run: run}), "median</th>", "at 3.5 GHz</th>", "±</th>", "ratio</th>", report.Time(*records[1].ReferenceNS),
		report.Time(*records[0].ReferenceNS))
}

// TestByNameOfSeveral: what several journals have measured stands together, and a row has the details of its own journal.
func TestByNameOfSeveral(t *testing.T) {
	var sources []Source
	for i, journal := range []string{"a", "b"} {
		var records []invocations.Record
		for _, name := range []string{"f10", "f9"} {
			records = append(records, measured(invocations.Invocation{ID: name, Name: name}, 100*float64(i+1), 2, 20))
		}
		sources = append(sources, Source{Journal: journal, Run: report.Run{Complete: true, Records: invocations.RecordsOf(records...)}})
	}
	page := written(t, sources...)
	inOrder(t, page, `id="id-f9-1"`, `id="id-f9-2"`, `id="id-f10-1"`, `id="id-f10-2"`)
	for i, d := range checked(t, page).Details {
		if first := d.Median < 150; first != (i%2 == 0) {
			t.Errorf("row %d has a median of %v", i+1, d.Median)
		}
	}
}

// TestEndsOf: an interval far beyond all others does not press these into a corner of the scale; those near it are whole.
func TestEndsOf(t *testing.T) {
	row := func(ratio, low, high float64) stats.Row { return stats.Row{Ratio: ratio, Low: low, High: high} }
	near := []stats.Row{row(1, math.NaN(), math.NaN()), row(1.001, 0.98, 1.02), row(1.15, 1.04, 1.22)}
	if low, high := endsOf(near); low != 0.98 || high != 1.22 {
		t.Errorf("from %v to %v", low, high)
	}
	if low, high := endsOf(append(near, row(11.8, 1.5, 95))); low != 0.98 || high != 11.8 {
		t.Errorf("with an interval up to 95: from %v to %v", low, high)
	}
	if low, high := endsOf([]stats.Row{row(1, 0, 0), row(1, 0.9, 1.1)}); low != 0.9 || high != 1.1 {
		t.Errorf("of equal variants: from %v to %v", low, high)
	}
}

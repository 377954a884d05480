package comparing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/driver/compare"
	"zonemark/driver/compare/comparepage"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
)

// mostTrends is the number of trends that a page draws large. All that have steps are among them; the others are drawn
// beside their rows only.
const mostTrends = 60

// axisCommit is the number of digits of a commit at an axis.
const axisCommit = 7

// trendPage makes the page of all trends.
func trendPage(machines []machineHistory) comparepage.Page {
	p := comparepage.Page{
		Card: drawing.Card{Title: "History", Links: []drawing.Link{{ID: "rows", Text: "Measurements"}}},
		Columns: []comparepage.Column{{Title: "name"}, {Title: "change", Class: "right"}, {Title: "steps", Class: "right"},
			{Title: "first", Class: "right extra"}, {Title: "latest", Class: "right extra"}, {Title: "runs", Class: "right extra"},
			{Title: "on", Class: "extra"}},
	}
	slower, faster, all, left := 0, 0, 0, 0
	var first, last *compare.Set
	for i := range machines {
		m := &machines[i]
		from, to := m.runs[0], m.runs[len(m.runs)-1]
		if first == nil || from.Started.Before(first.Started) {
			first = from
		}
		if last == nil || to.Started.After(last.Started) {
			last = to
		}
		p.Card.Facts = append(p.Card.Facts, drawing.Fact{Name: "where", Text: report.Printable(m.name) + ": " +
			report.Counted(len(m.runs), "run")})
		on := ""
		if len(machines) > 1 {
			on = report.Printable(cmp.Or(from.Environment["host"], m.name))
		}
		for _, s := range m.ordered() {
			all++
			name := report.Printable(seriesName(s))
			row := comparepage.Row{Cells: []string{name, percent(whole(s)), countOf(s.Steps), shownValue(s, s.Points[0].Value),
				shownValue(s, s.Points[len(s.Points)-1].Value), fmt.Sprint(len(s.Points)), on}}
			trend, missing := m.trendOf(s)
			for k := range s.Steps {
				text := report.Printable(m.stepText(s, &s.Steps[k]))
				row.Details, trend.Notes = append(row.Details, text), append(trend.Notes, text)
			}
			if missing != "" {
				row.Details = append(row.Details, missing)
			}
			row.Class = classOf(latest(s))
			switch row.Class {
			case "worse":
				slower++
			case "better":
				faster++
			}
			row.Trend = trend.Value
			p.Rows = append(p.Rows, row)
			switch {
			case len(trend.Value) == 0: // the row says why
			case len(s.Steps) > 0 || len(p.Drawings) < mostTrends:
				p.Drawings = append(p.Drawings, comparepage.Draw(trend))
			default:
				left++
			}
		}
	}
	var counts []string
	for _, c := range []struct {
		n    int
		what string
	}{{slower, "slower since the last step"}, {faster, "faster since the last step"}, {all - slower - faster, "without a step"}} {
		if c.n > 0 {
			counts = append(counts, report.Grouped(int64(c.n))+" "+c.what)
		}
	}
	p.Card.Headline = report.Counted(all, "measurement") + ": " + strings.Join(counts, ", ")
	environment := first.Environment
	if len(machines) > 1 {
		environment = map[string]string{"host": report.Counted(len(machines), "machine")}
	}
	p.Card.Place = report.Place(environment, first.Started)
	if to := report.Day(last.Started); to != "" && to != report.Day(first.Started) {
		p.Card.Place += " to " + to
	}
	p.Card.Facts = append(p.Card.Facts, drawing.Fact{Name: "when", Text: runText(first, false) + " to " + runText(last, false)},
		drawing.Fact{Name: "slowest", Text: mostChanged(machines, compare.Slower)},
		drawing.Fact{Name: "fastest", Text: mostChanged(machines, compare.Faster)})
	if len(p.Drawings) > 0 {
		p.Card.Links = append(p.Card.Links, drawing.Link{ID: "pictures", Text: "Trends"})
	}
	if left > 0 {
		p.Left = report.Counted(left, "more trend") + " without a step are drawn beside their rows only."
	}
	return p
}

func countOf[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprint(len(list))
}

// mostChanged names the greatest step with a verdict; empty if there is none.
func mostChanged(machines []machineHistory, verdict compare.Verdict) string {
	text, size := "", 0.0
	for i := range machines {
		m := &machines[i]
		for _, s := range m.ordered() {
			for k := range s.Steps {
				if step := &s.Steps[k]; step.Verdict == verdict && math.Abs(logOf(step.Ratio)) > size {
					size = math.Abs(logOf(step.Ratio))
					text = report.Printable(seriesName(s) + ": " + m.stepText(s, step))
				}
			}
		}
	}
	return text
}

// trendOf returns the trend of a series, or why it has no values. Values that do not count are left out.
func (m *machineHistory) trendOf(s *compare.Series) (t comparepage.Trend, missing string) {
	t = comparepage.Trend{Title: report.Printable(seriesName(s)), Unit: "time"}
	if s.By == compare.ByCycles {
		t.Unit = "cycles"
	}
	for _, r := range m.runs {
		run := comparepage.Run{Day: report.Day(r.Started), Commit: report.Printable(r.Commit[:min(len(r.Commit), axisCommit)])}
		if !r.Started.IsZero() {
			run.Time = r.Started.UTC().Format("15:04")
		}
		t.Runs = append(t.Runs, run)
	}
	for _, p := range s.Points {
		if p.Note != "" {
			missing = cmp.Or(missing, "no run counts: "+report.Printable(p.Note))
			continue
		}
		t.Run, t.Value = append(t.Run, p.Run), append(t.Value, p.Value)
		t.Low, t.High = append(t.Low, p.Value*(1-p.Half)), append(t.High, p.Value*(1+p.Half))
	}
	for _, step := range s.Steps {
		t.Steps = append(t.Steps, float64(s.Points[step.Before].Run+s.Points[step.After].Run)/2)
	}
	slices.Sort(t.Steps)
	if len(t.Value) > 0 {
		missing = ""
	}
	return t, missing
}

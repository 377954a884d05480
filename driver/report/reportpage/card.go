package reportpage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations"
)

// titleOf returns the title of the page: journals or, without any, the command, and their hosts and dates.
func titleOf(sources []Source) (title, place string) {
	var names []string
	for _, s := range sources {
		if s.Journal != "" {
			names = append(names, s.Journal)
		}
	}
	if len(names) == 0 {
		names = []string{"zonemark report"}
		if len(sources) == 1 && len(sources[0].Run.Command) > 1 {
			names[0] = "zonemark " + sources[0].Run.Command[1]
		}
	}
	parts := []string{few(distinct(sources, (*Source).host), ""), span(distinct(sources, (*Source).day))}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return report.Printable(few(names, "journal")), report.Printable(strings.Join(parts, ", "))
}

// span returns the first and the last of several dates.
func span(dates []string) string {
	if len(dates) < 2 {
		return strings.Join(dates, "")
	}
	return slices.Min(dates) + " to " + slices.Max(dates)
}

// few lists at most three texts, and counts further ones.
func few(list []string, noun string) string {
	if len(list) > 3 {
		list = append(slices.Clone(list[:2]), report.Counted(len(list)-2, strings.TrimSpace("other "+noun)))
	}
	return strings.Join(list, ", ")
}

func (s *Source) host() string { return s.Run.Environment["host"] }

func (s *Source) day() string { return report.Day(s.Run.Started) }

// distinct returns the different texts of sources, in order of appearance, without empty ones.
func distinct(sources []Source, of func(*Source) string) (list []string) {
	for i := range sources {
		if text := of(&sources[i]); text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// card returns what the page begins with. The tables and drawings of the page are known.
func (p *page) card(sources []Source) drawing.Card {
	c := drawing.Card{Headline: countsOf(sources) + trustOf(sources)}
	c.Title, c.Place = titleOf(sources)
	for _, m := range p.Machines {
		c.Warnings = append(c.Warnings, m.Warnings...)
	}
	facts := p.fastest(sources)
	if headline, found := tuned(sources); headline != "" {
		facts = append(found, drawing.Fact{Name: "measured", Text: c.Headline})
		c.Headline = headline
	}
	c.Facts = slices.Concat(facts, []drawing.Fact{
		{Name: "where", Text: report.Printable(few(distinct(sources, (*Source).where), "machine"))},
		{Name: "when", Text: span(distinct(sources, (*Source).when))},
		{Name: "changed", Text: changed(sources), Differs: false},
	})
	for _, l := range []struct {
		shown    bool
		id, text string
	}{
		{len(p.Rankings) > 0, "groups", "Groups"}, {len(p.Rows) > 0, "all", "Results"}, {len(p.Charts) > 0, "times", "Times over parameters"},
		{len(p.Rooflines) > 0, "peaks", "Peaks of the machine"}, {len(p.Machines) > 0, "machines", "Machine and command"},
	} {
		if l.shown {
			c.Links = append(c.Links, drawing.Link{ID: l.id, Text: l.text})
		}
	}
	return c
}

// trustOf says how many results are clean. Those that a race has dropped are slower, which is no flaw: they are counted
// apart, and beside them those with flaws.
func trustOf(sources []Source) string {
	n, clean, dropped := 0, 0, 0
	for _, s := range sources {
		for i := range s.records {
			r := &s.records[i]
			if n++; r.Status != invocations.OK || len(r.Verdicts) != 1 {
				continue
			}
			switch r.Verdicts[0] {
			case invocations.Clean:
				clean++
			case invocations.Slower:
				dropped++
			}
		}
	}
	switch {
	case n == 0:
		return ""
	case dropped == 0:
		return fmt.Sprintf("; %s clean", report.Grouped(int64(clean)))
	}
	text := ""
	for _, part := range []struct {
		count int
		what  string
	}{{clean, "clean"}, {dropped, "dropped by a race as slower"}, {n - clean - dropped, "with flaws"}} {
		if part.count > 0 {
			text += fmt.Sprintf(", %s %s", report.Grouped(int64(part.count)), part.what)
		}
	}
	return ";" + text[1:]
}

// where says on which machine a run was.
func (s *Source) where() string {
	e := s.Run.Environment
	words := []string{e["host"], e["cpu"]}
	if e["cpus"] != "" {
		words = append(words, e["cpus"]+" CPUs")
	}
	if e["kernel"] != "" {
		words = append(words, "kernel "+e["kernel"])
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "; ")
}

func (s *Source) when() string {
	if s.Run.Started.IsZero() {
		return ""
	}
	return s.Run.Started.UTC().Format("2006-01-02 15:04 UTC")
}

// changed names what differs between the machines of runs; empty if there is one run.
func changed(sources []Source) string {
	if len(sources) < 2 {
		return ""
	}
	keys := slices.Sorted(maps.Keys(differing(sources)))
	text := "nothing of what the journals say about machines; "
	if len(keys) > 0 {
		text = report.Printable(strings.Join(keys, ", ")) + "; "
	}
	return text + "zonemark compare says what became faster or slower"
}

// mostGroups is the number of groups whose fastest variant the card names.
const mostGroups = 3

// fastest names the fastest variants of groups or, without groups, the fastest and the slowest of several results.
func (p *page) fastest(sources []Source) (facts []drawing.Fact) {
	for _, r := range p.Rankings[:min(mostGroups, len(p.Rankings))] {
		if !r.Decided {
			facts = append(facts, drawing.Fact{Name: "fastest", Text: r.Title + ": " + r.Note})
			continue
		}
		text := r.Rows[0].Name + ", " + cmp.Or(r.Rows[0].Compared, r.Rows[0].Median)
		if len(r.Rows) > 1 && r.Rows[1].Drawn {
			text += fmt.Sprintf("; the next one, %s, takes %s times as long", r.Rows[1].Name, r.Rows[1].Ratio)
		}
		facts = append(facts, drawing.Fact{Name: "fastest", Text: r.Title + ": " + text})
	}
	if more := len(p.Rankings) - mostGroups; more > 0 {
		facts = append(facts, drawing.Fact{Name: "fastest", Text: "of " + report.Counted(more, "more group") + ": see below"})
	}
	if len(facts) > 0 {
		return facts
	}
	var first, last *invocations.Record
	whose := map[*invocations.Record]string{}
	for _, s := range sources {
		for i := range s.records {
			r := &s.records[i]
			if r.Status != invocations.OK || !r.Timed() {
				continue
			}
			if len(sources) > 1 {
				whose[r] = " (" + s.name() + ")"
			}
			if first == nil || *r.MedianNS < *first.MedianNS {
				first = r
			}
			if last == nil || *r.MedianNS > *last.MedianNS {
				last = r
			}
		}
	}
	switch {
	case first == nil:
		return nil
	case first == last:
		return []drawing.Fact{{Name: "time", Text: timeOf(first)}}
	}
	return []drawing.Fact{{Name: "fastest", Text: report.Printable(first.Name) + ", " + timeOf(first) + whose[first]},
		{Name: "slowest", Text: report.Printable(last.Name) + ", " + timeOf(last) + whose[last]}}
}

// timeOf returns the time of a record that was judged, with its interval.
func timeOf(r *invocations.Record) string {
	c := report.CellsOf(r)
	if by := report.ReferenceTitle(slices.Values([]*invocations.Record{r})); by != "" {
		return c.AtReference + " " + by + " ± " + c.Judged
	}
	return c.Median + " ± " + c.Judged
}

// countsOf says how many invocations there are and how they ended.
func countsOf(sources []Source) string {
	n := 0
	count := map[invocations.Status]int{}
	var others []invocations.Status // of a later zonemark
	for _, s := range sources {
		for i := range s.records {
			n++
			status := s.records[i].Status
			if count[status]++; count[status] == 1 && !slices.Contains(invocations.Statuses[:], status) {
				others = append(others, status)
			}
		}
	}
	var parts []string
	for _, status := range append(invocations.Statuses[:], others...) {
		if count[status] > 0 {
			n := report.Grouped(int64(count[status]))
			parts = append(parts, n+" "+report.Printable(string(status)))
		}
	}
	if n == 0 {
		return "There are no results."
	}
	return report.Counted(n, "invocation") + ": " + strings.Join(parts, ", ")
}

// tableOf names the columns of the results for narrow windows. The figures that everybody reads need no name.
func tableOf(columns []column) drawing.Table {
	t := drawing.Table{ID: "results"}
	for _, c := range columns {
		switch c.Title {
		case medianTitle, verdictTitle, journalTitle:
			t.Titles = append(t.Titles, "")
		default:
			t.Titles = append(t.Titles, c.Title)
		}
	}
	return t
}

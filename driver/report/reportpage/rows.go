package reportpage

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/report"
	"zonemark/invocations"
)

// column is a column of the table of results.
type column struct {
	Title string
	Right bool // it holds numbers
}

// row is a row of the table of results.
type row struct {
	ID    string // of the invocation, with the number of the journal if there are several
	Name  string
	Words string // see words, one a line
	Cells []cell
}

// cell is a text with the number by which the column is sorted; empty if the text sorts.
type cell struct {
	Text, Sort string
	Class      string
}

// figure is what a column of the table shows.
type figure struct {
	title string
	right bool // it holds numbers
	text  func(*listed) string
	sort  func(*listed) *float64
}

// listed is a record in the table.
type listed struct {
	*invocations.Record
	report.Cells
	journal string
	number  int // of the journal, from 1; 0: there is only one
}

// figures returns the columns of the table. by is the title of that with the time at the reference clock; "": there is
// none.
func figures(by string) []figure {
	number := func(get func(*invocations.Record) *float64) func(*listed) *float64 {
		return func(l *listed) *float64 { return get(l.Record) }
	}
	return []figure{
		{medianTitle, true, func(l *listed) string { return l.Median },
			number(func(r *invocations.Record) *float64 { return r.MedianNS })},
		{by, true, func(l *listed) string {
			if by == "" {
				return ""
			}
			return l.AtReference
		}, number(func(r *invocations.Record) *float64 { return r.ReferenceNS })},
		{withinTitle, true, func(l *listed) string { return l.Judged }, number(relativeWidth)},
		{verdictTitle, false, (*listed).verdict, nil},
		{journalTitle, false, func(l *listed) string { return l.journal }, nil},
		{"mode", false, func(l *listed) string { return string(l.Mode) }, nil},
		{"min", true, func(l *listed) string { return l.Cells.Min },
			number(func(r *invocations.Record) *float64 { return r.MinNS })},
		{"p90", true, func(l *listed) string { return l.P90 },
			number(func(r *invocations.Record) *float64 { return r.P90NS })},
		{"FLOP/s", true, func(l *listed) string { return l.Cells.FLOPPerS },
			number(func(r *invocations.Record) *float64 { return r.FLOPPerS })},
		{"byte/s", true, func(l *listed) string { return l.Cells.BytePerS },
			number(func(r *invocations.Record) *float64 { return r.BytePerS })},
		{"instructions", true, func(l *listed) string { return l.Instructions },
			number(func(r *invocations.Record) *float64 {
				if v, counted := r.Counters["instructions"]; counted {
					return &v
				}
				return nil
			})},
		{"IPC", true, func(l *listed) string { return l.IPC }, nil},
		{"simulated cycles", true, func(l *listed) string { return l.Cells.Cycles },
			number(func(r *invocations.Record) *float64 { return asNumber(r.SimulatedCycles) })},
		{"launches", true, func(l *listed) string { return l.Cells.Launches },
			number(func(r *invocations.Record) *float64 { return asNumber(r.Launches) })},
		{"quiet", true, func(l *listed) string { return l.Quiet },
			number(func(r *invocations.Record) *float64 { return r.QuietShare })},
		{"wall/CPU", true, func(l *listed) string { return l.WallCPU }, nil},
	}
}

// Titles of columns that stand first in narrow windows.
const (
	medianTitle, withinTitle   = "median", "±"
	verdictTitle, journalTitle = "verdict", "journal"
)

// verdict returns the verdicts or, without a time, the status with its reason.
func (l *listed) verdict() string {
	if l.Reason != "" {
		return string(l.Status) + ": " + l.Reason
	}
	return l.Verdict
}

func (l *listed) flawed() bool {
	return l.Status != invocations.OK || l.Reason == "" && isFlaw(l.Verdict)
}

// isFlaw reports whether a verdict says that something was wrong. A race that has dropped a variant has done its work.
func isFlaw(verdict string) bool {
	return verdict != string(invocations.Clean) && verdict != string(invocations.Slower)
}

// relativeWidth returns the width of the interval of the figure that was judged, relative to it.
func relativeWidth(r *invocations.Record) *float64 {
	value, low, high := r.MedianNS, r.CILowNS, r.CIHighNS
	if r.Reference().Known() {
		value, low, high = r.ReferenceNS, r.ReferenceLo, r.ReferenceHi
	}
	if low == nil || high == nil || value == nil || !(*value > 0) {
		return nil
	}
	width := (*high - *low) / *value
	return &width
}

func asNumber[T int | int64](p *T) *float64 {
	if p == nil {
		return nil
	}
	v := float64(*p)
	return &v
}

// rowsOf returns the table of results, without columns that say nothing: those that are empty, and journal and mode if
// there is only one.
func rowsOf(list []listed) ([]column, []row) {
	var columns []column
	var shown []figure
	for _, f := range figures(report.ReferenceTitle(recordsOf(list))) {
		if (f.title == journalTitle || f.title == "mode") && allEqual(list, f.text) {
			continue
		}
		if slices.ContainsFunc(list, func(l listed) bool { return f.text(&l) != "" }) {
			columns, shown = append(columns, column{f.title, f.right}), append(shown, f)
		}
	}
	rows := make([]row, len(list))
	for i := range list {
		rows[i] = list[i].row(shown)
	}
	return columns, rows
}

// recordsOf iterates over the records of a list.
func recordsOf(list []listed) iter.Seq[*invocations.Record] {
	return func(yield func(*invocations.Record) bool) {
		for i := range list {
			if !yield(list[i].Record) {
				return
			}
		}
	}
}

// listOf returns the records of all sources, in order of their names: what several journals have measured stands together.
func listOf(sources []Source) []listed {
	var list []listed
	for n, s := range sources {
		number := n + 1
		if len(sources) == 1 {
			number = 0
		}
		for i := range s.records {
			r := &s.records[i]
			list = append(list, listed{r, report.CellsOf(r), s.name(), number})
		}
	}
	if len(sources) > 1 {
		slices.SortStableFunc(list, func(a, b listed) int { return compareNames(a.Record.Name, b.Record.Name) })
	}
	return list
}

func allEqual(list []listed, text func(*listed) string) bool {
	for i := range list {
		if text(&list[i]) != text(&list[0]) {
			return false
		}
	}
	return true
}

func (l *listed) row(shown []figure) row {
	out := row{ID: report.Printable(l.ID), Name: report.Printable(l.Name)}
	if l.number > 0 {
		out.ID += "-" + strconv.Itoa(l.number)
	}
	for _, f := range shown {
		c := cell{Text: report.Printable(f.text(l)), Class: f.class(l)}
		if f.sort != nil && c.Text != "" {
			if v := f.sort(l); v != nil {
				c.Sort = strconv.FormatFloat(*v, 'g', -1, 64)
			}
		}
		out.Cells = append(out.Cells, c)
	}
	out.Words = strings.Join(words(l.Record), "\n")
	return out
}

// class returns the classes of a cell for the style of the page.
func (f *figure) class(l *listed) string {
	switch {
	case f.title == verdictTitle && l.flawed():
		return "verdict warn"
	case f.title == verdictTitle || f.title == journalTitle:
		return "verdict"
	case f.title == medianTitle || f.title == withinTitle || strings.HasPrefix(f.title, "at "):
		return "right"
	case f.right:
		return "right extra"
	}
	return "extra"
}

// words returns the words by which a row can be chosen: its status if that is not ok, else its verdicts.
func words(r *invocations.Record) []string {
	if r.Status != invocations.OK {
		return []string{report.Printable(string(r.Status))}
	}
	var all []string
	for _, v := range r.Verdicts {
		all = append(all, report.Printable(string(v)))
	}
	return all
}

// choice is an entry of the list by which rows are chosen.
type choice struct {
	Word string
	N    int
}

// choicesOf returns the words that rows have, in order of appearance, with the number of rows.
func choicesOf(sources []Source) []choice {
	var all []choice
	at := map[string]int{}
	for _, s := range sources {
		for i := range s.records {
			for _, word := range words(&s.records[i]) {
				if _, there := at[word]; !there {
					at[word] = len(all)
					all = append(all, choice{Word: word})
				}
				all[at[word]].N++
			}
		}
	}
	return all
}

package comparing

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"zonemark/driver/compare"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
)

// shownOfEach is how many rows of a verdict that asks for nothing the text shows.
const shownOfEach = 40

// text writes the comparison for people: what is slower first.
func (c *comparison) text(w io.Writer, width int, all bool) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "old  %s\nnew  %s\n", report.Printable(c.before.Source), report.Printable(c.after.Source))
	for _, n := range c.notes() {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	b.WriteByte('\n')
	rows, hidden := c.shown(all)
	t := &texttable.Table{Columns: []texttable.Column{
		{Title: "name", Name: true}, {Title: "old", Right: true}, {Title: "new", Right: true},
		{Title: "change", Right: true}, {Title: "95 % interval", Right: true}, {Title: "verdict"},
		{Title: "by", Spare: true}, {Title: "code", Spare: true},
	}}
	for _, r := range rows {
		t.Add(report.Printable(fullName(r)), value(r, r.OldValue), value(r, r.NewValue), percent(r.Ratio), interval(r),
			verdictText(r), string(r.By), string(r.Code))
	}
	if err := t.Write(b, width); err != nil {
		return err
	}
	if hidden > 0 {
		fmt.Fprintf(b, "  and %s more that are not worse; --all shows them\n", report.Grouped(int64(hidden)))
	}
	for _, r := range rows {
		details(b, r)
	}
	fmt.Fprintf(b, "\n%s.\n", c.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// shown returns the rows in the order of their verdicts, without those beyond a page of each verdict that is not worse.
func (c *comparison) shown(all bool) (rows []compare.Row, hidden int) {
	rows = slices.Clone(c.rows)
	slices.SortStableFunc(rows, func(a, b compare.Row) int {
		if n := cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict)); n != 0 {
			return n
		}
		return cmp.Compare(math.Abs(logOf(b.Ratio)), math.Abs(logOf(a.Ratio)))
	})
	if all {
		return rows, 0
	}
	count, found := map[compare.Verdict]int{}, len(rows)
	rows = slices.DeleteFunc(rows, func(r compare.Row) bool {
		count[r.Verdict]++
		return !isWorse(r.Verdict) && count[r.Verdict] > shownOfEach
	})
	return rows, found - len(rows)
}

// isWorse reports whether rows of a verdict are bad news.
func isWorse(v compare.Verdict) bool {
	return v == compare.Broken || v == compare.Slower || v == compare.Missing
}

func logOf(ratio float64) float64 {
	if !(ratio > 0) {
		return 0
	}
	return math.Log(ratio)
}

// details writes what a row has beside its cells.
func details(b *strings.Builder, r compare.Row) {
	if len(r.Dispatches) == 0 && len(r.Notes) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", report.Printable(fullName(r)))
	for _, n := range r.Notes {
		fmt.Fprintf(b, "  %s\n", report.Printable(n))
	}
	for _, d := range r.Dispatches {
		fmt.Fprintf(b, "  dispatch %s: %s\n", report.Printable(d.Name), dispatchText(d))
	}
}

func dispatchText(d compare.DispatchChange) string {
	switch {
	case d.OldNS == 0:
		return "new, " + report.Time(d.NewNS) + " a call"
	case d.NewNS == 0:
		return "gone, was " + report.Time(d.OldNS) + " a call"
	}
	sign := "+"
	if d.ChangeNS() < 0 {
		sign = "-"
	}
	return fmt.Sprintf("%s → %s (%s, %s%s a call)", report.Time(d.OldNS), report.Time(d.NewNS),
		percent(d.NewNS/d.OldNS), sign, report.Time(math.Abs(d.ChangeNS())))
}

// fullName is the name of a row with the parameters that the name does not tell.
func fullName(r compare.Row) string {
	m := r.New
	if m == nil {
		m = r.Old
	}
	var more []string
	for _, p := range strings.Fields(m.Parameters) {
		if _, v, _ := strings.Cut(p, "="); !strings.Contains(r.Name, v) {
			more = append(more, p)
		}
	}
	return strings.Join(append([]string{r.Name}, more...), " ")
}

// value shows a time, or cycles.
func value(r compare.Row, v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case r.By == compare.ByCycles:
		return report.Grouped(int64(math.Round(v)))
	}
	return report.Time(v)
}

// percent shows a ratio as a change: "+2.3 %".
func percent(ratio float64) string {
	switch change := 100 * (ratio - 1); {
	case math.IsNaN(ratio), math.IsInf(ratio, 0):
		return ""
	case math.Abs(change) < 9.95:
		return fmt.Sprintf("%+.2f %%", change)
	case math.Abs(change) < 99.5:
		return fmt.Sprintf("%+.1f %%", change)
	case math.Abs(change) < 1e6:
		return fmt.Sprintf("%+.0f %%", change)
	default:
		return fmt.Sprintf("%+.1e %%", change)
	}
}

func interval(r compare.Row) string {
	if r.By == "" || math.IsInf(r.High, 0) {
		return ""
	}
	return strings.TrimSuffix(percent(r.Low), " %") + " to " + percent(r.High)
}

// verdictText is the verdict, for an undecided row with what would have been found.
func verdictText(r compare.Row) string {
	if r.Verdict != compare.Undecided || math.IsNaN(r.Detectable) || math.IsInf(r.Detectable, 0) {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s (would find %s)", r.Verdict, strings.TrimPrefix(percent(1+r.Detectable), "+"))
}

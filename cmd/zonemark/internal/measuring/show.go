package measuring

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/combine"
	"zonemark/driver/report"
	"zonemark/invocations"
)

// shownBytes is the memory that showing a plan of a million invocations should take.
const shownBytes = 128 << 20

// shownPlan writes what would be measured, in aligned columns.
type shownPlan struct {
	*planScan
	widths [8]int
}

// ShowPlan lists what would be measured, instead of measuring it. It returns the number of invocations, and of those
// that will fail.
func (m *Measurement) ShowPlan(ctx context.Context, w io.Writer) (count, failing int, err error) {
	cli.RelaxCollectorWithin(shownBytes) // little is held
	asked, err := m.provided(ctx)
	if err != nil {
		return 0, 0, err
	}
	outline, err := m.outline(ctx, asked)
	if err != nil {
		return 0, 0, err
	}
	s := &shownPlan{planScan: m.scan(outline)}
	if err := s.look(ctx, s.widen); err != nil {
		return 0, 0, err
	}
	if s.check.groups.anyAlone() {
		s.widen(&invocations.Invocation{}) // with the text for its launches
	}
	m.warn(outline.Warnings)
	if s.division != nil {
		m.note("%s\n%s", s.division, s.division.Share(int(m.Shard)))
	}
	return s.write(ctx, w)
}

// widen makes the columns as wide as the row of an invocation needs. Each group is taken to have several invocations
// until all are known.
func (s *shownPlan) widen(inv *invocations.Invocation) {
	shown := *inv
	if shown.Group != "" && shown.Measure.Launches == 0 {
		shown.Measure.Launches = groupLaunches
	}
	for k, cell := range planRow(&shown) {
		s.widths[k] = max(s.widths[k], utf8.RuneCountInString(cell))
	}
}

// write writes the table. It returns the number of invocations, and of those that will fail. The last column, the
// reason why an invocation will not run, has no title. The column of limits is left out if all invocations have the
// usual ones.
func (s *shownPlan) write(ctx context.Context, w io.Writer) (count, failing int, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	titles := planTitles()
	for k, title := range titles {
		if k < limitsColumn || s.widths[k] > 0 {
			s.widths[k] = max(s.widths[k], len(title))
		} else {
			titles[k] = ""
		}
	}
	s.line(out, titles, "")
	for p, err := range s.kept(ctx) {
		if err != nil {
			return 0, 0, err
		}
		count++
		p.Invocation.ID = fmt.Sprintf("%016x", s.ids[p.place])
		end := ""
		if p.Verdict != "" {
			end = report.Printable(fmt.Sprintf("%s: %s", p.Verdict, p.Reason))
		}
		if p.Verdict == invocations.Failed || p.Verdict == invocations.Skipped && s.asksFor(p.Invocation.Function) {
			failing++
		}
		s.line(out, planRow(&p.Invocation), end)
	}
	return count, failing, out.Flush()
}

// line writes one line of the table. A failed write is an error of Flush.
func (s *shownPlan) line(out *bufio.Writer, cells [8]string, end string) {
	for k, cell := range cells {
		if s.widths[k] == 0 {
			continue
		}
		_, _ = out.WriteString(cell)
		for range s.widths[k] + 2 - utf8.RuneCountInString(cell) {
			_ = out.WriteByte(' ')
		}
	}
	_, _ = out.WriteString(end)
	_ = out.WriteByte('\n')
}

// planTitles are the titles of the columns of a plan.
func planTitles() [8]string {
	return [8]string{"id", "name", "runtime", "function", "mode", "launches", "group", "limits"}
}

// limitsColumn is the position of the column of limits.
const limitsColumn = 7

// planRow returns the cells of an invocation in the columns of planTitles.
func planRow(inv *invocations.Invocation) [8]string {
	return [8]string{inv.ID, report.Printable(inv.Name), inv.Runtime, report.Printable(inv.Function),
		string(inv.Measure.Mode), launchesText(inv.Measure), report.Printable(inv.Group), limitsText(inv.Limits)}
}

// limitsText returns the limits of an executor as a plan shows them, "" if they are the usual ones.
func limitsText(l invocations.Limits) string {
	var parts []string
	if l.MemoryBytes > 0 {
		parts = append(parts, "memory "+report.Bytes(l.MemoryBytes))
	}
	if l.Threads > 0 && l.Threads != invocations.DefaultThreads {
		parts = append(parts, fmt.Sprintf("threads %d", l.Threads))
	}
	if l.BuildNS > 0 { // somebody has chosen the timeout
		parts = append(parts, fmt.Sprintf("timeout %v", time.Duration(l.TimeoutNS)))
	}
	if l.Profile != "" {
		parts = append(parts, "profile "+l.Profile)
	}
	allowed := slices.Clone(l.Allow)
	for _, pattern := range l.Devices {
		files, _ := filepath.Glob(pattern) // the patterns of runtimes are well formed
		allowed = append(allowed, files...)
	}
	for _, path := range allowed {
		parts = append(parts, "allow "+report.Printable(path))
	}
	return strings.Join(parts, ", ")
}

// launchesText returns the number of launches of an invocation as a plan shows it.
func launchesText(m invocations.Measure) string {
	switch {
	case m.CheckOnly:
		return "1"
	case m.Launches > 0:
		return fmt.Sprint(m.Launches)
	}
	return fmt.Sprintf("%d or more", combine.LeastLaunches)
}

// showPlan lists the plan instead of carrying it out. It returns the exit status that measuring would have at best.
func (m *Measurement) showPlan(ctx context.Context) int {
	count, failing, err := m.ShowPlan(ctx, m.Out)
	switch {
	case ctx.Err() != nil:
		return m.Fail("interrupted; nothing was measured")
	case err != nil:
		return m.Fail("%v", err)
	case failing > 0:
		m.note("%d invocations, of which %d will fail; nothing was measured (--dry-run)", count, failing)
		return cli.ExitNotOK
	}
	m.note("%d invocations; nothing was measured (--dry-run)", count)
	return cli.ExitOK
}

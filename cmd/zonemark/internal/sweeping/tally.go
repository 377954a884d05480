package sweeping

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// tally counts what became of configurations.
type tally struct {
	ok, clean, notApplied int
	failures              map[invocations.Status]int
	between               []float64 // of each result of several hosts: their standard deviation, as a share of the median
}

// add counts a result.
func (t *tally) add(r *invocations.Record) {
	if r.Status != invocations.OK {
		if t.failures == nil {
			t.failures = map[invocations.Status]int{}
		}
		t.failures[r.Status]++
		return
	}
	t.ok++
	if r.BetweenHostsNS != nil && r.MedianNS != nil && *r.MedianNS > 0 {
		t.between = append(t.between, *r.BetweenHostsNS / *r.MedianNS)
	}
	if slices.Equal(r.Verdicts, []invocations.Verdict{invocations.Clean}) {
		t.clean++
	}
}

// copy returns the tally as it is now.
func (t *tally) copy() tally {
	c := *t
	c.failures = maps.Clone(t.failures)
	return c
}

// since returns what was counted after an earlier state of the tally.
func (t *tally) since(before tally) tally {
	d := tally{ok: t.ok - before.ok, clean: t.clean - before.clean, notApplied: t.notApplied - before.notApplied,
		between: t.between[len(before.between):]}
	for status, n := range t.failures {
		if n -= before.failures[status]; n > 0 {
			if d.failures == nil {
				d.failures = map[invocations.Status]int{}
			}
			d.failures[status] = n
		}
	}
	return d
}

// text says what was counted: "36 rows measured, 34 of them clean, 2 not applied, 1 crashed; hosts differ by 1.2 %, at
// most by 5 %".
func (t *tally) text() string {
	text := fmt.Sprintf("%s measured, %s of them clean", countRows(t.ok), report.Grouped(int64(t.clean)))
	if t.notApplied > 0 {
		text += fmt.Sprintf(", %s not applied", report.Grouped(int64(t.notApplied)))
	}
	var failures []string
	for status, n := range t.failures {
		failures = append(failures, fmt.Sprintf(", %s %s", report.Grouped(int64(n)), status))
	}
	slices.Sort(failures)
	text += strings.Join(failures, "")
	if len(t.between) > 0 {
		text += fmt.Sprintf("; hosts differ by %s, at most by %s", report.Percent(stats.Median(t.between)),
			report.Percent(slices.Max(t.between)))
	}
	return text
}

// status returns the exit status that the results justify.
func (t *tally) status() int {
	if len(t.failures) > 0 {
		return cli.ExitNotOK
	}
	return cli.ExitOK
}

func countRows(n int) string { return report.Counted(n, "row") }

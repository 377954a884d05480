package sweeping

import (
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/invocations"
)

// TestTally checks what is told of results, and that a failure shows in the exit status.
func TestTally(t *testing.T) {
	t.Parallel()
	var all tally
	add := func(status invocations.Status, verdicts ...invocations.Verdict) {
		all.add(&invocations.Record{Status: status, Verdicts: verdicts})
	}
	add(invocations.OK, invocations.Clean)
	add(invocations.OK, invocations.Contended)
	all.notApplied++
	want := "2 rows measured, 1 of them clean, 1 not applied"
	if got := all.text(); got != want || all.status() != cli.ExitOK {
		t.Errorf("%q, status %d; want %q", got, all.status(), want)
	}
	before := all.copy()
	add(invocations.Crashed)
	add(invocations.Timeout)
	add(invocations.Crashed)
	want = "2 rows measured, 1 of them clean, 1 not applied, 1 timeout, 2 crashed"
	if got := all.text(); got != want || all.status() != cli.ExitNotOK {
		t.Errorf("%q, status %d; want %q", got, all.status(), want)
	}
	since := all.since(before)
	if got, want := since.text(), "0 rows measured, 0 of them clean, 1 timeout, 2 crashed"; got != want {
		t.Errorf("since: %q, want %q", got, want)
	}
}

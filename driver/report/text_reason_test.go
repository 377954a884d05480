package report

import (
	"strings"
	"testing"
)

// A long reason fits a cell: its begin and its end are shown, and where the whole message is.
func TestFittedReason(t *testing.T) {
	message := "does not compile:\n" + strings.Repeat("a line of a compiler\n", 100) + "; say by --flag what to do"
	var kept string
	run := Run{Whole: func(message string) string { kept = message; return "/cache/m.txt" }}
	got := run.fitted(Printable(message), message)
	if len(got) > longestReason+len(" … (all 2143 characters are in /cache/m.txt)") || kept != message ||
		!strings.HasPrefix(got, "does not compile: a line") || !strings.Contains(got, "say by --flag what to do (all ") ||
		!strings.HasSuffix(got, "characters are in /cache/m.txt)") || strings.Contains(got, "\n") {
		t.Errorf("%d characters: %s", len(got), got)
	}
	kept = ""
	if got := run.fitted("short", "short"); got != "short" || kept != "" {
		t.Errorf("%q, kept %q", got, kept)
	}
	run.Whole = func(string) string { return "" }
	if got := run.fitted(Printable(message), message); got != Printable(message) {
		t.Errorf("a message that cannot be kept: %s", got)
	}
	if got := (Run{}).fitted(message, message); got != message {
		t.Error("a report that keeps nothing cuts a message")
	}
}

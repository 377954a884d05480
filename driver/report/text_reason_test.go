package report

import (
	"strings"
	"testing"

	"zonemark/invocations"
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

// The command that an error ends with stands below the table, once.
func TestCommandsOfReasons(t *testing.T) {
	for message, want := range map[string][2]string{
		"no shape; give it: zonemark run a --param n=1": {"no shape; give it", "zonemark run a --param n=1"},
		"no type\n  zonemark run a --input 4xf32":       {"no type", "zonemark run a --input 4xf32"},
		"of zonemark run":                  {"of zonemark run", ""},
		"a: zonemark setup\nor do nothing": {"a: zonemark setup\nor do nothing", ""},
		"none":                             {"none", ""},
	} {
		if reason, command := apart(message); reason != want[0] || command != want[1] {
			t.Errorf("%q: %q, %q", message, reason, command)
		}
	}
	a := invocations.Record{Name: "a", Status: invocations.Failed, Error: "no type\n  zonemark run a --input 4xf32"}
	b := a
	b.Name = "b"
	var text strings.Builder
	if err := writeText(&text, Run{Records: invocations.RecordsOf(a, b), Complete: true}); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); strings.Count(got, "  zonemark run") != 1 || !strings.Contains(got, "\nto mend it:\n  zonemark run a --input 4xf32\n") {
		t.Error(got)
	}
}

package combine

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestSandboxNote: a row says that the sandbox lengthens its calls if that is more than a hundredth of their time.
func TestSandboxNote(t *testing.T) {
	of := func(ns float64) []invocations.Count {
		return []invocations.Count{{Name: "page_faults", PerCall: 50}, {Name: invocations.CountSandboxNS, PerCall: ns}}
	}
	for _, c := range []struct {
		name   string
		counts []invocations.Count
		ns     float64
		want   string
	}{
		{"calls of the system", of(7), 82, "about 8.5 %"},
		{"one call of the system in much work", of(7), 10000, ""},
		{"a hundredth", of(1), 100, ""},
		{"no such count", of(7)[:1], 82, ""},
	} {
		note := sandboxNote(c.counts, c.ns)
		if (note == "") != (c.want == "") || !strings.Contains(note, c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, note, c.want)
		}
	}
}

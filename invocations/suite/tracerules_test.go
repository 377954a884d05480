package suite

import (
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestSuiteTraceRules checks that rules come in the order of the file, and that a suite may hold nothing but rules.
func TestSuiteTraceRules(t *testing.T) {
	s, err := ParseText("s.toml", "trace_rules = [\n  '^run (?P<invocation>\\d+)$',\n  \"^k_(?P<dispatch>.*)\",\n]\n",
		nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{`^run (?P<invocation>\d+)$`, `^k_(?P<dispatch>.*)`}; !slices.Equal(s.TraceRules, want) {
		t.Errorf("rules %q", s.TraceRules)
	}
	if _, err := s.Expand(invocations.Invocation{}, nil); err == nil || !strings.Contains(err.Error(),
		"s.toml: nothing to measure") {
		t.Errorf("expanded without an invocation: %v", err)
	}
}

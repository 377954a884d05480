package invocations

import (
	"slices"
	"strings"
	"testing"
)

func TestParseTraceRule(t *testing.T) {
	rule, err := ParseTraceRule(`^run (?P<invocation>\d+)(?:: (?<dispatch>\w+))?`)
	if err != nil {
		t.Fatal(err)
	}
	if got := rule.FindStringSubmatch("run 17: gemm"); !slices.Equal(got, []string{"run 17: gemm", "17", "gemm"}) {
		t.Errorf("captured %q", got)
	}
	for text, want := range map[string]string{
		"(":                                "error parsing regexp",
		"":                                 "names neither",
		`^run (\d+)`:                       "names neither",
		`(?P<id>\d+)`:                      "no group is called id",
		`(?P<dispatch>a)(?P<Invocation>b)`: "no group is called Invocation",
	} {
		if _, err := ParseTraceRule(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "trace rule") {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestSuiteTraceRules: rules come in the order of the file, and a suite that holds nothing else is for captures only.
func TestSuiteTraceRules(t *testing.T) {
	s, err := ParseSuiteText("s.toml", "trace_rules = [\n  '^run (?P<invocation>\\d+)$',\n  \"^k_(?P<dispatch>.*)\",\n]\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{`^run (?P<invocation>\d+)$`, `^k_(?P<dispatch>.*)`}; !slices.Equal(s.TraceRules, want) {
		t.Errorf("rules %q", s.TraceRules)
	}
	if _, err := s.Expand(Invocation{}, nil); err == nil || !strings.Contains(err.Error(), "s.toml: nothing to measure") {
		t.Errorf("expanded without an invocation: %v", err)
	}
}

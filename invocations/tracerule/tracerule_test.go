package tracerule

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	rule, err := Parse(`^run (?P<invocation>\d+)(?:: (?<dispatch>\w+))?`)
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
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(),
			"trace rule") {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

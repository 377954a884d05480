package suite

import (
	"slices"
	"strings"
	"testing"
)

// TestSuiteVia checks the hosts of a suite, and that a mistake is told with its line.
func TestSuiteVia(t *testing.T) {
	const rest = "\n[[invocation]]\nartifact = \"a.hat\"\n"
	s, err := ParseText("s.toml", `via = ["ssh a", 'sh -c "b"']`+rest, nil)
	if err != nil || !slices.Equal(s.Via, []string{"ssh a", `sh -c "b"`}) {
		t.Errorf("%v, %q", err, s.Via)
	}
	s, err = ParseText("s.toml", "spread = true"+rest, nil)
	if err != nil || !s.Spread {
		t.Errorf("%v, spread %t", err, s.Spread)
	}
	for text, want := range map[string]string{
		`spread = "yes"` + rest:                      "s.toml:1: spread: is a text; write true or false",
		"[defaults]\nspread = true" + rest:           "s.toml:2: defaults.spread: belongs to the suite as a whole",
		`via = "ssh a"` + rest:                       "s.toml:1: via: is a text; write an array of texts",
		"via = []" + rest:                            "s.toml:1: via: is empty: write a command or remove it",
		"via = [\n  \"ssh a\",\n  3]" + rest:         "s.toml:3: via: holds an integer; want texts in quotes",
		"via = [\"ssh a\", \" \"]" + rest:            "s.toml:1: via: holds an empty command; write one that runs a shell",
		"[defaults]\nvia = [\"ssh a\"]" + rest:       "s.toml:2: defaults.via: belongs to the suite as a whole",
		"[[invocation]]\nvia = [\"ssh a\"]\n" + rest: "s.toml:2: invocation.via: belongs to the suite as a whole",
	} {
		if _, err := ParseText("s.toml", text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

package cli

import (
	"strings"
	"testing"
)

func TestChosen(t *testing.T) {
	for list, want := range map[string]string{
		"tt": "tt", "iree,tt": "iree tt", "all": "tt iree",
		"tt,tt":    "--runtime tt,tt: tt is there twice",
		"tt,ire":   `--runtime tt,ire: these are tt and iree; all stands for each of them; did you mean "iree"`,
		"":         "--runtime : these are tt and iree",
		"all,tt":   "these are tt and iree",
		"tt,iree,": "these are tt and iree",
	} {
		chosen, err := Chosen("--runtime", list, []string{"tt", "iree"}, "these are tt and iree")
		got := strings.Join(chosen, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%q: %s, want %s", list, got, want)
		}
	}
}

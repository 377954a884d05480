package hatbench

import (
	"slices"
	"strings"
	"testing"
)

// Forms of older tools become forms that pflag accepts.
func TestRewriteArguments(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"a.hat --functions f g":              "a.hat --functions=f --functions=g",
		"--functions f g a.hat":              "--functions=f --functions=g a.hat",
		"a.hat --functions f --quiet g":      "a.hat --functions=f --quiet g",
		"a.hat --functions --store_in_hat":   "a.hat --functions --store_in_hat",
		"a.hat --verbose False":              "a.hat --verbose",
		"--verbose a.hat":                    "--verbose a.hat",
		"a.hat --functions=f --batch_size 3": "a.hat --functions=f --batch_size 3",
	} {
		args := strings.Fields(given)
		before := slices.Clone(args)
		if got := strings.Join(rewriteArguments(args), " "); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
		if !slices.Equal(args, before) {
			t.Errorf("%s: the arguments were changed in place", given)
		}
	}
}

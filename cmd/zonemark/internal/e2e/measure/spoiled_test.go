package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
	"zonemark/invocations/testsize"
)

// TestSpoiledState runs functions that check the rounding mode, the treatment of denormal numbers and the CPUs of their
// thread after other functions have changed these. The other function is the reference in the same launch or, if
// nothing is timed, an earlier invocation in the same process. One that changes the control bits of arithmetic fails.
func TestSpoiledState(t *testing.T) {
	hat := e2e.Testdata(t, "measuring", "measuring.hat")
	suite := ""
	for _, c := range [][3]string{
		{"binds", "rounds_and_binds", "ones"},
		{"rounds", "rounds", "ones"},
		{"rounds after", "rounds", "rounds_and_binds"},
		{"binds after", "rounds_and_binds", "rounds_and_binds"},
		{"right after", "ones", "rounds_and_binds"},
		{"spoils", "rounds_and_spoils", "ones"},
		{"spoiled after", "rounds", "rounds_and_spoils"},
	} {
		suite += fmt.Sprintf("[[invocation]]\nname = %q\nartifact = %q\nfunction = %q\nverify = { reference = %q }\n",
			c[0], hat, c[1], c[2])
	}
	path := filepath.Join(t.TempDir(), "suite.toml")
	if err := os.WriteFile(path, []byte(suite), 0o644); err != nil {
		t.Fatal(err)
	}
	ways := [][]string{
		{"--launches", "2", "--min-time", "4ms", "--max-time", "100ms"},
		{"--check", "--seed", "1"}, // in other orders
		{"--check", "--seed", "2"},
		{"--check", "--seed", "3"},
	}
	for _, args := range ways[:testsize.Of(2, len(ways))] {
		journal := filepath.Join(t.TempDir(), "journal")
		all := append([]string{"run", path, "-q", "-o", journal}, args...)
		if out, status := e2e.Output(t, e2e.Command(t, all...)); status != 2 {
			t.Fatalf("%v: status %d\n%s", args, status, out)
		}
		rows := e2e.Recorded(t, journal)
		if len(rows) != 7 {
			t.Errorf("%v: %d results", args, len(rows))
		}
		for name, r := range rows {
			want, reason := invocations.OK, ""
			if strings.HasPrefix(name, "spoil") {
				want, reason = invocations.Failed, "the function does not keep "
			}
			if r.Status != want || !strings.Contains(r.Error, reason) {
				t.Errorf("%v: %s: %s %s", args, name, r.Status, r.Error)
			}
		}
	}
}

package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
)

// TestSpoiledState runs functions that check the rounding mode, the treatment of denormal numbers and the CPUs of their
// thread after other functions have changed these. The other function is the reference in the same launch or, if
// nothing is timed, an earlier invocation in the same process.
func TestSpoiledState(t *testing.T) {
	hat := e2e.Testdata(t, "measuring", "measuring.hat")
	suite := ""
	for _, c := range [][3]string{
		{"spoils", "rounds_and_spoils", "ones"},
		{"rounds", "rounds", "ones"},
		{"rounds after", "rounds", "rounds_and_spoils"},
		{"spoils after", "rounds_and_spoils", "rounds_and_spoils"},
		{"right after", "ones", "rounds_and_spoils"},
	} {
		suite += fmt.Sprintf("[[invocation]]\nname = %q\nartifact = %q\nfunction = %q\nverify = { reference = %q }\n",
			c[0], hat, c[1], c[2])
	}
	path := filepath.Join(t.TempDir(), "suite.toml")
	if err := os.WriteFile(path, []byte(suite), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--launches", "2", "--min-time", "4ms", "--max-time", "100ms"},
		{"--check", "--seed", "1"}, // in other orders
		{"--check", "--seed", "2"},
		{"--check", "--seed", "3"},
	} {
		rows := e2e.Measured(t, append([]string{"run", path}, args...)...)
		if len(rows) != 5 {
			t.Errorf("%v: %d results", args, len(rows))
		}
		for name, r := range rows {
			if r.Status != invocations.OK {
				t.Errorf("%v: %s: %s %s", args, name, r.Status, r.Error)
			}
		}
	}
}

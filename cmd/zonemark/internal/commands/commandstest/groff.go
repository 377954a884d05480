// Package commandstest checks manual pages for tests.
package commandstest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"zonemark/invocations/testneeds"
)

// Groff checks in a subtest that groff finds nothing wrong with the manual pages of these names in a folder. The subtest
// is skipped where groff is not installed; in CI it fails.
func Groff(t *testing.T, folder string, names []string) {
	t.Helper()
	t.Run("groff", func(t *testing.T) {
		groff, err := exec.LookPath("groff")
		testneeds.Missing(t, err)
		for _, name := range names {
			out, err := exec.Command(groff, "-man", "-ww", "-z", "-Tutf8", filepath.Join(folder, name)).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	})
}

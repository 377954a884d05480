// Package plugintest compiles our own PJRT plugin, which the tests of several packages load. It is for tests only.
package plugintest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Compile compiles the plugin and returns its path, which exists until the test ends. source is the path of
// testdata/plugin.c from the test's folder, flags are further flags of the C compiler. The test is skipped if there is
// no compiler, and fails in CI.
func Compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("PJRT plugins are not loaded on Windows")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	out := filepath.Join(t.TempDir(), "plugin.so")
	args := append([]string{"-shared", "-fPIC", "-O1", "-o", out, source}, flags...)
	if message, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", source, err, message)
	}
	return out
}

// Package dltest compiles what the tests of several packages load: stand-ins for PJRT plugins and simulators. It is for
// tests only.
package dltest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"zonemark/invocations/testneeds"
)

// Compile compiles a C file into a shared library and returns its path, which exists until the test ends. flags are
// further flags of the C compiler. The test is skipped if there is no compiler, and fails in CI.
func Compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	cc := Compiler(t)
	out := filepath.Join(t.TempDir(), "plugin.so")
	args := append([]string{"-shared", "-fPIC", "-O1", "-o", out, source}, flags...)
	if message, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", source, err, message)
	}
	return out
}

// Compiler returns the path of the C compiler. The test is skipped if there is none, and fails in CI.
func Compiler(t testing.TB) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	testneeds.Missing(t, err)
	return cc
}

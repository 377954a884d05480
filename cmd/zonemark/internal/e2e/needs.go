package e2e

import (
	"fmt"
	"os/exec"
	"testing"

	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/testneeds"
)

// NeedsCompiler skips a test if there is no C compiler. In CI there must be one.
func NeedsCompiler(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		testneeds.Missing(t, err)
	}
}

// NeedsIREE skips a test if a part of IREE is not installed: the packages, a shared libpython, the compiler, and the
// parts whose variables are in more. In CI, all parts must be installed, except a C runtime that cannot be built.
func NeedsIREE(t testing.TB, more ...string) {
	t.Helper()
	setuptest.IREE(t)
	for _, variable := range append([]string{setup.LibPythonVariable, setup.CompileVariable}, more...) {
		if variable == setup.CAPIVariable {
			setuptest.CAPI(t)
		} else if setuptest.Getenv(variable) == "" {
			testneeds.Missing(t, fmt.Errorf("IREE is installed without what %s names", variable))
		}
	}
}

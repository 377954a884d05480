package setuptest

import (
	"runtime"
	"testing"

	"zonemark/driver/setup"
	"zonemark/invocations/testneeds"
)

// Halide returns the Python environment with Halide.
func Halide(t testing.TB) setup.Halide {
	t.Helper()
	halide, err := found.halide()
	testneeds.Missing(t, err)
	return halide
}

// Hexagon returns the variables, NAME=VALUE, that name what links and runs pipelines for Hexagon. Other machines than
// those with Linux on x86-64 have no such tools, so that the test is skipped there.
func Hexagon(t testing.TB) []string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("pipelines for Hexagon are linked on Linux on x86-64 only, and this is %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	compiler, err := setup.FindHexagonCompiler(options())
	testneeds.Missing(t, err)
	emulator, err := setup.FindHexagonEmulator(options())
	testneeds.Missing(t, err)
	return []string{setup.HexagonCompilerVariable + "=" + compiler, setup.HexagonEmulatorVariable + "=" + emulator}
}

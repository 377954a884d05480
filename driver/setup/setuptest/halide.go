package setuptest

import (
	"testing"

	"zonemark/driver/setup"
)

// Halide returns the Python environment with Halide.
func Halide(t testing.TB) setup.Halide {
	t.Helper()
	halide, err := found.halide()
	Missing(t, err)
	return halide
}

// Hexagon returns the variables, NAME=VALUE, that name what links and runs pipelines for Hexagon. The test is skipped if
// they are not there, also in continuous integration: zonemark does not install the emulator.
func Hexagon(t testing.TB) []string {
	t.Helper()
	compiler, err := setup.FindHexagonCompiler(options())
	if err != nil {
		t.Skip(err)
	}
	emulator, err := setup.FindHexagonEmulator(options())
	if err != nil {
		t.Skip(err)
	}
	return []string{setup.HexagonCompilerVariable + "=" + compiler, setup.HexagonEmulatorVariable + "=" + emulator}
}

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

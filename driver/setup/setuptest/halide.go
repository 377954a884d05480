package setuptest

import (
	"errors"
	"os"
	"testing"

	"zonemark/driver/environ"
)

// halideVariable names a Python interpreter that has Halide's package.
const halideVariable = "ZONEMARK_HALIDE_PYTHON"

// Halide returns the path of a Python interpreter that can import Halide's package.
func Halide(t testing.TB) string {
	t.Helper()
	path := environ.OfProcess().Lookup(halideVariable)
	if path == "" {
		Missing(t, errors.New("there is no Halide: "+halideVariable+" names no Python interpreter with its package"))
	}
	_, err := os.Stat(path)
	Missing(t, err)
	return path
}

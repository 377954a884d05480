// Package halide tests Halide's pipelines, benchmarks and tunings, with the installed Halide.
package halide

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }

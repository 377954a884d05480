// Package pjrt tests programs and models on PJRT plugins and on simulators: XLA's for the CPU, and stand-ins.
package pjrt

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }

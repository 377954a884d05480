package e2e

import (
	"testing"

	"zonemark/executor/dl/dltest"
)

// PretendPlugin compiles a stand-in for a PJRT plugin, which does what a program's text says.
func PretendPlugin(t testing.TB, flags ...string) string {
	t.Helper()
	return dltest.Compile(t, Top(t, "executor", "tt", "testdata", "plugin.c"), flags...)
}

// SimulatorStandIn compiles the stand-in for Tenstorrent's simulator.
func SimulatorStandIn(t testing.TB, flags ...string) string {
	t.Helper()
	return dltest.Compile(t, Top(t, "executor", "ttsim", "testdata", "simulator.c"), flags...)
}

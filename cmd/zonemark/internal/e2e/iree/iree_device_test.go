package iree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// needsVulkan skips a test if Vulkan has no device. Mesa's software driver is one, which CI installs.
func needsVulkan(t testing.TB) {
	t.Helper()
	e2e.NeedsIREE(t, setup.ToolsVariable)
	if runtime.GOOS != "linux" {
		t.Skip("Mesa's software driver for Vulkan is installed on Linux only")
	}
	tool := filepath.Join(setuptest.Getenv(setup.ToolsVariable), "iree-run-module")
	if out, err := exec.Command(tool, "--list_devices=vulkan").Output(); err != nil ||
		!strings.Contains(string(out), "vulkan://") {
		testneeds.Missing(t, errors.New("Vulkan has no device here: Debian's package mesa-vulkan-drivers brings one"))
	}
}

// TestIREEVulkan measures MLIR on Vulkan, without a flag beside the device. The device's own clock times the dispatches.
// A capture, which does not show them, is no partial trace. Each run compiles for Vulkan and again for the device, so the
// small size has one.
func TestIREEVulkan(t *testing.T) {
	needsVulkan(t)
	output := filepath.Join(t.TempDir(), "run.ndjson")
	measured := func(status int, flags ...string) invocations.Record {
		t.Helper()
		_ = os.Remove(output)
		e2e.Runs(t, status, slices.Concat([]string{"run", "--device", "vulkan", "-o", output, "--min-time", "1ms",
			"--max-time", "100ms", "--launches", "1"}, flags)...)
		for _, r := range e2e.Journal(t, output) {
			if slices.Contains(r.Verdicts, invocations.PartialTrace) ||
				slices.Contains(r.Verdicts, invocations.Contended) {
				t.Errorf("verdicts %v, notes %q", r.Verdicts, r.Notes)
			}
			return r
		}
		t.Fatalf("%q: no result", flags)
		return invocations.Record{}
	}
	mlp, softmax := e2e.Example(t, "mlp.mlir"), e2e.Example(t, "softmax.mlir")
	r := measured(cli.ExitOK, mlp)
	if len(r.Dispatches) != 3 || r.DispatchSource != invocations.ByProfiler || r.DeviceNS == nil || r.HostNS == nil ||
		r.TracedNS == nil {
		t.Fatalf("%+v", r)
	}
	busy := 0.0
	for _, d := range r.Dispatches {
		busy += *d.MinNS
		if d.Workgroups < 1 || !strings.HasPrefix(d.Name, "mlp_dispatch_") || *d.MinNS <= 0 {
			t.Errorf("%+v", d)
		}
	}
	if *r.DeviceNS < busy || *r.DeviceNS > *r.TracedNS {
		t.Errorf("the device took %v ns of %v ns, with dispatches of %v ns", *r.DeviceNS, *r.TracedNS, busy)
	}
	out := e2e.Runs(t, cli.ExitError, "run", mlp, "--device", "vulkan", "--mode", "dispatch")
	if !strings.Contains(out, "single dispatches run on the CPU") {
		t.Errorf("dispatches alone:\n%s", out)
	}
	if !testsize.Large() {
		return
	}
	r = measured(cli.ExitOK, mlp, "--dispatches", "tracy")
	if r.DispatchSource != invocations.NoSource || !slices.ContainsFunc(r.Notes, func(note string) bool {
		return strings.Contains(note, "they ran on device vulkan")
	}) {
		t.Errorf("source %q, notes %q", r.DispatchSource, r.Notes)
	}
	measured(cli.ExitOK, softmax, "--dispatches", "off", "--input", "128x1024xf32=1",
		"--expected-output", "128x1024xf32=0.0009765625")
	if r := measured(cli.ExitNotOK, softmax, "--dispatches", "off", "--input", "128x1024xf32=1",
		"--expected-output", "128x1024xf32=0.5"); r.Status != invocations.Mismatch {
		t.Errorf("wrong results are %s", r.Status)
	}
}

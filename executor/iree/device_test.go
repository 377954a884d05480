package iree

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/iree/targets"
	"zonemark/invocations/remedy"
)

// dumped returns what iree-run-module --dump_devices prints of a driver with two devices.
func dumped(t *testing.T, driver string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("targets", "testdata", driver+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withTool returns an installation whose tool prints the text as what devices report.
func withTool(t *testing.T, dump string) Installation {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the tool of this test is a script of a Unix shell")
	}
	folder := t.TempDir()
	script := "#!/bin/sh\ncat <<'END'\n" + dump + "END\n"
	if err := os.WriteFile(filepath.Join(folder, runModule), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return Installation{Tools: folder}
}

// MLIR is compiled for the device that is asked for, unless the user has chosen a target.
func TestTargets(t *testing.T) {
	cuda, hip := withTool(t, dumped(t, "cuda")), withTool(t, dumped(t, "hip"))
	for _, c := range []struct {
		in            Installation
		device, flags string
		want          []string // one for each target, flags separated by spaces
	}{
		{Installation{}, "", "", []string{strings.Join(targets.Defaults(), " ")}},
		{Installation{}, "vulkan", "--iree-opt-level=O3", []string{"--iree-hal-target-device=vulkan --iree-opt-level=O3"}},
		{Installation{}, "vulkan://0", "", []string{"--iree-hal-target-device=vulkan"}},
		{Installation{}, "vulkan", "--iree-hal-target-backends=vulkan-spirv",
			[]string{"--iree-hal-target-backends=vulkan-spirv"}},
		{Installation{}, "other", "--iree-hal-target-device=other", []string{"--iree-hal-target-device=other"}},
		{Installation{}, "cuda", "--iree-cuda-target=sm_75",
			[]string{"--iree-hal-target-backends=cuda --iree-cuda-target=sm_75"}},
		{cuda, "cuda://GPU-0002", "", []string{
			"--iree-hal-target-backends=cuda --iree-cuda-target=sm_86",
			"--iree-hal-target-backends=cuda --iree-cuda-target=sm_80",
			"--iree-hal-target-backends=cuda --iree-cuda-target=sm_75",
			"--iree-hal-target-backends=cuda --iree-cuda-target=sm_70",
			"--iree-hal-target-backends=cuda --iree-cuda-target=sm_60",
		}},
		{hip, "hip", "--x", []string{"--iree-hal-target-backends=rocm --iree-rocm-target=gfx942 --x"}},
	} {
		list, err := c.in.targets(t.Context(), map[string]string{optionDevice: c.device, optionCompileFlags: c.flags})
		var got []string
		for _, flags := range list {
			got = append(got, strings.Join(flags, " "))
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q, %v; want %q", c.device, c.flags, got, err, c.want)
		}
	}
	for _, c := range []struct {
		in           Installation
		device, want string
	}{
		{Installation{}, "other", "does not know how to compile"},
		{Installation{}, "cpu", "IREE calls this device local-task"},
		{Installation{}, "cuda", "; install iree"},
		{withTool(t, ""), "hip", "no devices here; name it with --compile-flags"},
	} {
		if _, err := c.in.targets(t.Context(), map[string]string{optionDevice: c.device}); err == nil ||
			!strings.Contains(remedy.Told(err, nil), c.want) {
			t.Errorf("%s: %v, want %q", c.device, err, c.want)
		}
	}
}

// A GPU that is newer than the compiler gets code for the newest one that the compiler knows, and the compiler is asked
// only once.
func TestCompileForUnknownGPU(t *testing.T) {
	in := compiler(t)
	in.Tools = withTool(t, strings.ReplaceAll(dumped(t, "cuda"), "9.0", "99.0")).Tools
	source := writeSource(t, "tiny.mlir", tinyModule)
	o := executor.DescribeOptions{Cache: t.TempDir(), Options: map[string]string{optionDevice: "cuda"}}
	first, err := compile(t.Context(), source, o, in)
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(first)
	if err != nil || !strings.Contains(string(code), ".target sm_89") {
		t.Errorf("the module holds no code for sm_89 (%v)", err)
	}
	unknown, err := filepath.Glob(filepath.Join(o.Cache, "iree", "*.unknown"))
	if err != nil || len(unknown) != 1 {
		t.Errorf("unknown targets: %q, %v", unknown, err)
	}
	if again, err := compile(t.Context(), source, o, in); err != nil || again != first {
		t.Errorf("the same source is %s, then %s: %v", first, again, err)
	}
}

// Auto takes the first way of running that has the driver; the others say what they lack.
func TestChooseByDevice(t *testing.T) {
	in := compiler(t)
	for _, c := range []struct{ provider, device, want, err string }{
		{"", "vulkan", ProviderPython, ""},
		{ProviderPython, "vulkan", ProviderPython, ""},
		{ProviderDispatch, "vulkan", "", "run on the CPU"},
		{ProviderDispatch, "", ProviderDispatch, ""},
	} {
		by, err := in.choose(map[string]string{OptionProvider: c.provider, optionDevice: c.device})
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) || c.err == "" && err != nil {
			t.Errorf("%s on %s: %v, want %q", c.provider, c.device, err, c.err)
		}
		if err == nil && by.name() != c.want {
			t.Errorf("%s on %s: %s, want %s", c.provider, c.device, by.name(), c.want)
		}
	}
	if in.CAPI == "" {
		return
	}
	if err := (capiProvider{in.CAPI}).unusable("local-task"); err != nil {
		t.Error(err)
	}
	if err := (capiProvider{in.CAPI}).unusable("cuda"); err == nil || !strings.Contains(err.Error(), "local-sync") {
		t.Errorf("a library without CUDA: %v", err)
	}
	nothing := Installation{}
	var unsupported *executor.UnsupportedError
	if _, err := nothing.choose(map[string]string{optionDevice: "vulkan"}); !errors.As(err, &unsupported) {
		t.Errorf("nothing is installed: %v", err)
	}
}

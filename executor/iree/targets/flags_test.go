package targets

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

// A suite may be a stranger's: its flags of the compiler name no files and load nothing.
func TestCheckForeign(t *testing.T) {
	for _, good := range []string{
		"", "--iree-llvmcpu-target-cpu=host", "--iree-hal-target-device=local --iree-opt-level=O3",
		"--iree-vulkan-target=rdna3", "--iree-llvmcpu-target-cpu-features=+avx512f,-fma",
	} {
		if err := CheckForeign(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"x", "@file", "-o=x", "-I=x", "--load-pass-plugin=x.so", "--iree-plugin=x", "--iree-hal-dump-executable-files-to=x",
		"--iree-llvmcpu-system-linker-path=x", "--mlir-print-ir-tree-dir=x", "--iree-codegen-x=a/b",
		"--iree-codegen-transform-dialect-library=x", "--iree-opt-import-parameters=x",
	} {
		if err := CheckForeign(bad); err == nil {
			t.Errorf("%s is let through", bad)
		}
	}
}

func TestParse(t *testing.T) {
	for option, want := range map[string][]string{
		"":                       Defaults(),
		"  --iree-opt-level=O3 ": append(Defaults(), "--iree-opt-level=O3"),
		"--iree-llvmcpu-target-cpu=generic": {
			"--iree-hal-target-device=local",
			"--iree-hal-local-target-device-backends=llvm-cpu",
			"--iree-llvmcpu-target-cpu=generic",
		},
		"-iree-hal-target-device=a --x -iree-hal-target-device=b": {
			"--iree-hal-local-target-device-backends=llvm-cpu",
			"--iree-llvmcpu-target-cpu=host",
			"-iree-hal-target-device=a",
			"--x",
			"-iree-hal-target-device=b",
		},
	} {
		got, err := Parse(Defaults(), option)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %q: %v", option, got, err)
		}
	}
	if !Defaults().ForHost() || (Flags{"--iree-llvmcpu-target-cpu=generic"}).ForHost() {
		t.Error("which code is for this processor alone is not seen")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("--iree-opt-level=O3 -o")
	f.Add("--iree-llvmcpu-target-cpu=generic --=x - --")
	f.Fuzz(func(t *testing.T, option string) {
		flags, err := Parse(Defaults(), option)
		if err != nil {
			return
		}
		for _, flag := range flags {
			if !strings.HasPrefix(flag, "-") || flagName(flag) == "o" || len(strings.Fields(flag)) != 1 {
				t.Errorf("%q gives the flag %q", option, flag)
			}
		}
	})
}

// What iree-run-module --dump_devices prints, of drivers with two devices each.
var (
	//go:embed testdata/cuda.txt
	cudaDump string
	//go:embed testdata/hip.txt
	hipDump string
)

func TestArchitecture(t *testing.T) {
	for _, c := range []struct{ dump, device, want, err string }{
		{cudaDump, "cuda", "sm_90", ""},
		{cudaDump, "cuda://GPU-0002", "sm_86", ""},
		{cudaDump, "cuda://GPU-0003", "", "does not report one"},
		{cudaDump, "vulkan", "", "does not report one"},
		{hipDump, "hip", "gfx942", ""},
		{hipDump, "hip://GPU-b", "gfx90a", ""},
		{"", "hip", "", "no devices here"},
		{"# --device=hip://GPU-a\n- gpu-arch-name: $(reboot)\n", "hip", "", "does not report one"},
	} {
		got, err := Architecture(c.dump, c.device)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v; want %q, %q", c.device, got, err, c.want, c.err)
		}
	}
}

func FuzzArchitecture(f *testing.F) {
	f.Add(cudaDump, "cuda")
	f.Add(hipDump, "hip://GPU-b")
	f.Fuzz(func(t *testing.T, dump, device string) {
		got, err := Architecture(dump, device)
		if (err == nil) != (got != "") || strings.ContainsAny(got, " =-/") {
			t.Errorf("%q, %v", got, err)
		}
	})
}

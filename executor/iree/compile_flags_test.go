package iree

import "testing"

// A suite may be a stranger's: its flags of the compiler name no files and load nothing.
func TestCheckForeignFlags(t *testing.T) {
	for _, good := range []string{
		"", "--iree-llvmcpu-target-cpu=host", "--iree-hal-target-device=local --iree-opt-level=O3",
		"--iree-vulkan-target=rdna3", "--iree-llvmcpu-target-cpu-features=+avx512f,-fma",
	} {
		if err := checkForeignFlags(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"x", "@file", "-o=x", "-I=x", "--load-pass-plugin=x.so", "--iree-plugin=x", "--iree-hal-dump-executable-files-to=x",
		"--iree-llvmcpu-system-linker-path=x", "--mlir-print-ir-tree-dir=x", "--iree-codegen-x=a/b",
		"--iree-codegen-transform-dialect-library=x", "--iree-opt-import-parameters=x",
	} {
		if err := checkForeignFlags(bad); err == nil {
			t.Errorf("%s is let through", bad)
		}
	}
}

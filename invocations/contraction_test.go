package invocations

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestContractionFLOP(t *testing.T) {
	for name, want := range map[string]float64{
		"mlp_dispatch_0_matmul_64x512x256_f32":                        2 * 64 * 512 * 256,
		"matmul_256_bf16_dispatch_0_matmul_256x256x256_bf16xbf16xf32": 2 * 256 * 256 * 256,
		"convolution_f32_dispatch_0_conv_30x30x64x3x3x64_f32":         2 * 30 * 30 * 64 * 3 * 3 * 64,
		"f_dispatch_12_batch_matmul_8x64x64x32_f16xf16xf32":           2 * 8 * 64 * 64 * 32,
		"f_dispatch_3_matmul_like_4x8x16_f32":                         2 * 4 * 8 * 16,
		"f_dispatch_3_matvec_128x64_f32":                              2 * 128 * 64,
		"mlp_dispatch_2_softmax_64x128xf32_dispatch_tensor_store":     0,
		"matmul_64x64x64":                                0, // a function's name, no dispatch
		"f_dispatch_0_matmul_DxDx64_f32":                 0, // sizes of run time
		"f_dispatch_0_elementwise_4_f32":                 0,
		"matmul_64_f32_dispatch_0_elementwise_64x64_f32": 0,
		"": 0,
	} {
		got, ok := ContractionFLOP(name)
		if got != want || ok != (want > 0) {
			t.Errorf("%s: %v (%v), want %v", name, got, ok, want)
		}
	}
}

// Counts of a suite are numbers or products in which axes are filled in; so are options of artifacts.
func TestSuiteCountsAndOptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[[invocation]]\nname = \"p {M} {device}\"\nartifact = \"p.vmfb\"\nflop = \"2*{M}*8\"\nbytes = 1e6\ntask_threads = 2\n[invocation.axes]\nM = [4, 6]\ndevice = [\"local-sync\", \"local-task\"]\n")
	s, err := ParseSuite(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Expand(Invocation{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 4 || list[0].FLOP != 64 || list[3].FLOP != 96 || list[3].Bytes != 1e6 {
		t.Fatalf("%+v", list)
	}
	if o := list[1].Artifact.Options; o["device"] != "local-task" || o["task-threads"] != "2" || list[0].Artifact.Options["device"] != "local-sync" {
		t.Errorf("options: %v, %v", list[0].Artifact.Options, o)
	}
	write("[[invocation]]\nartifact = \"p.vmfb\"\nflop = \"2*M\"\n")
	if _, err := ParseSuite(path); err == nil || !strings.Contains(err.Error(), ":3:") && !strings.Contains(err.Error(), "line 3") || !strings.Contains(err.Error(), "is no count") {
		t.Errorf("a name in a count: %v", err)
	}
}

package invocations

import (
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
		"matmul_64x64x64":                                0, // the name of a function, not of a dispatch
		"f_dispatch_0_matmul_DxDx64_f32":                 0, // sizes that are known only at run time
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

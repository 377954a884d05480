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

func TestProductBytes(t *testing.T) {
	for name, want := range map[string]float64{
		"mlp_dispatch_0_matmul_64x512x256_f32":                        4 * (64*256 + 256*512 + 64*512),
		"matmul_256_bf16_dispatch_0_matmul_256x256x256_bf16xbf16xf32": 2*2*256*256 + 4*256*256,
		"f_dispatch_12_batch_matmul_8x64x32x16_f16xf16xf32":           8 * (2*64*16 + 2*16*32 + 4*64*32),
		"f_dispatch_3_matmul_like_4x8x16_f32":                         4 * (4*16 + 16*8 + 4*8),
		"f_dispatch_3_matmul_transpose_b_4x8x16_f32_pack":             4 * (4*16 + 16*8 + 4*8),
		"f_dispatch_3_matmul_like_2x4x8x16_f32":                       0, // which of the sizes is the batch is not told
		"f_dispatch_0_conv_30x30x64x3x3x64_f32":                       0,
		"f_dispatch_0_matmul_4x8x16_q4":                               0,
		"f_dispatch_0_matmul_DxDx64_f32":                              0,
		"":                                                            0,
	} {
		got, operand, ok := ProductBytes(name)
		if got != want || ok != (want > 0) || ok != (operand != "") {
			t.Errorf("%s: %v of %q (%v), want %v", name, got, operand, ok, want)
		}
	}
}

func FuzzContraction(f *testing.F) {
	f.Add("f_dispatch_12_batch_matmul_8x64x32x16_f16xf16xf32")
	f.Add("f_dispatch_0_matmul_9999999999x1x1_i8")
	f.Fuzz(func(t *testing.T, name string) {
		if flop, ok := ContractionFLOP(name); ok != (flop > 0) {
			t.Errorf("%q: %g operations", name, flop)
		}
		if bytes, _, ok := ProductBytes(name); ok != (bytes > 0) {
			t.Errorf("%q: %g bytes", name, bytes)
		}
	})
}

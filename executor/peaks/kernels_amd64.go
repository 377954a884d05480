//go:build !windows

package peaks

import "golang.org/x/sys/cpu"

// Addresses of the kernels as C functions, filled in by the linker.
var (
	float64ScalarEntry, float32ScalarEntry, float64AVX2Entry, float32AVX2Entry, float64AVX512Entry,
	float32AVX512Entry, bfloat16AVX512Entry, int8AVX2Entry, int8VNNIEntry,
	readSSE2Entry, copySSE2Entry, readAVX2Entry, copyAVX2Entry, readAVX512Entry, copyAVX512Entry uintptr
)

// computing returns the kernels that compute and that this processor has instructions for.
func computing() (list []kernel) {
	// A round has 24 multiply-adds of so many numbers; each is two operations.
	const fma = 2 * 24
	add := func(has bool, entry uintptr, what, width string, perRound float64) {
		if has {
			list = append(list, kernel{entry, what, width, perRound})
		}
	}
	x := &cpu.X86
	narrow, wide := x.HasFMA && x.HasAVX2, x.HasAVX512F
	add(narrow, float64ScalarEntry, "float64", "scalar", fma)
	add(narrow, float64AVX2Entry, "float64", "avx2", fma*4)
	add(wide, float64AVX512Entry, "float64", "avx512", fma*8)
	add(narrow, float32ScalarEntry, "float32", "scalar", fma)
	add(narrow, float32AVX2Entry, "float32", "avx2", fma*8)
	add(wide, float32AVX512Entry, "float32", "avx512", fma*16)
	add(wide && x.HasAVX512BF16, bfloat16AVX512Entry, "bfloat16", "avx512", fma*32)
	add(narrow, int8AVX2Entry, "int8", "avx2", 2*2*10*32) // 20 times 32 products with their sums
	add(wide && x.HasAVX512VNNI, int8VNNIEntry, "int8", "avx512", fma*64)
	return list
}

// moving returns the kernels that read and copy with the widest registers.
func moving() []kernel {
	switch {
	case cpu.X86.HasAVX512F:
		return []kernel{{readAVX512Entry, Read, "avx512", 0}, {copyAVX512Entry, Copy, "avx512", 0}}
	case cpu.X86.HasAVX:
		return []kernel{{readAVX2Entry, Read, "avx2", 0}, {copyAVX2Entry, Copy, "avx2", 0}}
	}
	return []kernel{{readSSE2Entry, Read, "sse2", 0}, {copySSE2Entry, Copy, "sse2", 0}}
}

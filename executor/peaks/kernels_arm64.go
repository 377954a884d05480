//go:build !windows

package peaks

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// Addresses of the kernels as C functions, filled in by the linker.
var (
	float64ScalarEntry, float32ScalarEntry, float64NEONEntry, float32NEONEntry, float16NEONEntry, int8NEONEntry,
	readNEONEntry, copyNEONEntry uintptr
)

// computing returns the kernels that compute and that this processor has instructions for.
func computing() []kernel {
	// A round has 24 multiply-adds of so many numbers; each is two operations.
	const fma = 2 * 24
	list := []kernel{
		{float64ScalarEntry, "float64", "scalar", fma}, {float64NEONEntry, "float64", "neon", fma * 2},
		{float32ScalarEntry, "float32", "scalar", fma}, {float32NEONEntry, "float32", "neon", fma * 4},
	}
	apple := runtime.GOOS == "darwin" // all of its arm64 processors have both
	if apple || cpu.ARM64.HasASIMDHP {
		list = append(list, kernel{float16NEONEntry, "float16", "neon", fma * 8})
	}
	if apple || cpu.ARM64.HasASIMDDP {
		list = append(list, kernel{int8NEONEntry, "int8", "neon", fma * 16})
	}
	return list
}

// moving returns the kernels that read and copy.
func moving() []kernel {
	return []kernel{{readNEONEntry, Read, "neon", 0}, {copyNEONEntry, Copy, "neon", 0}}
}

//go:build linux && (amd64 || arm64)

package platform

// floatControl returns the registers that control rounding, exceptions and denormal numbers on this thread: MXCSR and
// the x87 control word, or FPCR.
func floatControl() uint64

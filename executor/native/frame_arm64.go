//go:build !windows

package native

import "runtime"

// The calling convention of AAPCS64, section 6.8. loop_arm64.s knows these numbers.
const (
	intRegisters    = 8
	floatRegisters  = 8
	shortFrameWords = 8
	packsStack      = runtime.GOOS == "darwin" // Apple's variant gives stack arguments their own size, not 8 bytes
)

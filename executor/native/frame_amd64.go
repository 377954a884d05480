//go:build !windows

package native

// The calling convention of the System V ABI, amd64 supplement, section 3.2.3. loop_amd64.s knows these numbers.
const (
	intRegisters    = 6
	floatRegisters  = 8
	shortFrameWords = 8 // six registers, padded to one cache line
	packsStack      = false
)

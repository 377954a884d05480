//go:build (amd64 || arm64) && !windows

package native

// latchEntry is the address of the assembly routine, filled in by the linker.
var latchEntry uintptr

// LatchEntry returns the address of a C function for the timing loop, or 0 on systems without it. It serves functions
// of two words that return a word, 0 for success: the loop itself looks at no result. Its four arguments are the
// function, its two words, and the address of a status word. A result other than 0 is stored in the status word; a
// result of 0 leaves it as it is. While the status word is not 0, the function is not called. In a sequence of calls
// that share the status word, the calls after a failure thus cannot use what the failed call did not make. The latch
// itself takes a few instructions.
func LatchEntry() uintptr { return latchEntry }

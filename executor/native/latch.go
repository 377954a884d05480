//go:build (amd64 || arm64) && !windows

package native

// latchEntry and copyEntry are the addresses of the assembly routines, filled in by the linker.
var latchEntry, copyEntry uintptr

// LatchEntry returns the address of a C function for the timing loop, or 0 on systems without it. It serves functions
// of two words that return a word, 0 for success: the loop itself looks at no result. Its four arguments are the
// function, its two words, and the address of a status word. A result other than 0 is stored in the status word; a
// result of 0 leaves it as it is. While the status word is not 0, the function is not called. In a sequence of calls
// that share the status word, the calls after a failure thus cannot use what the failed call did not make. The latch
// itself takes a few instructions.
func LatchEntry() uintptr { return latchEntry }

// CopyEntry returns the address of a C function for sequences of calls that LatchEntry serves, or 0 on systems without
// it. It copies the word at its first argument to its second and returns 0. A call can thus use what an earlier one has
// written elsewhere than where the later looks.
func CopyEntry() uintptr { return copyEntry }

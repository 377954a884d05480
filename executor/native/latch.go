//go:build (amd64 || arm64) && !windows

package native

// latchEntry is the address of the assembly routine, filled in by the linker.
var latchEntry uintptr

// LatchEntry is the address of a C function for the timing loop, for functions of two words that say by what they return, a word that is 0 for
// success, whether they succeeded: the loop itself looks at no result. Its four arguments are the function, its two words, and the address of a word that receives
// a result other than 0 and is left alone otherwise. While that word is not 0 the function is not called, so that what follows a failure, in a sequence of calls that
// share the word, cannot work with what was not made. Its own time is a few instructions. It is 0 on systems without it.
func LatchEntry() uintptr { return latchEntry }

//go:build (amd64 || arm64) && !windows

package native

import (
	"runtime"
	"unsafe"

	"zonemark/executor/dl"
)

// MaxStackWords is how many 8-byte words of a call can go on the stack.
const MaxStackWords = 64

// Addresses of the assembly routines as C functions, filled in by the linker.
var loweredEntry, timedLoopEntry, emptyLoopEntry, evictEntry, emptyFunctionEntry uintptr

func engineAccepts(*Frame) error { return nil }

// code is where the instructions of a loop are.
type code struct {
	loop   uintptr // the timed loop, as a C function
	empty  uintptr // the function that only returns
	memory []byte  // memory that was mapped for both; nil if they are in the program's own text
}

// codeFor returns the loop that calls the function at entry, at a distance that place chooses. If original is not nil,
// the loop measures the overhead of that one: it calls the empty function instead, at a place like entry's.
func codeFor(entry uintptr, place uint64, original *code) code {
	empty, others := original != nil, []uintptr(nil)
	if empty {
		others = append(others, original.loop)
	}
	if c, ok := nearCode(entry, empty, place, others...); ok {
		return c
	}
	if empty {
		return code{loop: emptyLoopEntry, empty: emptyFunctionEntry}
	}
	return code{loop: timedLoopEntry}
}

// enter runs the loop on the thread's system stack.
func (l *Loop) enter(calls, batches int) {
	c := &l.control
	c.calls, c.batches = uintptr(calls), uintptr(batches)
	c.results = uintptr(unsafe.Pointer(unsafe.SliceData(l.results)))
	c.counts = uintptr(unsafe.Pointer(unsafe.SliceData(l.counts)))
	dl.Call(loweredEntry, uintptr(unsafe.Pointer(c)), l.code.loop, l.stackOffset)
	runtime.KeepAlive(l)
}

// evict evicts the lines of the loop, also while runMonotonic has set lineCount to 0.
func (l *Loop) evict() {
	if !CanFlush() {
		return
	}
	c := l.control
	c.lineCount = uintptr(len(l.lines))
	dl.Call(evictEntry, uintptr(unsafe.Pointer(&c)))
	runtime.KeepAlive(l)
}

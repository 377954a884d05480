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
var timedLoopEntry, emptyLoopEntry, evictEntry, emptyFunctionEntry uintptr

func engineAccepts(*Frame) error { return nil }

// enter runs the loop on the thread's system stack.
func (l *Loop) enter(calls, batches int) {
	c := &l.control
	c.calls, c.batches = uintptr(calls), uintptr(batches)
	c.results = uintptr(unsafe.Pointer(unsafe.SliceData(l.results)))
	loop := timedLoopEntry
	if c.entry == emptyFunctionEntry {
		loop = emptyLoopEntry
	}
	dl.Call(loop, uintptr(unsafe.Pointer(c)))
	runtime.KeepAlive(l)
}

// evict evicts the lines of the loop, also while lineCount is set aside.
func (l *Loop) evict() {
	if !CanFlush() {
		return
	}
	c := l.control
	c.lineCount = uintptr(len(l.lines))
	dl.Call(evictEntry, uintptr(unsafe.Pointer(&c)))
	runtime.KeepAlive(l)
}

//go:build (amd64 || arm64) && !windows

package native

import (
	"runtime"
	"unsafe"

	"zonemark/executor/dl"
)

// checkedCallEntry is the address of the assembly routine, filled in by the linker.
var checkedCallEntry uintptr

// check is the memory that the routine of checked calls reads and writes. The assembly takes the offsets of its fields
// from go_asm.h. Like control, it lies on the Go heap.
type check struct {
	entry      uintptr // the C function
	frame      uintptr // address of the frame
	flags      uintptr // as those of control
	stackWords uintptr
	vectors    uintptr
	stack      uintptr // the stack pointer of the routine

	returnedInt, returnedFloat uintptr
	control, controlX87        uint64 // of floating-point arithmetic, as Go has it

	before, after [keptWords]uint64 // what the words of kept held around the call

	clock uintptr // after a call with flagForbidClock: 1 if it has read the processor's clock, else 2 (PR_GET_TSC)
}

// checked makes one call with the next frame, and returns the names of what it has not kept.
func (l *Loop) checked() (unkept []string) {
	c := &check{
		entry: l.control.entry, frame: l.control.current, flags: l.control.flags,
		stackWords: l.control.stackWords, vectors: l.control.vectors,
	}
	if !l.readsClock && catchesClockReads() {
		c.flags |= flagForbidClock
	}
	for i := range keptRegisters {
		c.before[i] = 0x5a4b_3c2d_1e0f_0a00 + uint64(i) // a number that no function has a reason to leave there
	}
	dl.Call(loweredEntry, uintptr(unsafe.Pointer(c)), checkedCallEntry, l.stackOffset)
	runtime.KeepAlive(c)
	runtime.KeepAlive(l)
	l.control.returnedInt, l.control.returnedFloat = c.returnedInt, c.returnedFloat
	l.readsClock = l.readsClock || c.clock == 1
	if l.control.current += l.control.stride; l.control.current >= l.control.end {
		l.control.current = l.control.base
	}
	for i, one := range kept() {
		if (c.before[i]^c.after[i])&one.bits != 0 {
			unkept = append(unkept, one.name)
		}
	}
	return unkept
}

// keptWord is a word that functions keep.
type keptWord struct {
	name string // for people
	bits uint64 // that are kept
}

// keptWhole returns registers all of whose bits are kept.
func keptWhole(names ...string) (list []keptWord) {
	for _, name := range names {
		list = append(list, keptWord{name, ^uint64(0)})
	}
	return list
}

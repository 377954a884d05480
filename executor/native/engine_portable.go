//go:build !(amd64 || arm64) || windows

package native

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"zonemark/executor/dl"
)

// Every argument is a positional word here: Win64 passes arguments by position whatever their kind, and dl.Call offers
// each word to both kinds of registers.
const (
	intRegisters    = 0
	floatRegisters  = 0
	shortFrameWords = 2 // of a call without arguments
	packsStack      = false
)

// MaxStackWords is how many 8-byte words a call can have.
const MaxStackWords = dl.MaxArguments

// emptyFunctionEntry is the address of the assembly routine, filled in by the linker.
var emptyFunctionEntry uintptr

// engineAccepts returns an error for arguments that dl.Call would pass wrongly: integers and floats in one call, and
// floats on the stack.
func engineAccepts(f *Frame) error {
	const floatingRegisters = 8 // at least that many on every other 64-bit system
	if unsafe.Sizeof(uintptr(0)) != wordBytes {
		return fmt.Errorf("native calls are not supported on %s, which is not a 64-bit processor", runtime.GOARCH)
	}
	if f.floatWords == 0 {
		return nil
	}
	if f.floatWords < len(f.stack) || f.floatWords > floatingRegisters {
		return errors.New("integers and floats in one call, or more than eight floats, cannot be passed on " +
			runtime.GOOS + "/" + runtime.GOARCH)
	}
	return nil
}

// engineCounts reports whether the engine reads counters.
const engineCounts = false

// code is where the instructions of a loop are: here, always in the program's own text.
type code struct{ empty uintptr }

func codeFor(_ uintptr, _ uint64, original *code) code {
	if original == nil {
		return code{}
	}
	return code{empty: emptyFunctionEntry}
}

func (*code) free() {}

// enter makes the calls one by one.
func (l *Loop) enter(calls, batches int) {
	c := &l.control
	n := int(c.stackWords)
	base, size := unsafe.Pointer(unsafe.SliceData(l.ring)), c.end-c.base
	for range calls * batches {
		words := unsafe.Slice((*uintptr)(unsafe.Add(base, c.current-c.base)), n)
		c.returnedInt = dl.Call(c.entry, words...)
		c.current = c.base + (c.current-c.base+c.stride)%size
	}
}

func (l *Loop) evict() {}

// CanFlush reports whether SetFlush has an effect.
func CanFlush() bool { return false }

func hasOptimizedFlush() bool { return false }

// counterName is empty: the portable engine takes the time with the system's clock.
const counterName = ""

func counter() uint64 { return 0 }

// chain and ports measure nothing: without a processor's counter there are no probes.
func chain(uint64) uint64 { return 0 }

func ports(uint64, *[8]uint64) uint64 { return 0 }

func counterUnusable() string {
	return "no processor counter is read on " + runtime.GOOS + "/" + runtime.GOARCH
}

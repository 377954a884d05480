package native

import (
	"fmt"
	"math"
	"slices"
)

// Frame holds the argument words of one call, laid out as the C calling convention wants them: System V on amd64,
// AAPCS64 on arm64. Arguments are appended in C order. A Frame is a value: appending to a copy leaves the original as
// it was.
//
// On Apple arm64, arguments narrower than 64 bit are packed on the stack, which a Frame does not do for integers:
// beyond eight integer arguments, it passes only pointers and 64-bit integers correctly there.
type Frame struct {
	ints, floats   [8]uint64 // register words; intRegisters and floatRegisters of them are used
	nInts, nFloats int       // arguments of each class, those on the stack not counted
	stack          []uint64  // at most MaxStackWords
	floatWords     int       // floating-point arguments, wherever they went
	dropped        int       // words for which there was no room
	packed         bool      // a float went on the stack, where the system packs it
}

// Int appends an integer or a pointer, already sign or zero extended to 64 bit.
func (f *Frame) Int(w uint64) {
	if f.nInts < intRegisters {
		f.ints[f.nInts] = w
		f.nInts++
		return
	}
	f.push(w)
}

// Float32 appends a C float.
func (f *Frame) Float32(v float32) {
	f.packed = f.packed || packsStack && f.nFloats == floatRegisters
	f.float(uint64(math.Float32bits(v)))
}

// Float64 appends a C double.
func (f *Frame) Float64(v float64) { f.float(math.Float64bits(v)) }

func (f *Frame) float(w uint64) {
	f.floatWords++
	if f.nFloats < floatRegisters {
		f.floats[f.nFloats] = w
		f.nFloats++
		return
	}
	f.push(w)
}

// push appends a stack word. It never writes to memory that a copy of the frame shares.
func (f *Frame) push(w uint64) {
	if len(f.stack) == MaxStackWords {
		f.dropped++
		return
	}
	f.stack = append(slices.Clip(f.stack), w)
}

// Err returns an error if the arguments cannot be passed: more than MaxStackWords of them go on the stack, or one goes
// there in a form that the system packs.
func (f *Frame) Err() error {
	if f.dropped > 0 {
		return fmt.Errorf("%d argument words do not fit into registers, "+
			"at most %d can be passed on the stack: pass fewer arguments",
			len(f.stack)+f.dropped, MaxStackWords)
	}
	if f.packed {
		return fmt.Errorf("a 32-bit float beyond the first %d floating-point arguments cannot be passed on this system",
			floatRegisters)
	}
	return nil
}

// sameShape reports whether two frames put their words into the same registers and stack slots.
func (f *Frame) sameShape(g *Frame) bool {
	return f.nInts == g.nInts && f.floatWords == g.floatWords && len(f.stack) == len(g.stack)
}

// registersOnly reports whether integer registers hold every argument.
func (f *Frame) registersOnly() bool { return f.nFloats == 0 && len(f.stack) == 0 }

// fewRegisters reports whether the loop holds every argument in registers, from call to call: six integers, or four and
// two floats.
func (f *Frame) fewRegisters() bool {
	return f.registersOnly() || len(f.stack) == 0 && f.nInts <= 4 && f.nFloats <= 2
}

// words returns the size of the packed frame: the words that the short path of the loop loads, or all of them.
func (f *Frame) words() int {
	if f.registersOnly() {
		return shortFrameWords
	}
	n := intRegisters + floatRegisters + len(f.stack)
	return n + n%2 // frames stay 16-byte aligned for the loads of register pairs
}

// pack writes the frame as the loop reads it: integer registers, floating-point registers, stack words.
func (f *Frame) pack(to []uint64) {
	copy(to, f.ints[:intRegisters])
	if f.registersOnly() {
		return
	}
	copy(to[intRegisters:], f.floats[:floatRegisters])
	copy(to[intRegisters+floatRegisters:], f.stack)
}

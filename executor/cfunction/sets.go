package cfunction

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"zonemark/executor/arguments"
	"zonemark/executor/dl"
	"zonemark/executor/native"
	"zonemark/invocations"
)

const (
	lineBytes    = 64 // buffers start and end at a multiple of it, so that no two arguments share a cache line
	pointerBytes = 8  // of the slot that holds an array of the callee
)

// argumentSets is memory for one or more sets of the arguments of a binding.
type argumentSets struct {
	*binding
	*arguments.Sets
}

// newSets allocates and fills sets of the arguments.
func newSets(b *binding, r arguments.Request) (*argumentSets, error) {
	sets, err := arguments.New(b.describe(), r)
	var memory *arguments.MemoryError
	if err != nil && !errors.As(err, &memory) {
		err = fmt.Errorf("function %s: %w", b.symbol, err)
	}
	return &argumentSets{b, sets}, err
}

// describe returns the arguments as their memory needs to know them. Those by value have none. The slot of an array of
// the callee is NULL before a call.
func (b *binding) describe() arguments.Description {
	d := arguments.Description{Of: b.symbol, Align: lineBytes, OffLine: true}
	for i := range b.arguments {
		a := &b.arguments[i]
		array := arguments.Array{
			Label: a.label(), Name: a.Name, Element: a.Element, Contents: b.contents[i], Fixed: b.scalars[i], Position: i,
			Usage: a.Usage,
		}
		switch {
		case a.ByValue:
		case a.Callee:
			array.Bytes, array.Fixed = pointerBytes, make([]byte, pointerBytes)
		default:
			array.Bytes = b.elements[i] * a.Element.Size()
			array.Order = a.order()
		}
		d.Arrays = append(d.Arrays, array)
	}
	return d
}

// order returns where the elements of an argument lie. Returns nil for a dense one.
func (a *argument) order() *arguments.Order {
	if a.Strides == nil && a.Offset == 0 {
		return nil
	}
	strides := a.Strides
	if strides == nil {
		strides = RowMajor(a.Shape)
	}
	return &arguments.Order{Shape: a.Shape, Strides: strides, Offset: a.Offset}
}

// frame returns the call frame of set k.
func (s *argumentSets) frame(k int) (native.Frame, error) {
	return s.frameAt(func(i int) uintptr { return s.Address(k, i) })
}

// frameAt returns the call frame for arrays at these addresses.
func (s *argumentSets) frameAt(address func(i int) uintptr) (native.Frame, error) {
	var f native.Frame
	for i := range s.arguments {
		a := &s.arguments[i]
		if !a.ByValue {
			f.Int(uint64(address(i)))
			continue
		}
		var word [8]byte
		copy(word[:], s.scalars[i])
		bits := binary.LittleEndian.Uint64(word[:])
		switch a.Element {
		case invocations.Float32:
			f.Float32(math.Float32frombits(uint32(bits)))
		case invocations.Float64:
			f.Float64(math.Float64frombits(bits))
		case invocations.Uint64: // beyond the range of integerOf
			f.Int(bits)
		default: // HAT's 16-bit floats are a typedef of uint16_t
			f.Int(uint64(integerOf(s.scalars[i], a.Element)))
		}
	}
	if err := f.Err(); err != nil {
		return f, fmt.Errorf("function %s: %w", s.symbol, err)
	}
	return f, nil
}

// calleeAllocates reports whether the function allocates an array.
func (t *Prototype) calleeAllocates() bool {
	return slices.ContainsFunc(t.arguments, func(a argument) bool { return a.Callee })
}

// slot returns the pointer to an array of the callee in set k.
func (s *argumentSets) slot(k, i int) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Pointer(&s.Array(k, i)[0]))
}

// freeCallee frees each array of the callee once and clears its slot.
func (s *argumentSets) freeCallee(free uintptr) {
	released := map[uintptr]bool{0: true}
	for k := range s.Count() {
		for i := range s.arguments {
			if !s.arguments[i].Callee {
				continue
			}
			slot := (*uintptr)(unsafe.Pointer(s.slot(k, i)))
			if !released[*slot] {
				released[*slot] = true
				dl.Call(free, *slot)
			}
			*slot = 0
		}
	}
}

// Package arguments makes what native code is called with. It lays arrays out in memory, places, fills, restores and
// moves them, makes several sets of them for measuring with cold caches, and compares what calls have written with what
// they should write. A runtime describes its arguments and gets addresses or bytes back.
//
// The package does not know how calls are made or timed, and no runtime's files.
package arguments

import (
	"fmt"
	"math/rand/v2"

	"zonemark/executor/platform"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// Array is one argument that lies in memory.
type Array struct {
	Label    string // for messages: "argument 2 (x)"
	Name     string // of the argument; empty: it has none
	Element  invocations.ElementType
	Bytes    int64 // that it takes in memory; 0 for an argument that has none, such as a number passed by value
	Contents invocations.Contents
	Position int // of the argument; chooses the seed of random contents
	// Usage says what a call does with the array. What a call changes and reads again, of usage InputOutput, is
	// restored.
	Usage invocations.Usage
	// Fixed is what the array holds in each set, in place of Contents; nil if Contents say it.
	Fixed []byte
	// Order is the places of the elements in memory. It is nil if they are dense and in row-major order.
	Order *Order
}

// Order is the places of the elements of an array that does not hold them densely in row-major order: see values.Walk.
// What is between them belongs to nobody: files and lists leave zeros there.
type Order struct {
	Shape, Strides []int64
	Offset         int64
}

// elements returns their number, without what is between them.
func (o *Order) elements() int64 {
	n := int64(1)
	for _, extent := range o.Shape {
		n *= extent
	}
	return n
}

// Seed returns a seed of its own for each argument of each set on each device. Random contents depend on nothing else.
func Seed(seed uint64, argument, set, device int) uint64 {
	return rand.NewPCG(seed, uint64(device)<<48|uint64(set)<<32|uint64(argument)).Uint64()
}

// random reports whether the contents differ from set to set.
func (a *Array) random() bool {
	fill := a.Contents.Fill
	return a.Fixed == nil && (fill == invocations.FillRandom || fill == invocations.FillDefault)
}

// scattered reports whether filling goes element by element and leaves what is between them as it is.
func (a *Array) scattered() bool {
	fill := a.Contents.Fill
	return a.Order != nil && a.Fixed == nil && (fill == invocations.FillFile || fill == invocations.FillList)
}

// fill writes the contents of the array into its memory.
func (a *Array) fill(memory []byte, seed uint64) error {
	switch {
	case a.Bytes == 0:
		return nil
	case a.Fixed != nil:
		copy(memory, a.Fixed)
		return nil
	case a.scattered():
		return a.scatter(memory, seed)
	}
	return values.Fill(memory, a.Element, a.Contents, seed)
}

// scatter fills the array element by element. Files and lists hold the elements in row-major order.
func (a *Array) scatter(memory []byte, seed uint64) error {
	size := a.Element.Size()
	if a.Order.elements() > a.Bytes/size {
		return fmt.Errorf("its elements overlap in memory, so %s cannot fill it; choose other contents", a.Contents)
	}
	dense := make([]byte, a.Order.elements()*size)
	if err := values.Fill(dense, a.Element, a.Contents, seed); err != nil {
		return err
	}
	values.Walk(a.Order.Shape, a.Order.Strides, a.Order.Offset, func(place int64) {
		copy(memory[place*size:][:size], dense)
		dense = dense[size:]
	})
	return nil
}

// Dense returns the elements of memory that holds them in this order, dense and in row-major order. The result may be
// the memory itself: it is if the order is nil, and if elements overlap, since the memory is then the smaller of the two.
func (o *Order) Dense(memory []byte, element invocations.ElementType) []byte {
	size := element.Size()
	if o == nil || o.elements() > int64(len(memory))/size {
		return memory
	}
	dense := make([]byte, 0, o.elements()*size)
	values.Walk(o.Shape, o.Strides, o.Offset, func(place int64) { dense = append(dense, memory[place*size:][:size]...) })
	return dense
}

// Bytes returns memory of the Go heap for contents that a runtime passes on as bytes. What names the argument in
// messages. Returns a *MemoryError if there is not so much memory.
func Bytes(what string, size int64) ([]byte, error) {
	if err := CheckRoom(what, size); err != nil {
		return nil, err
	}
	return make([]byte, size), nil
}

// CheckRoom returns a *MemoryError if fewer than size bytes of memory are free, or if size is negative: beyond what 64
// bits count. What names in messages what takes them.
func CheckRoom(what string, size int64) error {
	if size < 0 {
		return &MemoryError{Err: fmt.Errorf("no memory holds %s", what)}
	}
	if free := platform.AvailableMemoryBytes(); free > 0 && size > free {
		return &MemoryError{Err: fmt.Errorf("%s takes %d MiB and %d MiB are free", what, size>>20, free>>20)}
	}
	return nil
}

// MemoryError reports that arguments do not fit into memory.
type MemoryError struct{ Err error }

func (e *MemoryError) Error() string { return e.Err.Error() }
func (e *MemoryError) Unwrap() error { return e.Err }

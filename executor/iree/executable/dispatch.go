package executable

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/executor/native"
	"zonemark/executor/platform"
)

// Workgroups is how many workgroups a dispatch has in each dimension.
type Workgroups [3]uint32

// Count is how many workgroups there are; false when more than maxWorkgroups.
func (w Workgroups) Count() (int, bool) {
	n := uint64(1)
	for _, d := range w {
		if n *= uint64(d); n > maxWorkgroups {
			return 0, false
		}
	}
	return int(n), true
}

// maxWorkgroups bounds a dispatch, each of whose workgroups needs a call frame.
const maxWorkgroups = 1 << 20

// Buffer is memory off the Go heap that a dispatch works on.
type Buffer struct{ Address, Bytes uintptr }

// PreparedDispatch is an export with everything that its workgroups are called with, off the Go heap.
type PreparedDispatch struct {
	Frames  []native.Frame // one for each workgroup, x fastest
	Entry   uintptr
	memory  []byte
	states  int // where the states of the workgroups begin in memory
	library *Library
}

// stateAlignment keeps the states of workgroups on cache lines of their own halves.
const stateAlignment = 32

// Prepare lays out the state of a dispatch. The buffers stay the caller's and must outlive it.
func (l *Library) Prepare(e *Export, workgroups Workgroups, constants []uint32, buffers []Buffer) (*PreparedDispatch, error) {
	count, ok := workgroups.Count()
	switch {
	case !ok || workgroups[2] > math.MaxUint16:
		return nil, fmt.Errorf("%s: %d×%d×%d workgroups are more than the %d that can be called directly; run the whole module instead",
			e.Name, workgroups[0], workgroups[1], workgroups[2], maxWorkgroups)
	case count == 0:
		return nil, fmt.Errorf("%s: a dispatch of %d×%d×%d workgroups does nothing", e.Name, workgroups[0], workgroups[1], workgroups[2])
	case e.dynamicSize:
		return nil, fmt.Errorf("%s: it takes the size of a workgroup from the caller, which only GPU code was seen to do; run the whole module instead", e.Name)
	case len(constants) != e.Constants:
		return nil, fmt.Errorf("%s: %d constants are given and it takes %d", e.Name, len(constants), e.Constants)
	case len(buffers) != e.Bindings:
		return nil, fmt.Errorf("%s: %d bindings are given and it takes %d", e.Name, len(buffers), e.Bindings)
	}
	const state = int(unsafe.Sizeof(dispatchState{}))
	layout := struct{ constants, addresses, lengths, workgroups, local int }{}
	layout.constants = align(state)
	layout.addresses = align(layout.constants + 4*len(constants))
	layout.lengths = layout.addresses + 8*len(buffers)
	layout.workgroups = align(layout.lengths + 8*len(buffers))
	layout.local = (layout.workgroups + count*int(unsafe.Sizeof(workgroupState{})) + localPageBytes - 1) / localPageBytes * localPageBytes
	memory, err := platform.Alloc(layout.local + int(e.LocalMemoryBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	d := &PreparedDispatch{Entry: e.Function, memory: memory, states: layout.workgroups, library: l}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	place := func(offset int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(memory[offset:])) }
	*(*dispatchState)(place(0)) = dispatchState{
		sizeX: 1, sizeY: 1, sizeZ: 1, countX: workgroups[0], countY: workgroups[1], countZ: uint16(workgroups[2]), maxConcurrency: 1,
		constantCount: uint16(len(constants)), bindingCount: uint8(len(buffers)),
		constants: base + uintptr(layout.constants), bindings: base + uintptr(layout.addresses), bindingLengths: base + uintptr(layout.lengths),
	}
	for i, c := range constants {
		*(*uint32)(place(layout.constants + 4*i)) = c
	}
	for i, b := range buffers {
		*(*uintptr)(place(layout.addresses + 8*i)) = b.Address
		*(*uintptr)(place(layout.lengths + 8*i)) = b.Bytes
	}
	i := 0
	for z := range workgroups[2] {
		for y := range workgroups[1] {
			for x := range workgroups[0] {
				offset := layout.workgroups + i*int(unsafe.Sizeof(workgroupState{}))
				w := workgroupState{x: x, y: y, z: uint16(z)}
				if e.LocalMemoryBytes > 0 {
					w.localMemory, w.localMemorySize = base+uintptr(layout.local), uint32(e.LocalMemoryBytes)
				}
				*(*workgroupState)(place(offset)) = w
				var f native.Frame
				f.Int(uint64(l.environmentAddress()))
				f.Int(uint64(base))
				f.Int(uint64(base + uintptr(offset)))
				d.Frames = append(d.Frames, f)
				i++
			}
		}
	}
	return d, nil
}

func align(n int) int { return (n + stateAlignment - 1) / stateAlignment * stateAlignment }

// Call calls every workgroup once, in order. The error names the first one that reports a failure.
func (d *PreparedDispatch) Call() error {
	if d.memory == nil {
		return errors.New("call of a dispatch that is closed")
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(d.memory)))
	for i := range d.Frames {
		workgroup := base + uintptr(d.states) + uintptr(i)*unsafe.Sizeof(workgroupState{})
		if status := int32(dl.Call(d.Entry, d.library.environmentAddress(), base, workgroup)); status != 0 {
			return fmt.Errorf("workgroup %d of %d returned status %d", i, len(d.Frames), status)
		}
	}
	return nil
}

// Close frees the state.
func (d *PreparedDispatch) Close() error {
	m := d.memory
	d.memory = nil
	return platform.Free(m)
}

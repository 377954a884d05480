package capi

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// Call is a function with its inputs on the device, which can be invoked any number of times. It is not safe for
// concurrent use.
type Call struct {
	library *Library
	session *Session
	name    string
	state   memory    // memory of a callState
	invoke  []uintptr // arguments of iree_runtime_call_invoke, made once so that an invocation allocates nothing
	lines   []native.Range
}

// callState is iree_runtime_call_t, followed by a status of ours.
type callState struct {
	_       [3]uintptr // session, function {module, linkage and ordinal}
	inputs  uintptr
	outputs uintptr
	status  uintptr // status of the last call through Frame that failed
}

// Call prepares calls of a function, named with or without its module, on inputs that it copies to the device. The Call
// must be closed before the session. The module checks the number and types of the inputs when it is invoked.
func (s *Session) Call(function string, inputs []tensor.Tensor) (*Call, error) {
	if s.session == 0 {
		return nil, fmt.Errorf("call %s: the session: %w", function, errClosed)
	}
	l := s.device.library
	full := function
	if !strings.HasPrefix(function, s.module+".") {
		full = s.module + "." + function
	}
	state, err := l.allocate(unsafe.Sizeof(callState{}))
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", full, err)
	}
	c := &Call{library: l, session: s, name: full, state: state, invoke: []uintptr{state.word(), 0}}
	name := []byte(full)
	if err := l.check(dl.Call(l.api.callByName, s.session, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)),
		state.word())); err != nil {
		state.free() // not Close: a call that was not initialized holds nothing
		return nil, fmt.Errorf("function %s: %w", full, err)
	}
	for i := range inputs {
		if err := c.push(s, &inputs[i]); err != nil {
			c.Close()
			return nil, fmt.Errorf("input %d (%s) of %s: %w", i, inputs[i].Type(), full, err)
		}
	}
	return c, nil
}

func (c *Call) lists() *callState { return (*callState)(c.state.address) }

// push appends an input.
func (c *Call) push(s *Session, t *tensor.Tensor) error {
	l := c.library
	if t.Scalar {
		v, err := scalarValue(t.Element, t.Data)
		if err != nil {
			return err
		}
		return l.check(dl.Call(l.api.listPushValue, c.lists().inputs, uintptr(unsafe.Pointer(&v))))
	}
	view, err := s.view(t)
	if err != nil {
		return err
	}
	defer dl.Call(l.api.viewRelease, view) // the list holds its own reference
	if r := l.place(view); r.Len > 0 {
		c.lines = append(c.lines, r)
	}
	if t.Storage {
		r := reference{object: dl.Call(l.api.viewBuffer, view), kind: *(*uintptr)(pointer(l.api.bufferType))}
		return l.check(dl.Call(l.api.listPushRef, c.lists().inputs, uintptr(unsafe.Pointer(&r))))
	}
	return l.check(dl.Call(l.api.pushView, c.state.word(), view))
}

// reference is iree_vm_ref_t.
type reference struct{ object, kind uintptr }

// pointer returns an address in C's memory, which the Go runtime does not move, as a pointer.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// view copies a tensor into a new buffer view on the device.
func (s *Session) view(t *tensor.Tensor) (uintptr, error) {
	l := s.device.library
	code, known := tensor.Code(t.Element)
	if !known {
		return 0, fmt.Errorf("elements of type %q cannot be passed to IREE", t.Element)
	}
	shape := make([]uint64, len(t.Shape)+1) // one element more, so that it has an address
	bytes, size := t.Element.Size(), int64(len(t.Data))
	empty := slices.Contains(t.Shape, 0) // the dimensions before the 0 may have any size
	for i, n := range t.Shape {
		if n < 0 || n > 0 && !empty && bytes > size/n {
			return 0, fmt.Errorf("%d bytes do not fill the shape", size)
		}
		shape[i], bytes = uint64(n), bytes*n
	}
	if empty {
		bytes = 0
	}
	if bytes != size {
		return 0, fmt.Errorf("%d bytes for a shape of %d", size, bytes)
	}
	data := t.Data
	if len(data) == 0 {
		data = make([]byte, 1)
	}
	var view uintptr
	err := l.check(copyView(l.api.viewCopy, viewCopy{
		device: s.device.device, allocator: s.allocator,
		rank: uintptr(len(t.Shape)), shape: &shape[0], element: code,
		data: &data[0], bytes: uintptr(size), view: &view,
	}))
	return view, err
}

// Modes to read mapped memory: iree_hal_mapping_mode_t and iree_hal_memory_access_t.
const (
	mappingScoped = 1
	accessRead    = 1
)

// place returns where the contents of a buffer view are in this process's memory, or an empty range if they are
// elsewhere.
func (l *Library) place(view uintptr) native.Range {
	mapping := new([16]uint64) // larger than iree_hal_buffer_mapping_t, which begins with the address and the length
	status := dl.Call(l.api.bufferMap, dl.Call(l.api.viewBuffer, view), mappingScoped, accessRead, 0,
		dl.Call(l.api.viewBytes, view), uintptr(unsafe.Pointer(mapping)))
	if l.check(status) != nil {
		return native.Range{}
	}
	at := native.Range{Addr: uintptr(mapping[0]), Len: uintptr(mapping[1])}
	_ = l.check(dl.Call(l.api.bufferUnmap, uintptr(unsafe.Pointer(mapping)))) // the buffer stays where it is
	return at
}

// Lines returns where the inputs are in memory, for those that are in this process's memory.
func (c *Call) Lines() []native.Range { return c.lines }

// Invoke calls the function once and waits until it ends. It releases the results of the previous call.
func (c *Call) Invoke() error {
	if status := dl.Call(c.library.api.callInvoke, c.invoke...); status != 0 {
		return fmt.Errorf("%s: %w", c.name, c.library.check(status))
	}
	return nil
}

// Frame returns how the timing loop calls the function without Go in between: the arguments of native.LatchEntry.
// Failed says afterwards whether the calls succeeded.
func (c *Call) Frame() native.Frame {
	var f native.Frame
	for _, word := range []uintptr{
		c.library.api.callInvoke,
		c.invoke[0],
		c.invoke[1],
		c.state.word() + unsafe.Offsetof(callState{}.status),
	} {
		f.Int(uint64(word))
	}
	return f
}

// Failed returns the error of the last call through Frame that failed since Failed was called last, or nil if none did.
func (c *Call) Failed() error {
	status := c.lists().status
	if status == 0 {
		return nil
	}
	c.lists().status = 0
	return fmt.Errorf("%s: %w", c.name, c.library.check(status))
}

// variant is iree_vm_variant_t: either a value or a reference.
type variant struct {
	kind uintptr // kind of the value in the low three bits, 0 for a reference
	bits uint64  // the value, or the object
	ref  uintptr // type of the object
}

// Outputs copies the results of the last Invoke from the device. There are none if the call was not invoked or returns
// nothing.
func (c *Call) Outputs() ([]tensor.Tensor, error) {
	l := c.library
	list := c.lists().outputs
	results := make([]tensor.Tensor, 0, dl.Call(l.api.listSize, list))
	for i := range cap(results) {
		t, err := c.output(list, uintptr(i))
		if err != nil {
			return nil, fmt.Errorf("result %d of %s: %w", i, c.name, err)
		}
		results = append(results, t)
	}
	return results, nil
}

func (c *Call) output(list, i uintptr) (tensor.Tensor, error) {
	l := c.library
	var v variant
	if err := l.check(dl.Call(l.api.listGetVariant, list, i, uintptr(unsafe.Pointer(&v)))); err != nil {
		return tensor.Tensor{}, err
	}
	const valueKind = 7
	if kind := uint32(v.kind & valueKind); kind != 0 {
		element, data, err := scalarData(kind, v.bits)
		return tensor.Tensor{Element: element, Data: data, Scalar: true}, err
	}
	var object uintptr
	if l.check(dl.Call(l.api.bufferOf, uintptr(v.bits), v.ref, uintptr(unsafe.Pointer(&object)))) == nil {
		bytes := int64(dl.Call(l.api.bufferBytes, object))
		return l.contents(tensor.Tensor{Element: invocations.Int8, Shape: []int64{bytes}}, object)
	}
	if err := l.check(dl.Call(l.api.viewOf, uintptr(v.bits), v.ref, uintptr(unsafe.Pointer(&object)))); err != nil {
		return tensor.Tensor{}, fmt.Errorf("neither a tensor nor a number, so that zonemark cannot read it: %w", err)
	}
	return l.read(object)
}

// read copies a buffer view from the device.
func (l *Library) read(view uintptr) (tensor.Tensor, error) {
	code := uint32(dl.Call(l.api.viewElement, view))
	element, known := tensor.OfCode(code)
	if !known {
		return tensor.Tensor{}, fmt.Errorf("elements of IREE's type %#08x, which zonemark cannot read", code)
	}
	t := tensor.Tensor{Element: element, Shape: []int64{}}
	for i := range dl.Call(l.api.viewRank, view) {
		t.Shape = append(t.Shape, int64(dl.Call(l.api.viewDim, view, i)))
	}
	bytes := dl.Call(l.api.viewBytes, view)
	if int64(bytes) != t.Elements()*element.Size() {
		return tensor.Tensor{}, fmt.Errorf("%d bytes for a tensor of %s: it is not dense", bytes, t.Type())
	}
	return l.contents(t, dl.Call(l.api.viewBuffer, view))
}

// contents copies a buffer from the device into the data of a tensor.
func (l *Library) contents(t tensor.Tensor, buffer uintptr) (tensor.Tensor, error) {
	if t.Data = make([]byte, t.Elements()*t.Element.Size()); len(t.Data) == 0 {
		return t, nil
	}
	return t, l.check(dl.Call(l.api.bufferRead, buffer, 0, uintptr(unsafe.Pointer(&t.Data[0])), uintptr(len(t.Data))))
}

// Close releases inputs and results.
func (c *Call) Close() {
	if c.state.address != nil {
		dl.Call(c.library.api.callDeinitialize, c.state.word())
		c.state.free()
	}
}

package libpython

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"zonemark/executor/dl"
)

// Callable is a Python object that is called from Go.
type Callable struct {
	python *Interpreter
	object uintptr
	// arguments are those of the C function that calls the object. They are made once, since the arguments of a
	// variadic call are allocated.
	arguments []uintptr
}

// Call calls the object without arguments and drops the result. It allocates nothing in Go unless the object raises an
// exception, which is an *Exception.
func (c *Callable) Call() error {
	a := c.python.api
	result := dl.Call(a.callNoArgs, c.arguments...)
	if result == a.none {
		// The reference is kept. None never dies, its count has 64 bits, and releasing it would cost a second call into
		// C each time.
		return nil
	}
	if result == 0 {
		return c.python.exception()
	}
	c.python.release(result)
	return nil
}

// Exchange calls the object with a str and a list of read-only memoryviews of data. It expects a pair of a str and a
// sequence of bytes and returns copies of them. The object must not keep the views, which are released after the call,
// or others made of them. A buffer that it got from a view and still holds is an error. An exception that it raises is
// an *Exception.
func (c *Callable) Exchange(message string, data ...[]byte) (string, [][]byte, error) {
	i, a := c.python, c.python.api
	var pins runtime.Pinner
	defer pins.Unpin()
	arguments, views, err := i.arguments(&pins, message, data)
	if err != nil {
		i.releaseAll(views)
		return "", nil, err
	}
	result := dl.Call(a.callObject, c.object, arguments)
	if result == 0 {
		err = i.exception()
	}
	i.release(arguments)
	defer i.release(result)
	for n, view := range views {
		if e := i.releaseView(view); e != nil && err == nil {
			err = fmt.Errorf("argument %d is still in use after the call: %w", n, e)
		}
	}
	if err != nil {
		return "", nil, err
	}
	return i.reply(result)
}

// arguments returns the tuple of the call and the views in it, each with its own reference. It returns the views made
// so far if it fails.
func (i *Interpreter) arguments(
	pins *runtime.Pinner, message string, data [][]byte,
) (tuple uintptr, views []uintptr, err error) {
	a := i.api
	list := dl.Call(a.newList, uintptr(len(data)))
	if list == 0 {
		return 0, nil, i.exception()
	}
	empty := [1]byte{}
	pins.Pin(&empty)
	for n, b := range data {
		first := &empty[0]
		if len(b) > 0 {
			first = &b[0]
			pins.Pin(first)
		}
		const read = 0x100 // PyBUF_READ of memoryobject.h
		view := dl.Call(a.memoryFrom, uintptr(unsafe.Pointer(first)), uintptr(len(b)), read)
		if view == 0 {
			err = i.exception()
			i.release(list)
			return 0, views, err
		}
		views = append(views, view)
		dl.Call(a.incRef, view)
		dl.Call(a.setList, list, uintptr(n), view) // takes over a reference
	}
	var first *byte
	if message != "" {
		first = unsafe.StringData(message)
	}
	text := dl.Call(a.stringFrom, uintptr(unsafe.Pointer(first)), uintptr(len(message)))
	if text == 0 {
		err = i.exception()
		i.release(list)
		return 0, views, err
	}
	if tuple = dl.Call(a.newTuple, 2); tuple == 0 {
		err = i.exception()
		i.releaseAll([]uintptr{list, text})
		return 0, views, err
	}
	dl.Call(a.setTuple, tuple, 0, text)
	dl.Call(a.setTuple, tuple, 1, list)
	return tuple, views, nil
}

// releaseView makes a view lose its memory. It fails if another object still exports it.
func (i *Interpreter) releaseView(view uintptr) error {
	defer i.release(view)
	name := []byte("release\x00")
	method := dl.Call(i.api.getAttr, view, uintptr(unsafe.Pointer(&name[0])))
	if method == 0 {
		return i.exception()
	}
	defer i.release(method)
	result := dl.Call(i.api.callNoArgs, method)
	if result == 0 {
		return i.exception()
	}
	i.release(result)
	return nil
}

// reply reads the pair that Exchange expects.
func (i *Interpreter) reply(pair uintptr) (string, [][]byte, error) {
	parts, err := i.items(pair)
	defer i.releaseAll(parts)
	if err != nil {
		return "", nil, err
	}
	if len(parts) != 2 {
		return "", nil, fmt.Errorf("the Python function returned %d values, not a str and a list", len(parts))
	}
	message, err := i.string(parts[0])
	if err != nil {
		return "", nil, err
	}
	list, err := i.items(parts[1])
	defer i.releaseAll(list)
	if err != nil {
		return "", nil, err
	}
	var out [][]byte
	for _, object := range list {
		var data, size uintptr
		if int32(dl.Call(i.api.bytesTo, object, uintptr(unsafe.Pointer(&data)), uintptr(unsafe.Pointer(&size)))) != 0 {
			return "", nil, i.exception()
		}
		out = append(out, append(make([]byte, 0, size), unsafe.Slice(at[byte](data), size)...))
	}
	return message, out, nil
}

// items returns new references to the items of a sequence. If an item cannot be read, it returns those before it.
func (i *Interpreter) items(sequence uintptr) ([]uintptr, error) {
	n := int(dl.Call(i.api.sequenceSize, sequence))
	if n < 0 {
		return nil, i.exception()
	}
	var items []uintptr
	for k := range n {
		item := dl.Call(i.api.sequenceItem, sequence, uintptr(k))
		if item == 0 {
			return items, i.exception()
		}
		items = append(items, item)
	}
	return items, nil
}

func (i *Interpreter) string(object uintptr) (string, error) {
	var size uintptr
	data := dl.Call(i.api.stringTo, object, uintptr(unsafe.Pointer(&size)))
	if data == 0 {
		return "", i.exception()
	}
	return string(unsafe.Slice(at[byte](data), size)), nil
}

func (i *Interpreter) releaseAll(objects []uintptr) {
	for _, o := range objects {
		i.release(o)
	}
}

// Close releases the object. The Callable cannot be called afterwards.
func (c *Callable) Close() error {
	if c.object == 0 {
		return errors.New("close Python object: it is closed")
	}
	c.python.release(c.object)
	c.object, c.arguments = 0, nil
	return nil
}

package capi

import (
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/executor/iree/tensor"
)

// Take makes a result of another call an input of this one. On the same device it is the same buffer, of which nothing
// is copied; else it is copied. The other call may be invoked again, which leaves the taken result as it is.
func (c *Call) Take(input int, from *Call, result int) error {
	l := c.library
	inputs, outputs := c.lists().inputs, from.lists().outputs
	if n := dl.Call(l.api.listSize, inputs); uintptr(input) >= n {
		return fmt.Errorf("%s has %d inputs, and no input %d", c.name, n, input)
	}
	if n := dl.Call(l.api.listSize, outputs); uintptr(result) >= n {
		return fmt.Errorf("%s has returned %d results, and no result %d", from.name, n, result)
	}
	if c.session.device == from.session.device {
		var v variant
		if err := l.check(dl.Call(l.api.listGetVariant, outputs, uintptr(result), uintptr(unsafe.Pointer(&v)))); err != nil {
			return err
		}
		return l.check(dl.Call(l.api.listSetVariant, inputs, uintptr(input), uintptr(unsafe.Pointer(&v))))
	}
	t, err := from.output(outputs, uintptr(result))
	if err != nil {
		return fmt.Errorf("result %d of %s: %w", result, from.name, err)
	}
	return c.replace(uintptr(input), &t)
}

// replace copies a tensor to the device as an input, in place of the one that is there.
func (c *Call) replace(input uintptr, t *tensor.Tensor) error {
	view, err := c.session.view(t)
	if err != nil {
		return err
	}
	defer dl.Call(c.library.api.viewRelease, view) // the list holds its own reference
	return c.library.check(dl.Call(c.library.api.listSetView, c.lists().inputs, input, view))
}

//go:build !windows

package capi

import (
	"unsafe"

	"zonemark/executor/dl"
)

// Supported returns nil: the runtime can be called here.
func Supported() error { return nil }

// copyView calls iree_hal_buffer_view_allocate_buffer_copy. In the procedure call standard for AArch64 a structure of
// more than 16 bytes is passed as the address of a copy (rule B.4): the parameters use the seventh register. The span
// has two words and does not fit into the eighth register. So it goes to the stack, and no later argument may use a
// register (rules C.11 and C.13): the eighth word of the list is not read.
func copyView(function uintptr, a viewCopy) uintptr {
	params := inputParams()
	return dl.Call(function,
		a.device, a.allocator, a.rank, uintptr(unsafe.Pointer(a.shape)), uintptr(a.element), denseRowMajor,
		uintptr(unsafe.Pointer(&params)), 0,
		uintptr(unsafe.Pointer(a.data)), a.bytes,
		uintptr(unsafe.Pointer(a.view)))
}

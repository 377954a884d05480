//go:build !windows

package capi

import (
	"unsafe"

	"zonemark/executor/dl"
)

// Supported returns nil: the runtime can be called here.
func Supported() error { return nil }

// copyView calls iree_hal_buffer_view_allocate_buffer_copy. In the System V ABI the first six arguments use the six
// integer registers. So both structures and the last argument are words on the stack, in order.
func copyView(function uintptr, a viewCopy) uintptr {
	params := inputParams()
	return dl.Call(function,
		a.device, a.allocator, a.rank, uintptr(unsafe.Pointer(a.shape)), uintptr(a.element), denseRowMajor,
		uintptr(params.usage)|uintptr(params.access)<<32, uintptr(params.memory),
		uintptr(params.queueAffinity), uintptr(params.alignment),
		uintptr(unsafe.Pointer(a.data)), a.bytes,
		uintptr(unsafe.Pointer(a.view)))
}

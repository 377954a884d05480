//go:build !windows

package capi

import (
	"unsafe"

	"zonemark/executor/dl"
)

func supported() error { return nil }

// copyView calls iree_hal_buffer_view_allocate_buffer_copy. In the System V ABI the first six arguments take the six integer registers, so that both
// structures and the last argument are words on the stack, in order.
func copyView(function uintptr, a viewCopy) uintptr {
	return dl.Call(function, a.device, a.allocator, a.rank, uintptr(unsafe.Pointer(a.shape)), uintptr(a.element), denseRowMajor,
		bufferUsage, deviceLocal, 0, 0,
		uintptr(unsafe.Pointer(a.data)), a.bytes,
		uintptr(unsafe.Pointer(a.view)))
}

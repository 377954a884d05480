package capi

// viewCopy holds the arguments of iree_hal_buffer_view_allocate_buffer_copy that differ from call to call:
//
//	iree_status_t (iree_hal_device_t*, iree_hal_allocator_t*, size_t rank, const uint64_t *shape,
//	               uint32_t element, uint32_t encoding, iree_hal_buffer_params_t,
//	               iree_const_byte_span_t, iree_hal_buffer_view_t **out)
//
// Both structures are passed by value, which each architecture does in its own way: see copyView.
type viewCopy struct {
	device, allocator, rank uintptr
	shape                   *uint64
	element                 uint32
	data                    *byte
	bytes                   uintptr
	view                    *uintptr
}

package capi

// viewCopy are the arguments of iree_hal_buffer_view_allocate_buffer_copy that differ from call to call:
//
//	iree_status_t (iree_hal_device_t*, iree_hal_allocator_t*, size_t rank, const uint64_t *shape, uint32_t element, uint32_t encoding,
//	               iree_hal_buffer_params_t, iree_const_byte_span_t, iree_hal_buffer_view_t **out)
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

// bufferParams is iree_hal_buffer_params_t.
type bufferParams struct {
	usage         uint32
	access        uint16 // 0: all
	_             uint16
	memory        uint32
	_             uint32
	queueAffinity uint64 // 0: any
	alignment     uint64 // 0: the device's
}

const (
	denseRowMajor = 1 // iree_hal_encoding_type_t
	// bufferUsage is IREE_HAL_BUFFER_USAGE_DEFAULT of inputs: transfer, dispatch storage read and write.
	bufferUsage = 1<<0 | 1<<1 | 1<<10 | 1<<11
	deviceLocal = 1<<4 | 1<<5 // iree_hal_memory_type_t
)

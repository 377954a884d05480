//go:build !windows && (amd64 || arm64)

package capi

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

// inputParams returns the parameters of the buffers of inputs.
func inputParams() bufferParams { return bufferParams{usage: bufferUsage, memory: deviceLocal} }

const (
	denseRowMajor = 1 // iree_hal_encoding_type_t
	// bufferUsage is IREE_HAL_BUFFER_USAGE_DEFAULT of inputs: transfer, dispatch storage read and write.
	bufferUsage = 1<<0 | 1<<1 | 1<<10 | 1<<11
	deviceLocal = 1<<4 | 1<<5 // iree_hal_memory_type_t
)

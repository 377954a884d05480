package halide

import (
	"unsafe"

	"zonemark/executor/halide/metadata"
)

// buffer is halide_buffer_t of Halide 14 to 21 on processors with 64 bits (HalideRuntime.h).
type buffer struct {
	device, deviceInterface uint64
	host                    uintptr // of the element at the minimum of every dimension; 0 asks for the bounds
	flags                   uint64
	typ                     metadata.Type
	dimensions              int32
	dim                     uintptr // to an array of dimension
	padding                 uintptr
}

// hostDirty is halide_buffer_flag_host_dirty: the contents on the host are those that count.
const hostDirty = 1

// dimension is halide_dimension_t, likewise. Dimension 0 comes first, and is usually the one whose elements are
// neighbours in memory.
type dimension struct {
	min, extent, stride int32
	flags               uint32
}

// profilerState is halide_profiler_state of Halide 19 to 21.
type profilerState struct {
	lock, pipelines, thread, instances, remote uintptr
	sleepTimeUS, shutdown                      int32
}

// profiledPipeline is halide_profiler_pipeline_stats, likewise.
type profiledPipeline struct {
	timeNS                  uint64
	_                       [6]uint64 // memory: now, most, in total; active threads: a fraction; the name
	funcs, next             uintptr
	numFuncs, runs, samples int32
	_                       int32 // allocations
}

// profiledFunc is halide_profiler_func_stats, likewise.
type profiledFunc struct {
	timeNS                               uint64
	_                                    uint64 // memory now
	memoryPeak                           uint64
	_                                    uint64 // memory in total
	stackPeak                            uint64
	threadsNumerator, threadsDenominator uint64
	name                                 uintptr
	allocations                          int32
	_                                    int32
}

// These sizes and offsets are those of Halide's structs. A wrong one does not compile.
var (
	_ [56]struct{} = [unsafe.Sizeof(buffer{})]struct{}{}
	_ [32]struct{} = [unsafe.Offsetof(buffer{}.typ)]struct{}{}
	_ [40]struct{} = [unsafe.Offsetof(buffer{}.dim)]struct{}{}
	_ [16]struct{} = [unsafe.Sizeof(dimension{})]struct{}{}
	_ [48]struct{} = [unsafe.Sizeof(profilerState{})]struct{}{}
	_ [40]struct{} = [unsafe.Offsetof(profilerState{}.sleepTimeUS)]struct{}{}
	_ [88]struct{} = [unsafe.Sizeof(profiledPipeline{})]struct{}{}
	_ [72]struct{} = [unsafe.Offsetof(profiledPipeline{}.numFuncs)]struct{}{}
	_ [72]struct{} = [unsafe.Sizeof(profiledFunc{})]struct{}{}
	_ [64]struct{} = [unsafe.Offsetof(profiledFunc{}.allocations)]struct{}{}
)

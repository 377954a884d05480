package executable

import "unsafe"

// The structures of iree/hal/local/executable_library.h (IREE 3.13, version 0.6) on 64-bit machines. Pointers to memory
// off the Go heap are uintptr.

// environment is iree_hal_executable_environment_v0_t: pointers to constants, to a thunk for imports, to imports and to
// their contexts, then eight words of features of the processor. All are zero: there are neither constants nor imports,
// and code that chooses by features takes its simplest path.
type environment [12]uint64

// dispatchState is iree_hal_executable_dispatch_state_v0_t.
type dispatchState struct {
	sizeX, sizeY   uint32 // size of a workgroup
	sizeZ          uint16
	constantCount  uint16
	countX, countY uint32 // number of workgroups
	countZ         uint16
	maxConcurrency uint8
	bindingCount   uint8
	constants      uintptr // u32[]
	bindings       uintptr // void*[]
	bindingLengths uintptr // size_t[], bytes
}

// workgroupState is iree_hal_executable_workgroup_state_v0_t.
type workgroupState struct {
	x, y            uint32
	z               uint16
	_               uint16
	processor       uint32
	localMemory     uintptr
	localMemorySize uint32
	_               uint32
}

// header is iree_hal_executable_library_header_t.
type header struct {
	version uint32
	_       uint32
	_       *byte  // name
	_       uint32 // features
	_       uint32 // sanitizer
}

// counted is a count with a table.
type counted struct {
	count uint32
	_     uint32
	_     uintptr
}

// library6 is iree_hal_executable_library_v0_t of version 0.6.
type library6 struct {
	header    *header
	imports   counted
	count     uint32 // number of exports
	_         uint32
	functions *uintptr
	attrs     *attributes6
	_         [2]uintptr // parameters, occupancy
	names     **byte
	_         [2]uintptr // tags, parameter names
	locations *location
	_         uintptr // stage locations
	constants uint32
	_         uint32
	_         counted // sources
}

// library5 is the same structure of version 0.5, up to the last field that is used.
type library5 struct {
	header    *header
	imports   counted
	count     uint32
	_         uint32
	functions *uintptr
	attrs     *attributes5
	names     **byte
	_         uintptr // tags
	locations *location
	_         uintptr // stage locations
	constants uint32
	_         uint32
}

// attributes6 is iree_hal_executable_dispatch_attrs_v0_t of version 0.6.
type attributes6 struct {
	flags      uint64
	localPages uint16
	constants  uint8
	bindings   uint8
	_          [2]uint32 // workgroup size x and y
	_          uint16    // workgroup size z
	_          uint16    // parameters
	_          [5]uint64
}

// dynamicWorkgroupSize is the bit in the flags of attributes6 of dispatches whose caller gives the size of a workgroup.
const dynamicWorkgroupSize = 1 << 1

// attributes5 is the same structure of version 0.5.
type attributes5 struct {
	localPages uint16
	constants  uint8
	bindings   uint8
	_          [17]uint32
}

// location is iree_hal_executable_source_location_v0_t.
type location struct {
	line       uint32
	pathLength uint32
	path       *byte
}

// A wrong size or offset of a structure does not compile.
var (
	_ [96]byte  = [unsafe.Sizeof(environment{})]byte{}
	_ [48]byte  = [unsafe.Sizeof(dispatchState{})]byte{}
	_ [32]byte  = [unsafe.Sizeof(workgroupState{})]byte{}
	_ [64]byte  = [unsafe.Sizeof(attributes6{})]byte{}
	_ [72]byte  = [unsafe.Sizeof(attributes5{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(location{})]byte{}
	_ [64]byte  = [unsafe.Offsetof(library6{}.names)]byte{}
	_ [88]byte  = [unsafe.Offsetof(library6{}.locations)]byte{}
	_ [104]byte = [unsafe.Offsetof(library6{}.constants)]byte{}
	_ [48]byte  = [unsafe.Offsetof(library5{}.names)]byte{}
	_ [64]byte  = [unsafe.Offsetof(library5{}.locations)]byte{}
	_ [24]byte  = [unsafe.Offsetof(dispatchState{}.constants)]byte{}
	_ [16]byte  = [unsafe.Offsetof(workgroupState{}.localMemory)]byte{}
)

package platform

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapMemory commits a multiple of the page size. Windows does not grant more memory than it has.
func mapMemory(size int) ([]byte, error) {
	p, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	b := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), size)
	touch(b)
	return b, nil
}

func unmapMemory(b []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(b))), 0, windows.MEM_RELEASE)
}

// AvailableMemoryBytes returns 0: it is not read on this system.
func AvailableMemoryBytes() int64 { return 0 }

// DataBytes returns 0: it is not read on this system.
func DataBytes() int64 { return 0 }

// reserveMemory maps memory; on this system it may be populated at once.
func reserveMemory(size int) ([]byte, error) { return mapMemory(size) }

// adviseHuge does nothing: the system uses huge pages without being asked, or not at all.
func adviseHuge([]byte) {}

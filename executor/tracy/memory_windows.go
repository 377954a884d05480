package tracy

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

func mapMemory(n int) ([]byte, error) {
	p, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The address is not one of Go's; reading it as a pointer through a variable keeps the conversion explicit.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), n), nil
}

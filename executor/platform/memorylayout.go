package platform

import (
	"fmt"
	"math"
	"os"
	"unsafe"
)

// Layout is how memory for arguments is placed.
type Layout struct {
	PageOffset int  // bytes from the start of a page to the memory
	HugePages  bool // ask for huge pages, which the system may not have
	Shared     Shared
}

// hugePage is the size of the huge pages of amd64, and of arm64 with pages of 4 KiB.
const hugePage = 2 << 20

// AllocLayout allocates memory as Alloc does, with a layout; free releases it. It asks for huge pages if the memory
// fills at least half of one. The memory then begins at the start of a huge page, plus the offset.
func AllocLayout(n int, o Layout) (b []byte, free func() error, err error) {
	if o.PageOffset < 0 || o.PageOffset >= os.Getpagesize() || n < 0 || n > math.MaxInt-2*hugePage {
		return nil, nil, fmt.Errorf("allocate %d bytes at offset %d of a page: no such place", n, o.PageOffset)
	}
	if o.Shared.Exchange != nil {
		whole, free, err := o.Shared.alloc(n + o.PageOffset)
		if err != nil {
			return nil, nil, err
		}
		return whole[o.PageOffset:], free, nil
	}
	if o.HugePages && n >= hugePage/2 {
		return allocHuge(n, o.PageOffset)
	}
	whole, err := Alloc(n + o.PageOffset)
	if err != nil {
		return nil, nil, err
	}
	return whole[o.PageOffset:], func() error { return Free(whole) }, nil
}

// allocHuge maps enough for an aligned part, asks for huge pages before the first touch, and leaves the rest untouched.
func allocHuge(n, offset int) (b []byte, free func() error, err error) {
	size := (n + offset + hugePage - 1) / hugePage * hugePage
	if available := AvailableMemoryBytes(); available > 0 && int64(size) > available {
		return nil, nil, shortage(n, available)
	}
	whole, err := reserveMemory(size + hugePage)
	if err != nil {
		return nil, nil, refused(n, err)
	}
	head := int(-uintptr(unsafe.Pointer(unsafe.SliceData(whole))) % hugePage)
	aligned := whole[head : head+size]
	adviseHuge(aligned)
	touch(aligned)
	return aligned[offset:][:n], func() error { return unmapMemory(whole) }, nil
}

package platform

import (
	"fmt"
	"math"
	"os"
	"unsafe"
)

// Alloc returns n bytes of zeroed memory off the Go heap, aligned to a page and populated, so that no call pays for the
// first touch. For n = 0 the slice is empty and still has an address. Alloc returns an error if the memory exceeds
// limits or what is free. Free releases the memory; the garbage collector does not know it.
func Alloc(n int) ([]byte, error) {
	page := os.Getpagesize()
	if n < 0 || n > math.MaxInt-page {
		return nil, fmt.Errorf("allocate %d bytes: not a size", n)
	}
	size := max(page, (n+page-1)/page*page)
	if size >= AskedBytes {
		if free := AvailableMemoryBytes(); free > 0 && int64(size) > free {
			return nil, shortage(n, free)
		}
	}
	b, err := mapMemory(size)
	if err != nil {
		return nil, refused(n, err)
	}
	return b[:n], nil
}

// AskedBytes is the size from which on it is asked whether so much memory is available. Asking takes longer than the
// allocation of a small block.
const AskedBytes = 1 << 20

// shortage returns the error for memory that is not available.
func shortage(n int, available int64) error {
	return fmt.Errorf("allocate %d bytes: only %d bytes of memory are available: use smaller or fewer argument sets",
		n, available)
}

// refused returns the error for memory that the system refuses.
func refused(n int, err error) error {
	return fmt.Errorf("allocate %d bytes: %w: use smaller or fewer argument sets, or raise the memory limit", n, err)
}

// Free releases memory from Alloc, which must not be used or freed again.
func Free(b []byte) error {
	if cap(b) == 0 {
		return nil
	}
	if err := unmapMemory(b[:cap(b)]); err != nil {
		return fmt.Errorf("free %d bytes: not memory from Alloc: %w", len(b), err)
	}
	return nil
}

// touch writes a zero to every page.
func touch(b []byte) {
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i] = 0
	}
}

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

// Shared is a place for memory that several processes have. The zero value is memory of this process alone.
type Shared struct {
	Exchange *Exchange
	Part     int // of the exchange, from 0
}

// Nowhere is no part of an Exchange.
const Nowhere = -1

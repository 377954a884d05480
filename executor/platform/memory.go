package platform

import (
	"fmt"
	"math"
	"os"
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

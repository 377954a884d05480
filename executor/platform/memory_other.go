//go:build !linux && !windows

package platform

import "golang.org/x/sys/unix"

// mapMemory maps a multiple of the page size.
func mapMemory(size int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	touch(b)
	return b, nil
}

func unmapMemory(b []byte) error { return unix.Munmap(b) }

// AvailableMemoryBytes returns 0: the system is not asked.
func AvailableMemoryBytes() int64 { return 0 }

// DataBytes returns 0: the system is not asked.
func DataBytes() int64 { return 0 }

// reserveMemory maps memory; it may be touched.
func reserveMemory(size int) ([]byte, error) { return mapMemory(size) }

// adviseHuge does nothing: the system gives huge pages by itself, or not at all.
func adviseHuge([]byte) {}

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

// AvailableMemoryBytes returns 0: it is not read on this system.
func AvailableMemoryBytes() int64 { return 0 }

// DataBytes returns 0: it is not read on this system.
func DataBytes() int64 { return 0 }

// reserveMemory maps memory; on this system it may be populated at once.
func reserveMemory(size int) ([]byte, error) { return mapMemory(size) }

// adviseHuge does nothing: the system uses huge pages without being asked, or not at all.
func adviseHuge([]byte) {}

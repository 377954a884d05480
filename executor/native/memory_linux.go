package native

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// mapMemory maps a multiple of the page size. Its pages are asked for separately, because MAP_POPULATE reports no failure.
func mapMemory(size int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	switch err := unix.Madvise(b, unix.MADV_POPULATE_WRITE); err {
	case nil:
	case unix.ENOMEM, unix.EFAULT, unix.EHWPOISON:
		unix.Munmap(b)
		return nil, unix.ENOMEM
	default: // before Linux 5.14, or forbidden
		touch(b)
	}
	return b, nil
}

// reserveMemory maps memory that takes none until it is touched.
func reserveMemory(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// adviseHuge asks for huge pages. Where there are none, the memory has small ones.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

func unmapMemory(b []byte) error { return unix.Munmap(b) }

// availableMemory is what the kernel thinks can be allocated without swapping. Linux promises more than it has and kills whoever
// comes to collect, so it is asked first.
func availableMemory() (bytes uint64, known bool) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		var info unix.Sysinfo_t
		if unix.Sysinfo(&info) != nil {
			return 0, false
		}
		return uint64(info.Totalram) * uint64(info.Unit), true
	}
	return parseAvailable(b)
}

// parseAvailable finds "MemAvailable: 123 kB" in /proc/meminfo.
func parseAvailable(meminfo []byte) (n uint64, known bool) {
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		f := bytes.Fields(lines.Bytes())
		if len(f) == 3 && string(f[0]) == "MemAvailable:" && string(f[2]) == "kB" {
			kb, err := strconv.ParseUint(string(f[1]), 10, 53)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

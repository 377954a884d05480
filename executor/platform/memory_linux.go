package platform

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// mapMemory maps a multiple of the page size. It populates the pages separately, because MAP_POPULATE reports no
// failure.
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

// reserveMemory maps memory that uses no pages until it is touched.
func reserveMemory(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// adviseHuge asks for huge pages. If there are none, the memory has small ones.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

func unmapMemory(b []byte) error { return unix.Munmap(b) }

// AvailableMemoryBytes returns the memory that the kernel estimates can be allocated without swapping. It returns the
// memory of the whole machine if /proc is hidden, and 0 if the kernel does not report it. Linux grants more memory than
// it has and later kills a process that uses it, so callers check before they allocate.
func AvailableMemoryBytes() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		var info unix.Sysinfo_t
		if unix.Sysinfo(&info) != nil {
			return 0
		}
		return int64(uint64(info.Totalram) * uint64(info.Unit))
	}
	n, _ := parseKilobytes(b, "MemAvailable:")
	return int64(n)
}

// DataBytes returns the data memory of this process as RLIMIT_DATA counts it, and its first stack, or 0 if the kernel
// does not report it. It is called after each invocation, so it makes few system calls and no others than it must.
func DataBytes() int64 {
	fd, err := unix.Open("/proc/self/statm", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	var text [128]byte // seven numbers of at most 16 digits
	n, err := unix.Read(fd, text[:])
	_ = unix.Close(fd) // nothing was written
	if err != nil {
		return 0
	}
	return statmData(text[:n]) * int64(os.Getpagesize())
}

// statmData returns the sixth number of /proc/PID/statm, the pages of data and stack; 0 if there is none. Layout:
// proc(5), "/proc/pid/statm".
func statmData(text []byte) int64 {
	f := bytes.Fields(text)
	if len(f) < 6 {
		return 0
	}
	pages, err := strconv.ParseInt(string(f[5]), 10, 40)
	if err != nil || pages < 0 {
		return 0
	}
	return pages
}

// parseKilobytes finds a line "KEY 123 kB" of /proc/meminfo or /proc/self/status and returns it in bytes.
func parseKilobytes(text []byte, key string) (n uint64, known bool) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		f := bytes.Fields(lines.Bytes())
		if len(f) == 3 && string(f[0]) == key && string(f[2]) == "kB" {
			kb, err := strconv.ParseUint(string(f[1]), 10, 53)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

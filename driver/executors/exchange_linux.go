package executors

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// exchangeParts returns two parts of memory of a fixed size, which take no pages until they are written, and behind
// them a page for steps. It returns nil if the system refuses them, or if it cannot tell who has a part open: measuring
// then goes on without.
func exchangeParts(bytes int64) (files []*os.File) {
	page := int64(os.Getpagesize())
	part := (bytes + page - 1) / page * page
	for _, size := range []int64{part, part, page} {
		f, err := newMemory(size)
		if err != nil || !tellsWhoOpens(f) {
			closeAll(append(files, f)...)
			return nil
		}
		files = append(files, f)
	}
	return files
}

// newMemory returns a file in memory that cannot grow or shrink any more: what is confined may fill it, no more.
func newMemory(bytes int64) (*os.File, error) {
	fd, err := unix.MemfdCreate("arguments", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("memory to exchange: %w", err)
	}
	made := os.NewFile(uintptr(fd), "arguments")
	defer made.Close()
	if err = made.Truncate(bytes); err == nil {
		_, err = unix.FcntlInt(made.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err != nil {
		return nil, fmt.Errorf("memory to exchange: %w", err)
	}
	return reopen(made) // the kernel does not count the first opening as one that writes
}

// reopen opens a file in memory once more. The openings are told apart by openElsewhere.
func reopen(f *os.File) (*os.File, error) {
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_RDWR, 0)
}

// openElsewhere reports whether a file is open otherwise than by f: by a descriptor in any table or on its way between
// processes, or by a mapping. A lease for writing (F_SETLEASE in fcntl(2)) is granted only if it is not.
func openElsewhere(f *os.File) bool {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		return true
	}
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	return err != nil
}

// tellsWhoOpens reports whether openElsewhere is right about a file that is open once.
func tellsWhoOpens(f *os.File) bool {
	if openElsewhere(f) {
		return false
	}
	other, err := reopen(f)
	if err != nil {
		return false
	}
	defer other.Close()
	return openElsewhere(f)
}

// HugePages returns what the system says of transparent huge pages; "" if it does not tell.
func HugePages() string {
	b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil {
		return ""
	}
	return string(b)
}

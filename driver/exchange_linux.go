package driver

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// exchangeParts returns two parts of memory of a fixed size, which take no pages until they are written; nil if the system
// refuses them: measuring then goes on without. At their end is a page more, for steps.
func exchangeParts(bytes int64) (parts []*os.File) {
	page := int64(os.Getpagesize())
	for range 2 {
		f, err := newMemory((bytes+page-1)/page*page + page)
		if err != nil {
			for _, f := range parts {
				f.Close() // it holds nothing
			}
			return nil
		}
		parts = append(parts, f)
	}
	return parts
}

// newMemory returns a file in memory that cannot grow or shrink any more: what is confined may fill it, no more.
func newMemory(bytes int64) (*os.File, error) {
	fd, err := unix.MemfdCreate("arguments", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("memory to exchange: %w", err)
	}
	f := os.NewFile(uintptr(fd), "arguments")
	if err = f.Truncate(bytes); err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("memory to exchange: %w", err)
	}
	return f, nil
}

func hugePagesAlways() bool {
	b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && strings.Contains(string(b), hugePagesOn)
}

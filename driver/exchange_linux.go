package driver

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// newExchange returns memory of a fixed size, which takes no pages until it is written; nil if the system refuses it:
// measuring then goes on without.
func newExchange(bytes int64) *Exchange {
	x := &Exchange{bytes: bytes}
	for range 2 {
		f, err := newMemory(bytes)
		if err != nil {
			x.close()
			return nil
		}
		x.parts = append(x.parts, f)
	}
	return x
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

// hugePagesAlways reports whether the system gives huge pages to memory that nobody asked them for. It does not do so
// for memory that is exchanged.
func hugePagesAlways() bool {
	b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && strings.Contains(string(b), "[always]")
}

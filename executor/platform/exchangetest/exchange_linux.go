// Package exchangetest makes memory to exchange for tests, as the driver does for executors.
package exchangetest

import (
	"testing"

	"zonemark/executor/platform"

	"golang.org/x/sys/unix"
)

// New returns an exchange whose parts have so many bytes. Its descriptors are open until the test binary ends.
func New(t *testing.T, bytes int64) *platform.Exchange {
	t.Helper()
	first := 500
	for i := range platform.ExchangeParts {
		fd, err := unix.MemfdCreate("part", unix.MFD_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Ftruncate(fd, bytes); err != nil {
			t.Fatal(err)
		}
		inherited, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, first+i)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = inherited
		}
		if inherited != first+i {
			t.Fatalf("descriptor %d is in use", first+i)
		}
		if err := unix.Close(fd); err != nil {
			t.Fatal(err)
		}
	}
	x, err := platform.TakeExchange(first, 600)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

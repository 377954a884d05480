// Package exchangetest makes memory to exchange for tests, as the driver does for executors.
package exchangetest

import (
	"testing"

	"zonemark/executor/platform"
	"zonemark/invocations/loans"

	"golang.org/x/sys/unix"
)

// New returns an exchange whose parts have so many bytes, with a lender that grants every request. Its descriptors are
// open until the test binary ends.
func New(t *testing.T, bytes int64) *platform.Exchange {
	t.Helper()
	var parts [loans.Parts]int
	for i := range parts {
		parts[i] = newMemory(t, bytes)
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	go lend(ends[0], parts)
	return Take(t, ends[1], newMemory(t, int64(unix.Getpagesize())))
}

// Take returns the exchange of a process that inherits these descriptors, which are closed.
func Take(t *testing.T, lender, steps int) *platform.Exchange {
	t.Helper()
	first := 500
	for i, fd := range []int{lender, steps} {
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

func newMemory(t *testing.T, bytes int64) int {
	t.Helper()
	fd, err := unix.MemfdCreate("part", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Ftruncate(fd, bytes); err != nil {
		t.Fatal(err)
	}
	return fd
}

// lend answers requests until the other end is closed.
func lend(socket int, parts [loans.Parts]int) {
	request := make([]byte, 1)
	for {
		if n, err := unix.Read(socket, request); n != 1 || err != nil {
			return
		}
		var rights []byte
		if at := int(request[0]); at < len(parts) {
			rights = unix.UnixRights(parts[at])
		}
		if err := unix.Sendmsg(socket, []byte{loans.Granted}, rights, nil, 0); err != nil {
			return
		}
	}
}

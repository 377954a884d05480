package executors

import (
	"os"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"zonemark/executor/platform"
	"zonemark/executor/platform/exchangetest"
)

// borrower is an executor of a pair as the driver's lender sees it.
type borrower struct {
	*loan
	exchange *platform.Exchange
	killed   chan struct{}
	memory   []byte
	free     func() error
}

// newBorrower returns an executor with memory in a part.
func newBorrower(t *testing.T, x *Exchange, part int) *borrower {
	t.Helper()
	l, err := x.lendTo()
	if err != nil {
		t.Fatal(err)
	}
	var fds []int
	for _, f := range l.inherited() {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			t.Fatal(err)
		}
		fds = append(fds, fd)
	}
	b := &borrower{loan: l, killed: make(chan struct{}), exchange: exchangetest.Take(t, fds[0], fds[1])}
	l.begin(func() { close(b.killed) })
	t.Cleanup(func() { l.end() })
	b.memory, b.free, err = platform.AllocLayout(int(x.bytes), platform.Layout{Shared: b.in(part)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *borrower) in(part int) platform.Shared {
	return platform.Shared{Exchange: b.exchange, Part: part}
}

// openInside returns the files in memory that this process, in which the sides of the test live, has open by
// descriptors.
func openInside(t *testing.T) (inodes []uint64) {
	t.Helper()
	folders, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range folders {
		var s unix.Stat_t
		if unix.Stat("/proc/self/fd/"+e.Name(), &s) == nil && s.Mode&unix.S_IFMT == unix.S_IFREG {
			inodes = append(inodes, s.Ino)
		}
	}
	return inodes
}

func newTestExchange(t *testing.T) *Exchange {
	t.Helper()
	x := NewExchange(64 << 10)
	if x == nil {
		t.Fatal("this system lends no memory")
	}
	t.Cleanup(x.Close)
	x.patience = 100 * time.Millisecond
	return x
}

// The sides of a pair change parts, and what one has written before reaches the other one no more.
func TestLending(t *testing.T) {
	x := newTestExchange(t)
	a, b := newBorrower(t, x, 0), newBorrower(t, x, 1)
	a.memory[5], b.memory[5] = 1, 2
	var inherited, part unix.Stat_t
	for _, f := range a.inherited() {
		if unix.Fstat(int(f.Fd()), &inherited) != nil { // the end that only the executor has is closed
			continue
		}
		for _, p := range x.parts {
			if err := unix.Fstat(int(p.Fd()), &part); err != nil || part.Ino == inherited.Ino {
				t.Errorf("an executor inherits a part: %v", err)
			}
		}
	}
	for _, side := range []*borrower{a, b} {
		if err := side.in(platform.Nowhere).Replace(side.memory); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.in(1).Replace(a.memory); err != nil {
		t.Fatal(err)
	}
	if err := b.in(0).Replace(b.memory); err != nil {
		t.Fatal(err)
	}
	if a.memory[5] != 2 || b.memory[5] != 1 {
		t.Errorf("%d and %d: the sides have not changed their parts", a.memory[5], b.memory[5])
	}
	if a.end() || b.end() {
		t.Error("an honest side is said to keep memory")
	}
}

// A side that keeps a way to write into memory which is the other one's next is killed before that has it.
func TestKeptMemory(t *testing.T) {
	for name, keep := range map[string]func(*testing.T, *Exchange, *borrower) (drop func()){
		"mapping": func(t *testing.T, _ *Exchange, b *borrower) func() {
			second := uintptr(len(b.memory))
			kept, err := unix.MremapPtr(unsafe.Pointer(&b.memory[0]), 0, nil, second, unix.MREMAP_MAYMOVE)
			if err != nil {
				t.Fatal(err)
			}
			return func() { _ = unix.MunmapPtr(kept, uintptr(len(b.memory))) }
		},
		"descriptor": func(t *testing.T, x *Exchange, b *borrower) func() {
			fd, err := b.exchange.Take(0)
			if err != nil {
				t.Fatal(err)
			}
			return func() { unix.Close(fd) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTestExchange(t)
			a, b := newBorrower(t, x, 0), newBorrower(t, x, 1)
			drop := keep(t, x, a)
			left := make(chan error, 1)
			go func() { left <- a.in(platform.Nowhere).Replace(a.memory) }()
			select {
			case <-a.killed:
			case err := <-left:
				t.Fatalf("a side has left memory to which it has kept a way: %v", err)
			case <-time.After(time.Minute):
				t.Fatal("a side that keeps memory lives on")
			}
			drop() // as the end of its process does
			if !a.end() {
				t.Error("its end does not say why")
			}
			if err := <-left; err == nil {
				t.Error("it was told that it has left")
			}
			x.mu.Lock()
			x.patience = time.Minute
			x.mu.Unlock()
			if err := b.in(0).Replace(b.memory); err != nil {
				t.Errorf("the other side does not get the memory: %v", err)
			}
			if b.end() {
				t.Error("the other side is accused")
			}
		})
	}
}

// A side gets no part that the other one has, and none beside its own: it could hinder that one.
func TestForeignPart(t *testing.T) {
	x := newTestExchange(t)
	a, b := newBorrower(t, x, 0), newBorrower(t, x, 1)
	before := openInside(t)
	if _, err := a.exchange.Take(1); err == nil {
		t.Error("a side has both parts")
	}
	for _, inode := range openInside(t) {
		if !slices.Contains(before, inode) { // the collector may close one of another test meanwhile
			t.Error("a descriptor came with the refusal")
		}
	}
	if b.memory[0] = 3; b.memory[0] != 3 || a.end() || b.end() {
		t.Error("the refusal ends a side")
	}
}

package watching

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const mapsText = "00400000-00500000 r-xp 00000000 fd:00 12 /usr/bin/x\n" +
	"7f0000000000-7f0000001000 rw-s 00000000 00:01 77 /memfd:a b (deleted)\n" +
	"7f0000001000-7f0000002000 rw-s 00001000 00:01 77 /memfd:a b (deleted)\n" +
	"00600000-00601000 rw-s 00000000 00:01 78 /dev/zero (deleted)\n7f0000003000-7f0000004000 rw-p 00000000 00:00 0 \n"

// One mapping of each file without a name is looked at, by the name that it has in map_files.
func TestDeletedMappings(t *testing.T) {
	want := []string{"7f0000000000-7f0000001000", "600000-601000"}
	if got := deletedMappings([]byte(mapsText)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// selfWatch returns a watch of this process that has not begun.
func selfWatch(t *testing.T) *watch {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return &watch{process: self}
}

// Files in memory count also if they are mapped only, and if none of their pages is.
func TestMappedFilesCount(t *testing.T) {
	const size = 8 << 20
	w := selfWatch(t)
	sum := func() (total int64) {
		for _, n := range w.look().hidden {
			total += n
		}
		return total
	}
	before := sum()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Ftruncate(fd, size); err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	for i := 0; i < size; i += os.Getpagesize() {
		b[i] = 1
	}
	if got := sum() - before; got < size {
		t.Errorf("open: %d bytes of %d", got, size)
	}
	if err := unix.Madvise(b, unix.MADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if err := unix.Close(fd); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		t.Skip("only root is told the sizes of files that are mapped and not open")
	}
	if got := sum() - before; got < size {
		t.Errorf("mapped: %d bytes of %d", got, size)
	}
}

// A few sockets and pipes count nothing; many count as if they were full, each once.
func TestBuffersCount(t *testing.T) {
	few := &held{sockets: freeBuffers, pipes: freeBuffers}
	many := &held{sockets: freeBuffers + 2, pipes: freeBuffers + 3}
	if a, b := few.bufferBytes(), many.bufferBytes(); a != 0 || b != 2*socketBytes()+3*pipeBytes ||
		socketBytes() < 64<<10 {
		t.Errorf("%d and %d bytes; a socket has %d", a, b, socketBytes())
	}
	w := selfWatch(t)
	before := w.look()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	again, err := unix.Dup(pair[0])
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(again)
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	if after := w.look(); after.sockets != before.sockets+2 || after.pipes != before.pipes {
		t.Errorf("%d sockets and %d pipes, after %d and %d", after.sockets, after.pipes, before.sockets, before.pipes)
	}
}

func TestTablesCount(t *testing.T) {
	s := parseStatus([]byte("Threads:\t3\nVmPTE:\t  2048 kB\n"))
	if s.tableBytes != 2<<20 {
		t.Errorf("%+v", s)
	}
	w := &watch{limits: Limits{MemoryBytes: 1 << 20}, process: selfWatch(t).process}
	if got := w.compare(s); !strings.Contains(got.Tell("in a test"), "took 2 MiB of memory") {
		t.Errorf("%+v", got)
	}
}

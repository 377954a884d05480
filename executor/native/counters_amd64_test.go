//go:build linux

package native

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"zonemark/executor/dl"
)

// READ_PMC contains these offsets.
const (
	_ = -(unsafe.Offsetof(unix.PerfEventMmapPage{}.Lock) ^ 8)
	_ = -(unsafe.Offsetof(unix.PerfEventMmapPage{}.Index) ^ 12)
	_ = -(unsafe.Offsetof(unix.PerfEventMmapPage{}.Offset) ^ 16)
	_ = -(unsafe.Offsetof(unix.PerfEventMmapPage{}.Pmc_width) ^ 48)
)

// madeUpPages returns pages as the kernel would map them, and their addresses.
func madeUpPages(t *testing.T, n int) ([]unix.PerfEventMmapPage, []uintptr) {
	t.Helper()
	size := int(unsafe.Sizeof(unix.PerfEventMmapPage{}))
	b := offHeap(t, n*size)
	pages := unsafe.Slice((*unix.PerfEventMmapPage)(unsafe.Pointer(unsafe.SliceData(b))), n)
	var addresses []uintptr
	for i := range pages {
		pages[i] = unix.PerfEventMmapPage{}
		addresses = append(addresses, uintptr(unsafe.Pointer(&pages[i])))
	}
	return pages, addresses
}

func TestReadPagesOfStoppedEvents(t *testing.T) {
	pages, addresses := madeUpPages(t, 3)
	want := []int64{0, 1<<62 + 5, -7}
	for i := range pages {
		pages[i].Lock, pages[i].Offset, pages[i].Pmc_width = uint32(i), want[i], 48
	}
	out := []uint64{1, 1, 1, 1}
	readPages(&addresses[0], 0, &out[0])
	if out[0] != 1 {
		t.Error("no page was asked for, one was read")
	}
	readPages(&addresses[0], 3, &out[0])
	for i := range want {
		if int64(out[i]) != want[i] {
			t.Errorf("page %d: %d, want %d", i, int64(out[i]), want[i])
		}
	}
	if out[3] != 1 {
		t.Error("three pages were asked for, four were read")
	}
}

// TestReadPagesOfCountingEvents emulates rdpmc, so that it runs where the processor or the kernel refuses the
// instruction.
func TestReadPagesOfCountingEvents(t *testing.T) {
	lib := compile(t, "rdpmc.c")
	table := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 64)))), 8)
	copy(table, []uint64{
		0x123456789abc, 0xffff_ffff_fff6, 0x7fff_ffff_ffff, 0xffff_0000_0000_0005, 0x80000000, 1<<64 - 3, 1 << 47,
	})
	if err := faults(t); err == nil {
		t.Skip("rdpmc works here; the emulation would not be asked")
	}
	for _, c := range []struct {
		name    string
		index   uint32
		width   uint16
		offset  int64
		changes bool // the page changes while it is read
		want    int64
	}{
		{"counter and offset", 1, 48, 1000, false, 0x123456789abc + 1000},
		{"negative", 2, 48, 0, false, -10},
		{"negative and offset", 2, 48, 1 << 50, false, 1<<50 - 10},
		{"largest", 3, 48, 1, false, 1 << 47},
		{"smallest", 7, 48, 0, false, -1 << 47},
		{"high bits are not the counter's", 4, 48, 0, false, 5},
		{"32 bits", 5, 32, 0, false, -1 << 31},
		{"40 bits", 5, 40, 0, false, 1 << 31},
		{"64 bits", 6, 64, 0, false, -3},
		{"changes while it is read", 1, 48, 5, true, 0x123456789abc + 1005},
	} {
		t.Run(c.name, func(t *testing.T) {
			pages, addresses := madeUpPages(t, 1)
			p := &pages[0]
			p.Lock, p.Index, p.Offset, p.Pmc_width = 77, c.index, c.offset, c.width
			executed, lock := uintptr(1), uintptr(0)
			if c.changes {
				executed, lock = 2, uintptr(unsafe.Pointer(&p.Lock))
			}
			var out [1]uint64
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			emulate, restore := symbol(t, lib, "emulate"), symbol(t, lib, "restore")
			counters, offset := uintptr(unsafe.Pointer(&table[0])), uintptr(unsafe.Pointer(&p.Offset))
			if failed := int32(dl.Call(emulate, counters, lock, offset)); failed != 0 {
				t.Fatal("the handler cannot be installed")
			}
			readPages(&addresses[0], 1, &out[0])
			if n := dl.Call(restore); n != executed {
				t.Errorf("rdpmc was executed %d times, want %d", n, executed)
			}
			if int64(out[0]) != c.want {
				t.Errorf("read %#x, want %#x", out[0], uint64(c.want))
			}
		})
	}
}

// faults returns the error of an rdpmc that the processor refuses.
func faults(t *testing.T) error {
	pages, addresses := madeUpPages(t, 1)
	pages[0].Index, pages[0].Pmc_width = 1, 48
	return tryPages(addresses, make([]uint64, 1))
}

// TestRefusedReadIsAnError checks that a page that allows what the processor refuses is an error and does not end the
// process.
func TestRefusedReadIsAnError(t *testing.T) {
	err := faults(t)
	if err == nil {
		t.Skip("rdpmc works here")
	}
	if !strings.Contains(err.Error(), "rdpmc") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one line about rdpmc", err)
	}
	t.Log(err)
}

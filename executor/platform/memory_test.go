package platform

import (
	"math"
	"os"
	"testing"
	"unsafe"
)

func TestAlloc(t *testing.T) {
	page := os.Getpagesize()
	for _, n := range []int{0, 1, 100, page, page + 1, 3 << 20} {
		b, err := Alloc(n)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if len(b) != n || p == 0 || p%uintptr(page) != 0 {
			t.Errorf("%d bytes: %d at %#x, want page-aligned memory of that size", n, len(b), p)
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("%d bytes: byte %d is %d", n, i, b[i])
			}
			b[i] = 0xff
		}
		if err := Free(b); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestAllocTooMuch(t *testing.T) {
	for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt - 4096, 1 << 50, 1 << 46} {
		if b, err := Alloc(n); err == nil {
			t.Errorf("%d bytes were allocated", n)
			Free(b)
		}
	}
}

func TestFree(t *testing.T) {
	if err := Free(nil); err != nil {
		t.Errorf("freeing nothing: %v", err)
	}
}

func TestAllocLayout(t *testing.T) {
	page := os.Getpagesize()
	for _, c := range []struct {
		bytes, offset int
		huge          bool
		aligned       uintptr // to which the memory before the offset is
	}{
		{1, 0, false, uintptr(page)},
		{100, 128, false, uintptr(page)},
		{3 * page, page - 64, false, uintptr(page)}, // over one page more
		{100, 128, true, uintptr(page)},             // too little for a huge page
		{hugePage/2 - 1, 256, true, uintptr(page)},
		{hugePage / 2, 0, true, hugePage},
		{hugePage, 384, true, hugePage}, // over one huge page more
		{5 * hugePage / 2, 128, true, hugePage},
	} {
		b, free, err := AllocLayout(c.bytes, Layout{PageOffset: c.offset, HugePages: c.huge})
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if len(b) != c.bytes || at%c.aligned != uintptr(c.offset) {
			t.Errorf("%+v: %d bytes at %#x", c, len(b), at)
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("%+v: byte %d is %d", c, i, b[i])
			}
			b[i] = 0xff
		}
		if err := free(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestAllocLayoutErrors(t *testing.T) {
	for _, c := range []struct {
		bytes, offset int
		huge          bool
	}{
		{100, -1, false}, {100, os.Getpagesize(), false}, {-1, 0, false}, {-1, 0, true}, {math.MaxInt, 0, true},
		{math.MaxInt, 128, false}, {1 << 50, 128, false}, {1 << 50, 0, true},
	} {
		if b, free, err := AllocLayout(c.bytes, Layout{PageOffset: c.offset, HugePages: c.huge}); err == nil {
			t.Errorf("%+v: %d bytes were allocated", c, len(b))
			if err := free(); err != nil {
				t.Error(err)
			}
		}
	}
}

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

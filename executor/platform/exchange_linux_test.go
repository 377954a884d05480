package platform_test

import (
	"strings"
	"testing"
	"unsafe"

	"zonemark/executor/platform"
	"zonemark/executor/platform/exchangetest"
)

// Memory of one process moves to the other part, at the same address; each part keeps its contents.
func TestExchange(t *testing.T) {
	const bytes, offset = 100_000, 128
	x := exchangetest.New(t, bytes+offset)
	first, second := platform.Shared{Exchange: x}, platform.Shared{Exchange: x, Part: 1}
	b, free, err := platform.AllocLayout(bytes, platform.Layout{PageOffset: offset, Shared: first})
	if err != nil {
		t.Fatal(err)
	}
	other, freeOther, err := platform.AllocLayout(bytes, platform.Layout{PageOffset: offset, Shared: second})
	if err != nil {
		t.Fatal(err)
	}
	if len(b) != bytes || uintptr(unsafe.Pointer(&b[0]))%4096 != offset {
		t.Fatalf("%d bytes at %p", len(b), &b[0])
	}
	b[0], b[bytes-1], other[0], other[bytes-1] = 1, 2, 3, 4
	if err := second.Replace(b); err != nil {
		t.Fatal(err)
	}
	if b[0] != 3 || b[bytes-1] != 4 {
		t.Errorf("after a move, the memory holds %d and %d", b[0], b[bytes-1])
	}
	if err := first.Replace(other); err != nil {
		t.Fatal(err)
	}
	if other[0] != 1 || other[bytes-1] != 2 {
		t.Errorf("after both have moved, the other memory holds %d and %d", other[0], other[bytes-1])
	}
	for _, free := range []func() error{free, freeOther} {
		if err := free(); err != nil {
			t.Error(err)
		}
	}
}

func TestExchangeErrors(t *testing.T) {
	x := exchangetest.New(t, 4096)
	for _, c := range []struct {
		bytes  int
		shared platform.Shared
		want   string
	}{
		{4097, platform.Shared{Exchange: x}, "the memory to exchange has 4096 bytes"},
		{10, platform.Shared{Exchange: x, Part: 2}, "no memory to exchange"},
		{10, platform.Shared{Exchange: x, Part: -1}, "no memory to exchange"},
	} {
		_, _, err := platform.AllocLayout(c.bytes, platform.Layout{Shared: c.shared})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d bytes of part %d: %v", c.bytes, c.shared.Part, err)
		}
	}
	if err := (platform.Shared{}).Replace(make([]byte, 1)); err == nil {
		t.Error("memory was replaced without an exchange")
	}
	if _, err := platform.TakeExchange(499, 600); err == nil {
		t.Error("an exchange was taken from a descriptor that is not open")
	}
}

package platform

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"unsafe"
)

// TestAllocLayoutIsFreed checks that free unmaps the memory, and also what was mapped around an aligned part.
func TestAllocLayoutIsFreed(t *testing.T) {
	for _, huge := range []bool{false, true} {
		b, free, err := AllocLayout(3*hugePage/2, Layout{PageOffset: 128, HugePages: huge})
		if err != nil {
			t.Fatal(err)
		}
		at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - 128
		if !mapped(t, at) {
			t.Errorf("huge pages %t: no mapping holds %#x before it is freed", huge, at)
		}
		if err := free(); err != nil {
			t.Error(err)
		}
		if mapped(t, at) {
			t.Errorf("huge pages %t: a mapping holds %#x after it was freed", huge, at)
		}
	}
}

// mapped reports whether a mapping of this process holds an address.
func mapped(t *testing.T, address uintptr) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var low, end uintptr
		if _, err := fmt.Sscanf(string(line), "%x-%x", &low, &end); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if low <= address && address < end {
			return true
		}
	}
	return false
}

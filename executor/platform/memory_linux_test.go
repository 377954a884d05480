package platform

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"unsafe"
)

func TestFreeForeignMemory(t *testing.T) {
	if Free(make([]byte, 4096)) == nil {
		t.Error("memory that Alloc did not return was freed")
	}
}

func TestParseKilobytes(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  uint64
		known bool
	}{
		{"MemTotal:       24683520 kB\nMemFree:        24012345 kB\nMemAvailable:   24100000 kB\n", 24100000 << 10,
			true},
		{"MemTotal:       24683520 kB\n", 0, false},
		{"MemAvailable:\t 4 kB\n", 4096, true},
		{"MemAvailable: lots kB\n", 0, false},
		{"MemAvailable: 5\n", 0, false},
		{"MemAvailable: 99999999999999999999 kB\n", 0, false},
		{"", 0, false},
	} {
		if got, known := parseKilobytes([]byte(c.text), "MemAvailable:"); known != c.known || known && got != c.want {
			t.Errorf("%q: %d, %v, want %d, %v", c.text, got, known, c.want, c.known)
		}
	}
}

func FuzzParseKilobytes(f *testing.F) {
	f.Add([]byte("MemTotal:       24683520 kB\nMemAvailable:   24100000 kB\n"))
	f.Add([]byte("MemAvailable: x kB"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, known := parseKilobytes(b, "MemAvailable:"); known && n%1024 != 0 {
			t.Errorf("%d bytes are not whole kilobytes", n)
		}
	})
}

func TestMemoryOfThisMachine(t *testing.T) {
	if n := AvailableMemoryBytes(); n < 1<<20 {
		t.Errorf("%d bytes are available", n)
	}
	if n := DataBytes(); n < 1<<20 {
		t.Errorf("this process has %d bytes of data", n)
	}
}

func TestStatmData(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"310034 5000 3000 200 0 41000 0\n", 41000},
		{"310034 5000 3000 200 0", 0},
		{"1 2 3 4 5 -6 7", 0},
		{"1 2 3 4 5 99999999999999999999 7", 0},
		{"", 0},
	} {
		if got := statmData([]byte(c.text)); got != c.want {
			t.Errorf("%q: %d pages, want %d", c.text, got, c.want)
		}
	}
}

func FuzzStatmData(f *testing.F) {
	f.Add([]byte("310034 5000 3000 200 0 41000 0\n"))
	f.Add([]byte("a b c d e f"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if n := statmData(text); n < 0 || n > 1<<39 {
			t.Errorf("%d pages", n)
		}
	})
}

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

package trace

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"zonemark/invocations/race"
	"zonemark/trace/internal/tracytest"
)

// TestLargeCapture walks a capture of 32 MB, or of 1 GB with ZONEMARK_TEST_LARGE=1, in little memory. If the environment
// variable ZONEMARK_LARGE_TRACY is set, it keeps the capture under that name, for the benchmark of large files.
func TestLargeCapture(t *testing.T) {
	if race.Enabled {
		t.Skip("memory is counted, and that of the race detector is much of it")
	}
	size := int64(32 << 20)
	if os.Getenv("ZONEMARK_TEST_LARGE") != "" {
		size = 1 << 30
	}
	path := cmp.Or(os.Getenv("ZONEMARK_LARGE_TRACY"), filepath.Join(t.TempDir(), "large.tracy"))
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zones, err := tracytest.WriteLarge(out, uint32(version0_14), size)
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < size {
		t.Fatalf("the capture has %v, %v", info, err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const most = 64 << 20
	before := live()
	seen := 0
	for z, err := range f.Zones() {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; z.DurationNS <= 0 {
			t.Fatalf("zone %d takes %d ns", seen, z.DurationNS)
		}
		if seen%(zones/16) == 0 {
			if is := live(); is > before+most {
				t.Fatalf("%d MB of heap after %d of %d zones, want at most %d MB", (is-before)>>20, seen, zones, most>>20)
			}
		}
	}
	if seen != zones {
		t.Errorf("%d zones, want %d", seen, zones)
	}
}

// live returns the bytes of the heap that are in use.
func live() uint64 {
	runtime.GC() // tests before this one have left garbage
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

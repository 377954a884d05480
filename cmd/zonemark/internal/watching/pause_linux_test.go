package watching

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// Who is far from its limits is left alone, and so is who waits; who is near them is not.
func TestPause(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	second := bytesPerSecond * int64(runtime.NumCPU())
	for _, c := range []struct {
		name    string
		limits  Limits
		used    int64
		threads int64
		want    time.Duration
	}{
		{"no limits", Limits{}, 0, 10, calmest},
		{"a family", Limits{Family: true}, 0, 10, familyEvery},
		{"much memory is left", Limits{MemoryBytes: 3 * second}, 2 * second, 10, calmest},
		{"what 200 ms can take is left", Limits{MemoryBytes: second}, second - second/5, 10, 100 * time.Millisecond},
		{"little memory is left", Limits{MemoryBytes: second}, second - 1, 10, quickest},
		{"little memory is left, but nothing runs", Limits{MemoryBytes: second, Waits: true}, second - 1, 10, calmest},
		{"threads for a second are left", Limits{Threads: threadsPerSecond}, 0, 10, calmest},
		{"threads that the kernel does not hold", Limits{Threads: 4096}, 0, 10, quickest},
	} {
		w := &watch{limits: c.limits, process: self, used: c.used}
		if got := w.pause(c.threads).Round(time.Millisecond); got != c.want {
			t.Errorf("%s: a pause of %v, want %v", c.name, got, c.want)
		}
	}
}

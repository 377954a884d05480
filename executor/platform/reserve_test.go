package platform

import (
	"os"
	"runtime"
	"testing"
)

// A reserve is there once, however often it is asked for.
func TestReserveThreads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("threads are counted in /proc")
	}
	const n = 60 // more than a test binary has
	threads := func() int {
		list, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	ReserveThreads(n)
	first := threads()
	ReserveThreads(n)
	if second := threads(); first < n || second >= first+n {
		t.Errorf("%d threads, then %d", first, second)
	}
}

package platform

import "testing"

// TestStillRunning tells threads that go on running from those that only wait for a CPU to become idle. On a busy machine,
// a thread of Go's that had no CPU for a millisecond was taken for one that an invocation had left.
func TestStillRunning(t *testing.T) {
	for _, c := range []struct {
		name  string
		looks int // after which the thread sleeps; 0: never
		usedNS,
		perLookNS int64
		want int
	}{
		{"goes on running", 0, 5e9, 300e3, 1},
		{"goes on running, with little CPU", 0, 0, 30e3, 1},
		{"is about to sleep", 1, 0, 20e3, 0},
		{"is about to sleep, and waits for a CPU", 100, 5e9, 0, 0},
		{"has no CPU at all", 0, 5e9, 0, 0},
	} {
		looks := 0
		look := func() (map[int]bool, map[int]int64) {
			looks++
			return map[int]bool{7: c.looks == 0 || looks <= c.looks}, map[int]int64{7: c.usedNS + int64(looks)*c.perLookNS}
		}
		if got := stillRunning(map[int]bool{7: true}, look); got != c.want {
			t.Errorf("%s: %d threads, want %d", c.name, got, c.want)
		}
		if looks > runningLooks+1 {
			t.Errorf("%s: %d looks", c.name, looks)
		}
	}
}

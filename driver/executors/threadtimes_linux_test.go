package executors

import (
	"maps"
	"os"
	"testing"
	"time"
)

func TestThreadTimes(t *testing.T) {
	before := threadTimes(os.Getpid())
	if len(before) == 0 {
		t.Fatal("this process has no threads")
	}
	for begun := time.Now(); longestOf(before, threadTimes(os.Getpid())) < int64(20*time.Millisecond); {
		if time.Since(begun) > time.Minute {
			t.Fatal("a thread that works does not show")
		}
	}
	if got := threadTimes(1 << 30); got != nil {
		t.Errorf("a process that there is not: %v", got)
	}
	if got := longestOf(nil, before); got != 0 {
		t.Errorf("without times at the begin: %d", got)
	}
	if got := longestOf(map[int]int64{1: 10, 2: 20}, map[int]int64{2: 25, 3: 7}); got != 7 {
		t.Errorf("the longest is %d, want that of the thread that has begun since, 7", got)
	}
}

// The time of the busiest thread counts from the first begin on: code that has taken over an executor may say again, when
// it has worked, that it begins.
func TestWork(t *testing.T) {
	now := map[int]int64{1: 10, 2: 20}
	w := &work{times: func() map[int]int64 { return maps.Clone(now) }}
	for _, c := range []struct {
		do     func()
		second int64 // the time of the second thread
		want   int64
	}{
		{func() {}, 25, 0}, {w.begin, 30, 5}, {w.begin, 40, 15}, {w.forget, 50, 0}, {w.begin, 51, 1},
	} {
		c.do()
		now[2] = c.second
		if got := w.longestNS(); got != c.want {
			t.Errorf("at %d: %d, want %d", c.second, got, c.want)
		}
	}
	unknown := &work{times: func() map[int]int64 { return nil }}
	unknown.begin()
	if got := unknown.longestNS(); got != 0 {
		t.Errorf("the system tells nothing: %d", got)
	}
}

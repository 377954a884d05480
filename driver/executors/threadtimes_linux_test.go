package executors

import (
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

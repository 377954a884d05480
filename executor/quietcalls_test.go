package executor

import "testing"

// A call is quiet if the count of preemptions has not grown since the last one.
func TestQuietCalls(t *testing.T) {
	counts := []int64{5, 5, 7, 7, 9}
	q := QuietCalls{preemptions: func() (n int64) { n, counts = counts[0], counts[1:]; return n }}
	q.Begin()
	for range 4 {
		q.Next()
	}
	if q.Made != 4 || q.Quiet != 2 {
		t.Errorf("%d of %d calls were quiet, want 2 of 4", q.Quiet, q.Made)
	}
}

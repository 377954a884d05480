package platform

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestThreadClocks reads the time of a thread that works, and that stays when it has ended.
func TestThreadClocks(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id, work, done, ended := make(chan int), make(chan bool), make(chan int64, 1), make(chan bool)
	go func() {
		runtime.LockOSThread() // and never unlocked, so that the thread ends with its goroutine
		defer close(ended)
		id <- unix.Gettid()
		for range work {
			start := ThreadCPUTimeNS()
			for ThreadCPUTimeNS()-start < 5e6 {
			}
			done <- ThreadCPUTimeNS()
		}
	}()
	c := NewThreadClocks(map[int]int64{<-id: 0, unix.Gettid(): 0})
	before := c.CPUTimeNS()
	none := NewThreadClocks(map[int]int64{})
	work <- true
	ready := false
	for len(done) == 0 && !ready {
		ready = none.OthersReady()
	}
	used := <-done
	if !ready {
		t.Error("a thread that works was never seen to be ready")
	}
	after := c.CPUTimeNS()
	if after-before < 5e6 || after < used {
		t.Errorf("a thread has used %d ns; its clock goes from %d to %d", used, before, after)
	}
	close(work)
	<-ended
	if again := c.CPUTimeNS(); again < after {
		t.Errorf("a thread that has ended had used %d ns, now %d", after, again)
	}
	if NewThreadClocks(nil) != nil {
		t.Error("clocks of threads that the system does not tell apart")
	}
}

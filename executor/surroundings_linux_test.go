package executor

import (
	"runtime"
	"testing"

	"zonemark/executor/platform"

	"golang.org/x/sys/unix"
)

// TestWork has another thread work, and checks that its time is told from that of the calling thread. It goes by CPU
// time, so that other work on the machine does not matter.
func TestWork(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, own := range map[string]map[int]int64{"threads": {unix.Gettid(): 0}, "process": nil} {
		const much, tick = 60e6, 10e6 // ns
		before, worked, done := system{}.work(own), make(chan int64), make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // so that the thread does not end, and its time stays
			start := platform.ThreadCPUTimeNS()
			for platform.ThreadCPUTimeNS()-start < much {
			}
			worked <- platform.ThreadCPUTimeNS() - start
			<-done // it is still there when its time is read
		}()
		used := <-worked
		after := system{}.work(own)
		close(done)
		if others := after.others - before.others; others < used-2*tick {
			t.Errorf("%s: others have worked for %d ns, and one of them for %d", name, others, used)
		}
		if mine := after.own - before.own; mine > much/2 {
			t.Errorf("%s: this thread has worked for %d ns while it waited", name, mine)
		}
		if !after.at.After(before.at) {
			t.Errorf("%s: from %v to %v", name, before.at, after.at)
		}
	}
}

package rounds

import (
	"runtime"
	"testing"
	"time"

	"zonemark/executor/platform"

	"golang.org/x/sys/unix"
)

// TestWork has another thread work, and checks that its time is told from that of the calling thread, also after it has
// ended: the time of threads that a call makes and joins used to be lost. It goes by CPU time, so that other work on the
// machine does not matter.
func TestWork(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, ends := range map[string]bool{"it ends": true, "it lives on": false} {
		for told, ours := range map[string]*platform.ThreadClocks{
			"told apart": platform.NewThreadClocks(map[int]int64{unix.Gettid(): 0}), "together": nil,
		} {
			const much, tick = 60e6, 10e6 // ns
			before, worked, done := system{}.work(ours), make(chan int64), make(chan int)
			go offFirstThread(func() {
				runtime.LockOSThread() // without unlocking it, the thread ends
				start := platform.ThreadCPUTimeNS()
				for platform.ThreadCPUTimeNS()-start < much {
				}
				worked <- platform.ThreadCPUTimeNS() - start
				if ends {
					done <- unix.Gettid()
					return
				}
				<-done // it is still there when its time is read
				runtime.UnlockOSThread()
			})
			used := <-worked
			if ends {
				waitForEnd(t, <-done)
			}
			after := system{}.work(ours)
			if !ends {
				done <- 0
			}
			if others := after.others - before.others; others < used-2*tick {
				t.Errorf("%s, %s: others have worked for %d ns, and one of them for %d", name, told, others, used)
			}
			if mine := after.own - before.own; mine > much/2 {
				t.Errorf("%s, %s: this thread has worked for %d ns while it waited", name, told, mine)
			}
			if !after.at.After(before.at) {
				t.Errorf("%s, %s: from %v to %v", name, told, before.at, after.at)
			}
		}
	}
}

// offFirstThread calls f in a goroutine on another thread than the first one of the process, which never ends.
func offFirstThread(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // not on the first thread, which waits
		defer close(done)
		f()
	}()
	<-done
	runtime.UnlockOSThread()
}

// waitForEnd waits until a thread of this process has ended.
func waitForEnd(t *testing.T, thread int) {
	t.Helper()
	for begin := time.Now(); unix.Tgkill(unix.Getpid(), thread, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("thread %d has not ended", thread)
		}
	}
}

// Threads that are ours do not count as others.
func TestWorkOfOurs(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, work, worked := make(chan int), make(chan bool), make(chan bool)
	go func() {
		runtime.LockOSThread()
		thread <- unix.Gettid()
		<-work
		for start := platform.ThreadCPUTimeNS(); platform.ThreadCPUTimeNS()-start < 60e6; {
		}
		worked <- true
		<-work
	}()
	ours := platform.NewThreadClocks(map[int]int64{<-thread: 0})
	before := system{}.work(ours)
	work <- true
	<-worked
	e := system{}.work(ours).since(before)
	close(work)
	if e.othersNS > 30e6 {
		t.Errorf("others have worked for %g ns while a thread of ours did", e.othersNS)
	}
}

package platform

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

const foregroundVariable = "ZONEMARK_TEST_FOREGROUND"

// Processes have the loose timers of the thread that starts them, until Foreground.
func TestLoosenTimers(t *testing.T) {
	slack := func() int {
		ns, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return ns
	}
	runtime.LockOSThread() // for good: the thread ends with the test
	if os.Getenv(foregroundVariable) != "" {
		before := slack()
		Foreground()
		if after := slack(); before != looseTimers || after != usualTimers {
			t.Errorf("timers may be %d ns late, and then %d", before, after)
		}
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 77_000, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		if Foreground(); slack() != 77_000 {
			t.Errorf("what the user wants became %d ns", slack())
		}
		return
	}
	LoosenTimers()
	child := exec.Command(os.Args[0], "-test.run=^TestLoosenTimers$")
	child.Env = append(os.Environ(), foregroundVariable+"=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestForeground changes the threads of a child process.
func TestForeground(t *testing.T) {
	if os.Getenv(foregroundVariable) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestForeground$")
		child.Env = append(os.Environ(), foregroundVariable+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	runtime.LockOSThread()
	idle := make(chan int)
	go func() { // a thread with a policy of its own
		runtime.LockOSThread()
		if err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0); err != nil {
			t.Error(err)
		}
		idle <- unix.Gettid()
		<-idle
	}()
	other := <-idle
	for range 2 {
		Foreground()
		threads := 0
		procNumbers(tasks, func(_, id int) {
			a, err := unix.SchedGetAttr(id, 0)
			if err != nil {
				t.Error(err)
				return
			}
			want := uint32(unix.SCHED_BATCH)
			switch id {
			case unix.Gettid():
				want = unix.SCHED_NORMAL
			case other:
				want = unix.SCHED_IDLE
			}
			if threads++; a.Policy != want {
				t.Errorf("thread %d has policy %d, want %d", id, a.Policy, want)
			}
		})
		if threads < 4 { // and Go's monitor, and another one
			t.Errorf("%d threads", threads)
		}
	}
}

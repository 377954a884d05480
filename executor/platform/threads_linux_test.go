package platform

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestPin(t *testing.T) {
	errs := make(chan error)
	// The goroutine ends while it is locked, so its pinned thread ends with it.
	go func() {
		errs <- func() error {
			runtime.LockOSThread()
			var allowed unix.CPUSet
			if err := unix.SchedGetaffinity(0, &allowed); err != nil {
				return err
			}
			for cpu := range maxCPUs {
				if !allowed.IsSet(cpu) {
					continue
				}
				if err := Pin(cpu); err != nil {
					return err
				}
				var now unix.CPUSet
				if err := unix.SchedGetaffinity(0, &now); err != nil {
					return err
				}
				if now.Count() != 1 || !now.IsSet(cpu) {
					return fmt.Errorf("pinned to CPU %d, the thread may run on %d CPUs", cpu, now.Count())
				}
			}
			return nil
		}()
	}()
	if err := <-errs; err != nil {
		t.Error(err)
	}
}

func TestPinErrors(t *testing.T) {
	for _, cpu := range []int{-1, maxCPUs - 1, maxCPUs, 1 << 40} {
		err := Pin(cpu)
		if err == nil {
			runtime.UnlockOSThread()
			t.Errorf("pinned to CPU %d", cpu)
		} else if !strings.Contains(err.Error(), fmt.Sprint(cpu)) {
			t.Errorf("the error does not name CPU %d: %v", cpu, err)
		}
	}
}

// TestCheckPin: it returns what Pin returns, and leaves this process's threads as they are.
func TestCheckPin(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	for cpu := range maxCPUs + 1 {
		if err := CheckPin(cpu); (err == nil) != (cpu < maxCPUs && before.IsSet(cpu)) {
			t.Errorf("CPU %d: %v", cpu, err)
		}
	}
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("the thread may run on %d CPUs, error %v, and before on %d", after.Count(), err, before.Count())
	}
}

func TestHoldPreemption(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	held := func() bool {
		var now unix.Sigset_t
		if err := unix.PthreadSigmask(0, nil, &now); err != nil {
			t.Fatal(err)
		}
		return now.Val[0]&(1<<(unix.SIGURG-1)) != 0
	}
	restore := HoldPreemption()
	if !held() {
		t.Error("the signal is not held")
	}
	restore()
	if held() {
		t.Error("the signal is still held")
	}
}

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
	// The thread that started this process may have been another test's.
	procNumbers(tasks, func(_, id int) { setPolicy(id, unix.SCHED_BATCH, unix.SCHED_NORMAL) })
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

package platform

import (
	"fmt"
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

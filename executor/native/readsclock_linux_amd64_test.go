package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestReadsClock has other processes make checked calls, in which nobody handles faults: they are confined ones.
func TestReadsClock(t *testing.T) {
	if name := os.Getenv("ZONEMARK_TEST_CALLED"); name != "" {
		runtime.LockOSThread()
		faultAction(&signalAction{})
		CatchClockReads()
		l := newTestLoop(t, MonotonicClock(), symbol(t, compile(t, "readsclock.c"), name), frameOf())
		if err := l.RunChecked(3); err != nil {
			t.Fatal(err)
		}
		fmt.Println("reads the clock:", l.ReadsClock())
		return
	}
	for name, want := range map[string]bool{
		"reads_time": true, "reads_counter": true, "reads_nothing": false, "starts_thread": false,
	} {
		out, err := checkedCalls(t, name)
		if err != nil || !strings.Contains(out, fmt.Sprint("reads the clock: ", want)) {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
	_, err := checkedCalls(t, "faults")
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSEGV {
		t.Errorf("a call that faults ends its process so: %v", err)
	}
}

// checkedCalls makes checked calls of a function in another process.
func checkedCalls(t *testing.T, name string) (out string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestReadsClock$")
	cmd.Env = append(os.Environ(), "ZONEMARK_TEST_CALLED="+name)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

//go:build amd64 || arm64

package threads

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"zonemark/executor/sandbox/signals"
	"zonemark/invocations/testneeds"

	"golang.org/x/sys/unix"
)

// TestEveryThread names all threads of this process, while others start threads, which inherit their names, and end.
func TestEveryThread(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	for range 3 {
		go func() {
			for {
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					lockEndingThread()
					time.Sleep(100 * time.Microsecond)
				}()
				select {
				case <-end:
					return
				case <-ended:
				}
			}
		}()
	}
	for _, name := range []string{"first", "second", "third", "fourth"} {
		text, err := unix.BytePtrFromString(name)
		if err != nil {
			t.Fatal(err)
		}
		err = everyThread([]Call{
			Control("keeping capabilities", unix.PR_GET_KEEPCAPS),
			{Number: unix.SYS_PRCTL, Arguments: [5]uintptr{unix.PR_SET_NAME, uintptr(unsafe.Pointer(text))}, Holds: text},
		})
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob("/proc/self/task/*/comm")
		if err != nil || len(files) < 2 {
			t.Fatalf("%d threads, %v", len(files), err)
		}
		for _, file := range files {
			if got, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(got)) != name {
				t.Errorf("%s is %q instead of %q", file, got, name)
			}
		}
	}
}

// The threads of a process in a namespace of processes are reached, too, where /proc is that of the namespace outside and
// has other numbers for them.
func TestEveryThreadInNamespace(t *testing.T) {
	self, err := os.Executable()
	testneeds.Missing(t, err)
	cmd := exec.Command(self, "-test.run=^TestEveryThread$", "-test.v")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWPID}
	said, err := cmd.CombinedOutput()
	if cmd.Process == nil {
		testneeds.Missing(t, err)
	}
	if err != nil || !strings.Contains(string(said), "--- PASS: TestEveryThread") {
		t.Errorf("%v\n%s", err, said)
	}
}

// everyThread makes system calls in the calling thread, and then in all others.
func everyThread(calls []Call) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := Here(calls); err != nil {
		return err
	}
	return Others(calls)
}

// lockEndingThread locks the calling goroutine to its thread, which ends with it. It does not lock the main thread, which
// would stay without signals, and returns false.
func lockEndingThread() bool {
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		runtime.UnlockOSThread()
		return false
	}
	return true
}

// TestEveryThreadFails checks errors: of the calling thread, of another one, and of one that takes no signals.
func TestEveryThreadFails(t *testing.T) {
	invalid := []Call{Control("something new", ^uintptr(0))}
	if err := everyThread(invalid); err == nil || err.Error() != "something new: invalid argument" {
		t.Errorf("got %v", err)
	}
	started, end := make(chan uint64), make(chan struct{})
	defer close(end)
	go func() {
		for !lockEndingThread() {
			runtime.Gosched()
		}
		blocked := ^uint64(0)
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_BLOCK, uintptr(unsafe.Pointer(&blocked)), 0, 8,
			0, 0)
		started <- uint64(errno)
		<-end
	}()
	if errno := <-started; errno != 0 {
		t.Fatal(unix.Errno(errno))
	}
	previous, err := handleErrands()
	if err != nil {
		t.Fatal(err)
	}
	defer signals.Exchange(errandSignal, previous)
	if err := sendAll(invalid, time.Now().Add(errandTime)); err == nil || !strings.HasSuffix(err.Error(), "invalid argument") {
		t.Errorf("got %v", err)
	}
	harmless := []Call{Control("keeping capabilities", unix.PR_GET_KEEPCAPS)}
	if err := sendAll(harmless, time.Now().Add(200*time.Millisecond)); err == nil ||
		!strings.HasPrefix(err.Error(), "thread ") || !strings.HasSuffix(err.Error(), "does not respond to signals") {
		t.Errorf("got %v", err)
	}
}

package platform

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestStateChanges changes the state of a thread of its own, which ends with the test, and of the process, which it
// restores.
func TestStateChanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T) error
		want   string
	}{
		{"nothing", func(*testing.T) error { return nil }, ""},
		{"slack", func(*testing.T) error {
			return unix.Prctl(unix.PR_SET_TIMERSLACK, 77_000, 0, 0, 0)
		}, "the slack of its timers"},
		{"nice", func(*testing.T) error {
			return unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 7)
		}, "the scheduling of its thread"},
		{"policy", func(*testing.T) error {
			return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH}, 0)
		}, "the scheduling of its thread"},
		{"io", func(*testing.T) error {
			if _, _, errno := unix.Syscall(unix.SYS_IOPRIO_SET, 1, 0, 3<<13); errno != 0 {
				return errno
			}
			return nil
		}, "the priority of its input and output"},
		{"mask", func(*testing.T) error {
			set := unix.Sigset_t{}
			set.Val[0] = 1 << (unix.SIGUSR2 - 1)
			return unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil)
		}, "the blocked signals"},
		{"umask", func(t *testing.T) error {
			old := unix.Umask(0o7)
			t.Cleanup(func() { unix.Umask(old) })
			return nil
		}, "the mask of the modes of new files"},
		{"folder", func(t *testing.T) error {
			old, err := os.Getwd()
			t.Cleanup(func() { _ = unix.Chdir(old) }) // as it was
			return errors.Join(err, unix.Chdir(os.TempDir()))
		}, "the working directory"},
		{"descriptor", func(t *testing.T) error {
			fd, err := unix.Dup(0)
			t.Cleanup(func() { unix.Close(fd) })
			return err
		}, "1 descriptors that stay open"},
		{"limit", func(t *testing.T) error {
			var old unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_CORE, &old); err != nil {
				return err
			}
			t.Cleanup(func() { _ = unix.Setrlimit(unix.RLIMIT_CORE, &old) }) // as it was
			return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: old.Cur ^ 4096&old.Max, Max: old.Max})
		}, "the limit of core files"},
		{"timer", func(t *testing.T) error {
			far := unix.Itimerval{Value: unix.Timeval{Sec: 1 << 20}}
			_, err := unix.Setitimer(unix.ItimerReal, far)
			t.Cleanup(func() { _, _ = unix.Setitimer(unix.ItimerReal, unix.Itimerval{}) }) // none, as it was
			return err
		}, "a timer"},
		{"huge pages", func(t *testing.T) error {
			t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_THP_DISABLE, 0, 0, 0, 0) }) // as it was
			return unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0)
		}, "the use of huge pages"},
		{"personality", func(*testing.T) error {
			const compatLayout = 0x0200000
			if _, _, errno := unix.RawSyscall(unix.SYS_PERSONALITY, compatLayout, 0, 0); errno != 0 {
				return errno
			}
			return nil
		}, "the personality"},
		{"memory", func(*testing.T) error {
			const bind = 2
			node := [1]uint64{1}
			if _, _, errno := unix.RawSyscall(unix.SYS_SET_MEMPOLICY, bind, uintptr(unsafe.Pointer(&node)), 64); errno != 0 {
				return errno
			}
			return nil
		}, "where its memory comes from"},
		{"filter", func(*testing.T) error {
			all := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
			program := unix.SockFprog{Len: 1, Filter: &all}
			return errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
				unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0))
		}, "a filter of system calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runtime.LockOSThread() // and never unlocked, so that the thread ends with the test
			known := Threads(nil)
			ReadState() // opens what reading opens once
			before := ReadState()
			if err := c.change(t); err != nil {
				t.Fatal(err)
			}
			changed := slices.DeleteFunc(before.Changes(ReadState(), known), func(s string) bool {
				return strings.HasSuffix(s, "running") // threads of other tests
			})
			if c.want == "" && len(changed) > 0 || c.want != "" && !slices.Equal(changed, []string{c.want}) {
				t.Errorf("changed: %q, want %q", changed, c.want)
			}
		})
	}
}

// TestFullTable: a table of descriptors that is full is called that, and nothing else is said to have changed since it
// cannot be read any more.
func TestFullTable(t *testing.T) {
	runtime.LockOSThread() // and never unlocked, so that the thread ends with the test
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	first, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	filled := []int{first}
	defer func() {
		for _, fd := range filled {
			_ = unix.Close(fd) // it is open
		}
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &old) // as it was
	}()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(first) + 16, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	known := Threads(nil)
	ReadState() // opens what reading opens once
	before := ReadState()
	for {
		fd, err := unix.Dup(0)
		if err != nil {
			break
		}
		filled = append(filled, fd)
	}
	if changed := before.Changes(ReadState(), known); !slices.Equal(changed, []string{"the table of descriptors, which is full"}) {
		t.Errorf("changed: %q", changed)
	}
}

// FuzzThreadState reads the state of a thread whose name holds anything.
func FuzzThreadState(f *testing.F) {
	for _, text := range []string{"12 (name) R 1", "12 (a) S) R 1", "12 (", ")", ") ", "", "12 (x) "} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		line := append(append([]byte("7 ("), text...), ") R 1 2 3"...)
		if !slices.Contains(text, ')') && threadState(line) != 'R' {
			t.Errorf("%q: state %q", line, threadState(line))
		}
		threadState(text)
	})
}

func BenchmarkReadState(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		ReadState()
	}
}

func TestKeepActions(t *testing.T) {
	ignore := func(signal uintptr) {
		ignored := [4]uint64{1} // SIG_IGN
		unix.RawSyscall6(unix.SYS_RT_SIGACTION, signal, uintptr(unsafe.Pointer(&ignored)), 0, 8, 0, 0)
	}
	before := readActions()
	KeepActions(func() {
		ignore(uintptr(unix.SIGUSR2))
		if readActions() == before {
			t.Error("nothing has changed")
		}
	})
	if readActions() != before {
		t.Error("an action is not as it was")
	}
}

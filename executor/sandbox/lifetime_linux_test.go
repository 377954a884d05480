//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"zonemark/invocations/race"
)

// TestMemoryLimit checks that a kernel that takes all memory gets a failed malloc, and that the executor survives to
// report it.
func TestMemoryLimit(t *testing.T) {
	if race.Enabled {
		t.Skip("memory is counted, and that of the race detector is much of it")
	}
	for _, uid := range users() {
		for _, mib := range []int64{LeastMemoryBytes >> 20, 512, 1024} {
			s := newWorkplace(t, uid).spec(uid)
			s.Options.MemoryBytes = mib << 20
			c := start(t, s)
			var pieces int64
			if _, err := fmt.Sscan(c.do(t, "native exhaust"), &pieces); err != nil {
				t.Fatal(err)
			}
			if pieces < 1 || pieces*8 > mib {
				t.Errorf("uid %d, limit %d MiB: malloc gave %d pieces of 8 MiB", uid, mib, pieces)
			}
			if got := c.do(t, "native run_threads"); got != "8" {
				t.Errorf("uid %d, after malloc failed: %s of 8 threads ran", uid, got)
			}
		}
	}
}

// TestCrashesShowTheirSignal checks that the parent sees the signal that really ended the child.
func TestCrashesShowTheirSignal(t *testing.T) {
	tests := map[string]syscall.Signal{
		"native fault_segv":   syscall.SIGSEGV,
		"native fault_thread": syscall.SIGSEGV,
		"native signal_user":  syscall.SIGUSR1, // Go ignores these
		"native signal_alarm": syscall.SIGALRM,
		"native signal_own":   37,
		"native fault_stack":  syscall.SIGSEGV,
		"native fault_fpe":    syscall.SIGFPE,
		"native fault_bus":    syscall.SIGBUS,
		"native fault_ill":    syscall.SIGILL,
		"native fault_trap":   syscall.SIGTRAP,
		"native fault_abort":  syscall.SIGABRT,
		"native fault_term":   syscall.SIGTERM,
		"write too much":      syscall.SIGXFSZ,
	}
	for _, mode := range []Mode{Auto, Off} {
		for action, want := range tests {
			if mode == Off && action == "write too much" {
				continue // no limit is set
			}
			s := newWorkplace(t, 0).spec(0)
			s.Options.Mode = mode
			status := start(t, s).crash(t, action)
			if !status.Signaled() || status.Signal() != want || status.CoreDump() {
				t.Errorf("mode %s, %s: status %#x (signal %v), want signal %v and no core",
					mode, action, int(status), status.Signal(), want)
			}
		}
	}
}

// TestDiesWithParent checks that a child in an endless native loop, with every layer in force, dies with its parent.
func TestDiesWithParent(t *testing.T) {
	for _, uid := range users() {
		for _, mode := range []Mode{Auto, Off} {
			s := newWorkplace(t, uid).spec(uid)
			s.Options.Mode = mode
			killParent(t, s, func(c *child) error {
				before := usedTicks(c.State.PID)
				if _, err := fmt.Fprintln(c.in, "native loop_forever"); err != nil {
					return err
				}
				end := time.Now().Add(30 * time.Second)
				for usedTicks(c.State.PID) < before+3 {
					if time.Now().After(end) {
						return errors.New("the loop has not begun")
					}
					time.Sleep(time.Millisecond)
				}
				return nil
			})
		}
	}
}

// usedTicks returns the CPU time that a process has used in user mode, in hundredths of a second. It returns 0 if the
// process is gone.
func usedTicks(pid int) (ticks int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name before it may contain blanks
	ticks, _ = strconv.Atoi(string(fields[11]))
	return ticks
}

// TestProgramDiesWithParent checks the same of the program that a child has become, from any thread.
func TestProgramDiesWithParent(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	for _, uid := range users() {
		for _, mode := range []Mode{Auto, Off} {
			s := newWorkplace(t, uid).spec(uid)
			s.Options.Mode, s.Options.AllowExec, s.NoSeal = mode, true, true
			killParent(t, s, func(c *child) error {
				if said, err := c.try("become a shell"); err != nil || said != "became a shell" {
					return fmt.Errorf("%q, %w; %s", said, err, c.stderr.String())
				}
				return nil
			})
		}
	}
}

// killParent starts the child that s describes, has it do something endless, and kills its parent.
func killParent(t *testing.T, s spec, endless func(*child) error) {
	t.Helper()
	parent, err := s.parentCommand()
	if err != nil {
		t.Fatal(err)
	}
	c, err := launch(t, parent)
	if err != nil {
		t.Fatal(err)
	}
	if parent.Process.Pid == c.State.PID {
		t.Fatal("the child has no parent of its own")
	}
	fd, err := unix.PidfdOpen(c.State.PID, 0) // names the process even after its end
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := endless(c); err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if ended, err := waitForEnd(fd); !ended {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		t.Fatalf("uid %d, mode %s: the child lives on without its parent (%v)", s.UID, s.Options.Mode, err)
	}
	t.Logf("uid %d, mode %s: the child died %v after its parent was killed", s.UID, s.Options.Mode, time.Since(begin))
}

// waitForEnd waits for the end of the process that a pidfd names. The kernel takes about a millisecond.
func waitForEnd(pidfd int) (bool, error) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 1000)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false, err
		}
		if n == 1 {
			return true, nil
		}
	}
	return false, nil
}

// TestConfigureKeepsAttributes checks that Configure keeps what the caller asked of the command, such as a pidfd. The
// child is in a process group of its own.
func TestConfigureKeepsAttributes(t *testing.T) {
	s := newWorkplace(t, 0).spec(0)
	cmd, err := s.command()
	if err != nil {
		t.Fatal(err)
	}
	pidfd := -1
	cmd.SysProcAttr = &syscall.SysProcAttr{PidFD: &pidfd}
	asked := cmd.SysProcAttr
	if err := Configure(cmd, s.Options, Probe()); err != nil {
		t.Fatal(err)
	}
	if asked.Pdeathsig != 0 || asked.Cloneflags != 0 || asked.Setpgid {
		t.Error("the caller's own structure was changed")
	}
	c, err := launch(t, cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pidfd)
	if group, err := unix.Getpgid(c.State.PID); err != nil || group != c.State.PID || c.State.PID != cmd.Process.Pid {
		t.Errorf("process %d of group %d, started as %d (%v)", c.State.PID, group, cmd.Process.Pid, err)
	}
	if err := unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0); err != nil {
		t.Error(err)
	}
	if ended, err := waitForEnd(pidfd); !ended {
		t.Errorf("the pidfd does not name the child: %v", err)
	}
}

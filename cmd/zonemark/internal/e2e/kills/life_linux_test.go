package kills

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// startLoop starts a run whose first function loops for ever in native code, and waits until the executor runs it.
func startLoop(t *testing.T, journal string) (pid int, stderr *bytes.Buffer, wait func() error,
	signal func(os.Signal)) {
	t.Helper()
	cmd := e2e.Command(t, "hat", "--function", "loop", "--timeout", "60s",
		"-o", journal, e2e.Testdata(t, "crash"))
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
	})
	signal = func(s os.Signal) {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	return cmd.Process.Pid, stderr, cmd.Wait, signal
}

// executorOf finds the measuring executor below a driver; 0 if there is none yet.
func executorOf(t *testing.T, driver int) int {
	t.Helper()
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", driver))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range children {
		text, _ := os.ReadFile(file) // a thread may end in between
		for _, child := range strings.Fields(string(text)) {
			line, _ := os.ReadFile(filepath.Join("/proc", child, "cmdline"))
			var pid int
			if _, err := fmt.Sscan(child, &pid); err == nil && strings.Contains(string(line), "--role=measure") {
				return pid
			}
		}
	}
	return 0
}

// busy reports whether a process has used CPU time for a while, as an executor in the loop does.
func busy(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int
	_, err = fmt.Sscan(fields[11], &ticks) // utime; the fields before it are cut off with the name
	return err == nil && ticks > 20
}

// An executor ends when its driver is killed, even if it loops in native code.
func TestExecutorDiesWithItsDriver(t *testing.T) {
	driver, _, wait, signal := startLoop(t, filepath.Join(t.TempDir(), "journal"))
	executor := 0
	e2e.WaitFor(t, "the executor", func() bool {
		executor = executorOf(t, driver)
		return executor != 0 && busy(executor)
	})
	signal(os.Kill)
	_ = wait() // killed
	e2e.WaitFor(t, "the executor's end", func() bool {
		return gone(executor)
	})
}

// An executor that is stopped and does not go on is noticed, and its result says so.
func TestStoppedExecutor(t *testing.T) {
	t.Parallel()
	written := filepath.Join(t.TempDir(), "journal")
	cmd := e2e.Command(t, "hat", "--function", "loop", "-o", written, e2e.Testdata(t, "crash"), "--timeout", "10s")
	executor := stopped(t, cmd, busy)
	_ = cmd.Wait() // a timeout has a status of its own
	checkStopped(t, written, invocations.Timeout, "a signal had stopped the executor for ")
	e2e.WaitFor(t, "the executor's end", func() bool { return gone(executor) })
}

// An executor that is stopped and goes on is noticed, too. Its function waits until it is let through, so that the
// executor is stopped within a call.
func TestExecutorGoesOn(t *testing.T) {
	t.Parallel()
	written, log := filepath.Join(t.TempDir(), "journal"), filepath.Join(t.TempDir(), "log")
	cmd := e2e.Command(t, "hat", "--function", "gated", "--param", "n=1", "-o", written, e2e.Testdata(t, "measuring"),
		"--sandbox=off", "--launches", "1", "--min-time", "4ms", "--max-time", "80ms")
	cmd.Env = append(cmd.Env, "ZONEMARK_TEST_LOG="+log)
	executor := stopped(t, cmd, func(int) bool {
		text, _ := os.ReadFile(log) // it is not there before the call
		return len(text) > 0
	})
	time.Sleep(600 * time.Millisecond) // that is what it is about
	if err := errors.Join(os.WriteFile(log+".go", []byte("go"), 0o644), syscall.Kill(executor, syscall.SIGCONT)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	checkStopped(t, written, invocations.OK, "while it was measured, a signal had stopped the executor for ")
}

// stopped starts zonemark, waits until its executor runs native code, stops the executor and returns its id.
func stopped(t *testing.T, cmd *exec.Cmd, runs func(executor int) bool) (executor int) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	e2e.WaitFor(t, "the executor", func() bool {
		executor = executorOf(t, cmd.Process.Pid)
		return executor != 0 && runs(executor)
	})
	if err := syscall.Kill(executor, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return executor
}

// checkStopped checks that a journal has one result, and what that says.
func checkStopped(t *testing.T, written string, status invocations.Status, says string) {
	t.Helper()
	read, err := journal.ReadFile(written)
	if err != nil || read.Records.Len() != 1 {
		t.Fatalf("%v, %d records", err, read.Records.Len())
	}
	r := recordstest.At(t, read.Records, 0)
	if said := strings.Join(append(r.Notes, r.Error), "; "); r.Status != status || !strings.Contains(said, says) {
		t.Errorf("status %s, it says %q", r.Status, said)
	}
}

// gone reports whether a process has ended. Its new parent may or may not have waited for it.
func gone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || bytes.HasPrefix(text[bytes.LastIndexByte(text, ')')+1:], []byte(" Z"))
}

// Ctrl-C ends a run at once, with a journal that can be resumed.
func TestInterrupt(t *testing.T) {
	written := filepath.Join(t.TempDir(), "journal")
	pid, stderr, wait, signal := startLoop(t, written)
	e2e.WaitFor(t, "the loop", func() bool { // without it, nothing has begun, and no journal is left
		executor := executorOf(t, pid)
		return executor != 0 && busy(executor)
	})
	signal(os.Interrupt)
	if err := wait(); err == nil {
		t.Error("an interrupted run ended as if it were complete")
	}
	if !strings.Contains(stderr.String(), "interrupted") || !strings.Contains(stderr.String(), "--resume") {
		t.Errorf("it says %q", stderr)
	}
	c, err := journal.ReadFile(written)
	if err != nil || c.Complete || len(c.Torn) > 0 {
		t.Errorf("journal: %v, complete %t, torn %q", err, c.Complete, c.Torn)
	}
}

// Ctrl-C prints what is known of an invocation by its launches so far, also if no journal is kept.
func TestInterruptPrints(t *testing.T) {
	calls := filepath.Join(t.TempDir(), "calls")
	cmd := e2e.Command(t, "run", "--launches", "1000", "--min-time", "1ms", "--shell", "--", "echo >>"+calls)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // it may have ended
	e2e.WaitFor(t, "some launches", func() bool {
		lines, _ := os.ReadFile(calls) // not there before the first call
		return len(lines) >= 100
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("an interrupted run ended as if it were complete")
	}
	_, known, said := strings.Cut(stdout.String(), "\ninterrupted, so far:\n")
	if !said || !strings.Contains(known, " echo >>") || !strings.Contains(known, "NOT COMPLETE") ||
		!strings.Contains(stderr.String(), "interrupted\n0 of 1") {
		t.Errorf("it prints %s\nand says %s", &stdout, &stderr)
	}
}

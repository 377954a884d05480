//go:build linux

package kills

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// slowCompiler writes a C compiler that never ends, nor does the program that it starts. It returns its path.
func slowCompiler(t *testing.T) string {
	t.Helper()
	compiler := filepath.Join(t.TempDir(), "slow-cc")
	text := fmt.Sprintf(`#!/bin/sh
if [ "$1" = --version ]; then echo slow 1; exit; fi
sleep %s &
wait
`, sleeping(compiler))
	if err := os.WriteFile(compiler, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return compiler
}

// sleeping returns the words, after the name of its program, of what a slow compiler starts. They tell it from all others.
func sleeping(compiler string) string {
	h := fnv.New32()
	h.Write([]byte(compiler))
	return fmt.Sprintf("600.%d", h.Sum32())
}

// compilers returns the ids of the processes of a slow compiler, and of those that it has started. It has none of its own
// where its builds are confined, so they are found from outside.
func compilers(compiler string) (own, started []int) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, "cmdline"))
		pid, bad := strconv.Atoi(filepath.Base(folder))
		if err != nil || bad != nil { // it has ended
			continue
		}
		switch words := strings.Split(string(text), "\x00"); {
		case len(words) > 1 && words[1] == compiler:
			own = append(own, pid)
		case words[0] == "sleep" && words[1] == sleeping(compiler):
			started = append(started, pid)
		}
	}
	return own, started
}

// building starts a run whose compiler never ends, and returns the ids of the compiler's processes when they run.
func building(t *testing.T, flags ...string) (run *exec.Cmd, said *bytes.Buffer, running []int) {
	t.Helper()
	compiler := slowCompiler(t)
	run, said = e2e.Command(t, append([]string{"run", e2e.Testdata(t, "crash", "crash.hat")}, flags...)...),
		&bytes.Buffer{}
	run.Env = append(e2e.Environment(), "CC="+compiler, "ZONEMARK_HOME="+t.TempDir())
	run.Stderr = said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill() }) // if it still runs
	e2e.WaitFor(t, "the compiler", func() bool {
		if own, started := compilers(compiler); len(started) > 0 {
			running = append(own, started...)
		}
		return len(running) >= 2
	})
	for _, pid := range running {
		t.Cleanup(func() {
			if alive(pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
	return run, said, running
}

// A compiler that is stopped by a signal is noticed, and the error says so.
func TestStoppedCompiler(t *testing.T) {
	t.Parallel()
	run, said, compilers := building(t, "--timeout", "3s")
	if err := syscall.Kill(compilers[1], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // it fails
	if !strings.Contains(said.String(), "; a signal had stopped the executor for ") ||
		!strings.Contains(said.String(), "--timeout allows more") {
		t.Errorf("it says %q", said)
	}
}

// TestTimeoutOfSuite checks that the timeout of an entry bounds its build. The other entry is measured.
func TestTimeoutOfSuite(t *testing.T) {
	t.Parallel()
	compiler := slowCompiler(t)
	text, err := os.ReadFile(compiler)
	if err != nil {
		t.Fatal(err)
	}
	fast := strings.Replace(string(text), "\n", "\ncase \"$*\" in *measuring.c*) exec cc \"$@\";; esac\n", 1)
	folder := t.TempDir()
	suite, written := filepath.Join(folder, "suite.toml"), filepath.Join(folder, "journal")
	entries := fmt.Sprintf("[[invocation]]\nartifact = '%[1]s/crash/crash.hat'\nfunction = 'ok'\ntimeout = '2s'\n"+
		"[[invocation]]\nartifact = '%[1]s/measuring/measuring.hat'\n", e2e.Testdata(t))
	if err := errors.Join(os.WriteFile(compiler, []byte(fast), 0o755),
		os.WriteFile(suite, []byte(entries), 0o644)); err != nil {
		t.Fatal(err)
	}
	run := e2e.Command(t, "run", "-q", "--check", "-o", written, suite)
	run.Env = append(e2e.Environment(), "CC="+compiler, "ZONEMARK_HOME="+t.TempDir())
	out, _ := run.CombinedOutput() // one entry fails
	read, err := journal.ReadFile(written)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	good := 0
	for _, r := range recordstest.All(t, read.Records) {
		switch {
		case strings.Contains(r.Artifact, "crash.hat"):
			if r.Status != invocations.Failed || !strings.Contains(r.Error, "2s; --timeout allows more") {
				t.Errorf("the slow build: %s, %q", r.Status, r.Error)
			}
		case r.Status == invocations.OK:
			good++
		}
	}
	if good == 0 || good+1 > read.Records.Len() {
		t.Errorf("%d of %d records are good: %s", good, read.Records.Len(), out)
	}
	if own, started := compilers(compiler); len(own)+len(started) > 0 {
		t.Errorf("processes %v and %v of the compiler are alive", own, started)
	}
}

// alive reports whether a process is there and is not a zombie.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(text, []byte(") Z "))
}

// Compilers and what they have started end with the driver, also if it is killed, and when the time is over.
func TestCompilersEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		flags  []string
		signal syscall.Signal // 0: none
		says   string
	}{
		{"killed", nil, syscall.SIGKILL, ""},
		{"terminated", nil, syscall.SIGTERM, "interrupted"},
		{"terminal gone", nil, syscall.SIGHUP, "interrupted"},
		{"too slow", []string{"--timeout", "2s"}, 0, "--timeout allows more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.signal != 0 && signal.Ignored(c.signal) {
				t.Skipf("%v is ignored here, as under nohup, and so it is by what is started", c.signal)
			}
			run, said, compilers := building(t, c.flags...)
			if c.signal != 0 {
				if err := run.Process.Signal(c.signal); err != nil {
					t.Fatal(err)
				}
			}
			if err := run.Wait(); err == nil {
				t.Error("the run ended well")
			}
			if !strings.Contains(said.String(), c.says) {
				t.Errorf("it said %q, not %q", said, c.says)
			}
			deadline := time.Now().Add(30 * time.Second)
			for _, pid := range compilers {
				for alive(pid) {
					if time.Now().After(deadline) {
						t.Fatalf("process %d of the compiler is alive", pid)
					}
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
}

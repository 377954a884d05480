package kills

import (
	"bytes"
	"fmt"
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
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/testsize"
	"zonemark/trace"
)

// below returns the processes below one, with when they started, which tells them from later ones of the same number.
func below(t *testing.T, pid int) map[int]string {
	t.Helper()
	found := map[int]string{}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // a thread may end in between
		for _, word := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			found[child] = startOf(child)
			for grandchild, start := range below(t, child) {
				found[grandchild] = start
			}
		}
	}
	return found
}

// startOf returns when a process that is no zombie started, in the kernel's ticks; empty if there is none.
func startOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if err != nil || len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}

// endOf starts a command, sends it a signal when a state is reached, and returns what it said when all that it had
// started is gone.
func endOf(t *testing.T, cmd *exec.Cmd, reached func() bool, with syscall.Signal) (said string) {
	t.Helper()
	if with != syscall.SIGKILL && signal.Ignored(with) {
		t.Skipf("%v is ignored here, as under nohup, and so it is by what is started", with)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var children map[int]string
	for deadline := time.After(3 * time.Minute); len(children) == 0 || !reached(); children = below(t, cmd.Process.Pid) {
		select {
		case err := <-ended:
			t.Fatalf("it ended before the signal: %v\n%s", err, out.String())
		case <-deadline:
			t.Fatal("nothing was reached", cmd.Process.Kill())
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := cmd.Process.Signal(with); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ended well")
		}
	case <-time.After(time.Minute):
		t.Fatalf("%v does not end it; %v", with, cmd.Process.Kill())
	}
	for pid, start := range children {
		e2e.WaitFor(t, fmt.Sprintf("the end of process %d", pid), func() bool {
			return start == "" || startOf(pid) != start
		})
	}
	return out.String()
}

// What trace record has started ends with it. What was there stays, and what was captured until an interrupt is kept.
func TestRecordEnds(t *testing.T) {
	e2e.NeedsIREE(t)
	program := filepath.Join(setuptest.Getenv("ZONEMARK_IREE_SITE"), "iree", "_runtime_libs_tracy",
		"iree-benchmark-module")
	module := e2e.Top(t, "executor", "iree", "testdata", "mlp.vmfb")
	earlier, err := os.ReadFile(e2e.Top(t, "trace", "testdata", "iree_mlp_bracketed.tracy"))
	if err != nil {
		t.Fatal(err)
	}
	signals := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP}
	for _, with := range signals[:testsize.Of(2, len(signals))] {
		t.Run(with.String(), func(t *testing.T) {
			dir := t.TempDir()
			output, log := filepath.Join(dir, "out.tracy"), filepath.Join(dir, "log")
			if err := os.WriteFile(output, earlier, 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := e2e.Command(t, "trace", "record", "-o", output, "--", "sh", "-c", "exec "+program+" --module="+module+
				" --device=local-sync --function=mlp --input=64x256xf32=1 --input=256x512xf32=1 --input=512x128xf32=1"+
				" --benchmark_min_time=900s 2>"+log)
			var begun time.Time
			said := endOf(t, cmd, func() bool {
				text, _ := os.ReadFile(log) // it is not there at first
				if begun.IsZero() && bytes.Contains(text, []byte("Load Average")) {
					begun = time.Now()
				}
				return !begun.IsZero() && time.Since(begun) > 2*time.Second // the capture looks for it a few times a second
			}, with)
			capture, err := trace.Open(output)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			defer capture.Close()
			left, err := os.ReadFile(output)
			if err != nil {
				t.Fatal(err)
			}
			old := bytes.Equal(left, earlier)
			if with == syscall.SIGKILL && !old {
				t.Error("the earlier capture was replaced")
			}
			interrupted := strings.Contains(said, "the recording was interrupted") &&
				strings.Contains(said, "out.tracy: a part of the run")
			if with != syscall.SIGKILL && (old || !interrupted) {
				t.Errorf("it says %s", said)
			}
		})
	}
}

// What a tuning has started, such as generators, compilers and executors, ends with it. It says how it goes on. The small
// size has an interrupt while it builds; TestTuneKilled kills one while it measures.
func TestTuneEnds(t *testing.T) {
	setuptest.Halide(t)
	for _, with := range []syscall.Signal{syscall.SIGKILL, syscall.SIGHUP} {
		for state, pattern := range map[string]string{
			"building": "*.weights", "measuring": filepath.Join("batch_0001", "results.ndjson"),
		} {
			if !testsize.Large() && (with == syscall.SIGKILL || state == "measuring") {
				continue
			}
			t.Run(with.String()+" while "+state, func(t *testing.T) {
				t.Parallel()
				folder := filepath.Join(t.TempDir(), "tuned")
				arguments := e2e.TuneArguments(t, folder, "--batches", "1", "--samples", "3")
				said := endOf(t, e2e.Command(t, arguments...), func() bool {
					found, err := filepath.Glob(filepath.Join(folder, pattern))
					return err == nil && len(found) > 0
				}, with)
				const remedy = "interrupted; the same command goes on from there"
				if with == syscall.SIGHUP && !strings.Contains(said, remedy) {
					t.Errorf("it says %q", said)
				}
			})
		}
	}
}

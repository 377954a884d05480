//go:build unix

package command

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
)

// workerOf prepares a call whose program is a line of sh.
func workerOf(t *testing.T, line string) (*executor.Call, error) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	p, err := PythonRuntime{}.Load(invocations.Artifact{Path: shell})
	if err != nil {
		t.Fatal(err)
	}
	call, err := p.Prepare(&invocations.Invocation{
		Command: []string{"sh", "-c", line}, Folder: t.TempDir(), Measure: invocations.Measure{CheckOnly: true},
	}, 0)
	if err == nil {
		t.Cleanup(call.Close)
	}
	return call, err
}

// A worker is asked for a number of calls, and its answer is what they took.
func TestWorker(t *testing.T) {
	call, err := workerOf(t, `echo ready; while read n; do echo "$n 20 3 4 5"; done`)
	if err != nil {
		t.Fatal(err)
	}
	for _, calls := range []int64{1, 700} {
		used, err := call.Work.(*executor.Batches).Batch(calls)
		want := executor.Used{WallNS: float64(calls), UserNS: 20, Faults: 3, Switches: 9, Delayed: calls == 700}
		if err != nil || used != want {
			t.Errorf("%d calls: %+v, error %v; want %+v", calls, used, err, want)
		}
	}
	if mismatch, err := call.Verify(func(string) {}); mismatch != "" || err != nil {
		t.Errorf("check: %q, error %v", mismatch, err)
	}
}

// A worker that does not start is an error with its last words.
func TestWorkerNotReady(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"echo no such module >&2; exit 1", "the interpreter ended with status 1: no such module"},
		{"exit 0", "the interpreter ended with status 0, and wrote nothing to standard error"},
		{"exec >&-; sleep 60", "the interpreter ended with SIGKILL, and wrote nothing to standard error"},
		{"echo hello", `the interpreter answered "hello", and not "ready"`},
		{"head -c 1000 /dev/zero", "the interpreter answered with a line of more than 256 bytes"},
	} {
		if _, err := workerOf(t, c.line); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.line, err, c.want)
		}
	}
}

// A worker that ends or lies is an error, too.
func TestWorkerFails(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"read n; echo ValueError >&2; exit 1", "the interpreter ended with status 1: ValueError"},
		{"read n; kill -SEGV $$", "the interpreter ended with SIGSEGV, and wrote nothing to standard error"},
		{"read n; echo 1 2 3", `the interpreter answered "1 2 3"; want 5 numbers`},
		{"read n; echo 1 2 3 4 x", `the interpreter answered "1 2 3 4 x"; number 5 is no count`},
		{"read n; echo 3600000000000 1 1 1 1", "the interpreter says that the calls took 3.6e+12 ns, and its answer " +
			"came earlier"},
	} {
		call, err := workerOf(t, "echo ready; "+c.line)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := call.Work.(*executor.Batches).Batch(1); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.line, err, c.want)
		}
	}
}

func TestPythonRefused(t *testing.T) {
	p, err := PythonRuntime{}.Load(invocations.Artifact{Path: "/nothing/here"})
	if err != nil {
		t.Fatal(err)
	}
	var unsupported *executor.UnsupportedError
	if _, err := p.Prepare(&invocations.Invocation{}, 1); !errors.As(err, &unsupported) {
		t.Errorf("cold arguments: error %v", err)
	}
	if _, err := p.Prepare(&invocations.Invocation{Command: []string{"python", "x"}}, 0); err == nil ||
		!strings.HasPrefix(err.Error(), "python x cannot be started: ") {
		t.Errorf("a program that is not there: error %v", err)
	}
}

func FuzzParseReply(f *testing.F) {
	for _, seed := range []string{"1 2 3 4 5", "1 2 3 4", "-1 2 3 4 5", "9223372036854775808 1 1 1 1", " 1  2 3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		used, err := parseReply(line)
		if err == nil && (used.WallNS < 0 || used.UserNS < 0 || used.Faults < 0 || used.Switches < 0) {
			t.Errorf("%q: %+v", line, used)
		}
		if err != nil && used != (executor.Used{}) {
			t.Errorf("%q: an error and %+v", line, used)
		}
	})
}

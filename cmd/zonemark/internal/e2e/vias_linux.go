package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/testneeds"
)

// ViaKernel writes a function of C, and returns the words that have it measured many times, each for a tenth of a
// second. The function mostly waits, so that a run takes its time and leaves the processors to other tests.
func ViaKernel(t *testing.T, folder string) []string {
	t.Helper()
	_, err := exec.LookPath("cc")
	testneeds.Missing(t, err)
	path := filepath.Join(folder, "kernel.c")
	text := "#include <unistd.h>\n" +
		"void scale(long n, float x[n]) { usleep(1000); for (long i = 0; i < n; i++) x[i] *= 0.5f; }\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"run", path, "--function", "void scale(long n, float x[n])", "--launches", "1", "--min-time", "100ms",
		"--max-time", "100ms", "--precision", "0", "--param", "n=" + numbers(ViaInvocations)}
}

// ViaInvocations is how many invocations ViaKernel has.
const ViaInvocations = 36

func numbers(count int) string {
	var list []string
	for n := range count {
		list = append(list, strconv.Itoa(n+1))
	}
	return strings.Join(list, ",")
}

// ViaRun is a run in progress.
type ViaRun struct {
	t       *testing.T
	cmd     *exec.Cmd
	Journal string       // its path
	Stderr  bytes.Buffer // what it has said, for people
}

// StartVia starts zonemark with a journal, in a group of its own.
func StartVia(t *testing.T, variables []string, args ...string) *ViaRun {
	t.Helper()
	r := &ViaRun{t: t, Journal: filepath.Join(t.TempDir(), "journal.ndjson")}
	r.Again(variables, args...)
	return r
}

// Again starts zonemark with the journal of an earlier run.
func (r *ViaRun) Again(variables []string, args ...string) {
	r.t.Helper()
	r.Stderr.Reset()
	r.cmd = Command(r.t, append(args, "-o", r.Journal)...)
	r.cmd.Env = append(r.cmd.Env, variables...)
	r.cmd.Stdout, r.cmd.Stderr = io.Discard, &r.Stderr
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = r.cmd.Process.Kill() }) // it may have ended
}

// Results returns how many results the journal has.
func (r *ViaRun) Results() int {
	text, err := os.ReadFile(r.Journal)
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte(`"kind":"result"`))
}

// AwaitResults waits for so many results.
func (r *ViaRun) AwaitResults(count int) {
	r.t.Helper()
	WaitFor(r.t, "results", func() bool { return r.Results() >= count })
	if r.Results() >= ViaInvocations {
		r.t.Fatalf("nothing is left to be measured:\n%s", &r.Stderr)
	}
}

// Wait waits for the end and returns the exit status.
func (r *ViaRun) Wait() int {
	r.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- r.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(Patience):
		r.t.Fatalf("it does not end:\n%s", &r.Stderr)
	}
	return r.cmd.ProcessState.ExitCode()
}

// Complete checks that every invocation has one result, and returns the number of results by host.
func (r *ViaRun) Complete() map[string]int {
	r.t.Helper()
	j, err := journal.ReadFile(r.Journal)
	if err != nil {
		r.t.Fatal(err)
	}
	if j.Records.Len() != ViaInvocations || len(j.Duplicates) > 0 || r.Results() != ViaInvocations {
		r.t.Errorf("%d results, and %d lines, of %d invocations; several: %v\n%s", j.Records.Len(), r.Results(), ViaInvocations,
			j.Duplicates, &r.Stderr)
	}
	hosts := map[string]int{}
	for _, record := range recordstest.All(r.t, j.Records) {
		hosts[record.Host]++
		if record.Status != invocations.OK || !strings.Contains(record.Machine, "; ") {
			r.t.Errorf("%s: %s %s, machine %q", record.Name, record.Status, record.Error, record.Machine)
		}
	}
	return hosts
}

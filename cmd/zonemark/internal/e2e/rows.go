package e2e

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// RunsIn runs zonemark in a folder and returns its output and exit status.
func RunsIn(t *testing.T, folder string, args ...string) (out string, status int) {
	t.Helper()
	cmd := Command(t, args...)
	cmd.Dir = folder
	return Output(t, cmd)
}

// Output runs a command and returns its output and exit status.
func Output(t *testing.T, cmd *exec.Cmd) (out string, status int) {
	t.Helper()
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// Rows reads a report in the format ndjson, by name.
func Rows(t *testing.T, report []byte) map[string]invocations.Record {
	t.Helper()
	list := map[string]invocations.Record{}
	for line := range strings.Lines(string(report)) {
		var r invocations.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind == invocations.ResultKind {
			list[r.Name] = r
		}
	}
	return list
}

// Journal returns the results in a journal, by name.
func Journal(t testing.TB, path string) map[string]invocations.Record {
	t.Helper()
	stored, err := journal.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records := map[string]invocations.Record{}
	for _, r := range recordstest.All(t, stored.Records) {
		if _, twice := records[r.Name]; twice {
			t.Errorf("%s: two results of %s", path, r.Name)
		}
		records[r.Name] = *r
	}
	return records
}

// Runs returns the output of a zonemark that ends with the exit status.
func Runs(t testing.TB, status int, args ...string) string {
	t.Helper()
	cmd := Command(t, args...)
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Fatalf("zonemark %s: exit status %d instead of %d (%v)\n%s", strings.Join(args, " "), got, status, err, out)
	}
	return string(out)
}

// Patience is how long a test waits for what must come, also on a busy machine.
const Patience = 3 * time.Minute

// Tries measures again, five times at most, until a row shows what a test is about: beside other tests, a look at it may
// be prevented. measure returns whether that is decided: a row that shows nothing in the last try fails the test.
func Tries(measure func(last bool) bool) {
	const most = 5
	for try := 1; try <= most && !measure(try == most); try++ {
	}
}

// WaitFor waits until something is done. Without it after Patience, the test fails. What takes time to ask, such as a
// look at all processes, is asked less often, so that the processors are left to what is waited for.
func WaitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	const shortest, longest, pauses = 5 * time.Millisecond, 50 * time.Millisecond, 10 // for each time that asking takes
	for end := time.Now().Add(Patience); ; {
		asked := time.Now()
		if done() {
			return
		}
		if asked.After(end) {
			t.Fatalf("%s did not come within %v", what, Patience)
		}
		time.Sleep(min(longest, max(shortest, pauses*time.Since(asked))))
	}
}

// WaitEvery is WaitFor with pauses of this length, for what is there for a short time only.
func WaitEvery(t *testing.T, pause time.Duration, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !done(); time.Sleep(pause) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come within %v", what, Patience)
		}
	}
}

// Measured runs zonemark with these arguments, which must succeed, and returns the results of its journal by name.
func Measured(t *testing.T, args ...string) map[string]invocations.Record {
	t.Helper()
	journal := filepath.Join(t.TempDir(), "journal")
	if out, err := Command(t, append(args, "-q", "-o", journal)...).CombinedOutput(); err != nil {
		t.Fatalf("zonemark %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return Recorded(t, journal)
}

// Recorded returns the results in a journal, by name. The journal must be complete and have each result once.
func Recorded(t *testing.T, written string) map[string]invocations.Record {
	t.Helper()
	c, err := journal.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Complete || len(c.Duplicates) > 0 {
		t.Fatalf("the journal is complete %t (%s), twice in it: %v", c.Complete, c.Why, c.Duplicates)
	}
	byName := map[string]invocations.Record{}
	for _, r := range recordstest.All(t, c.Records) {
		byName[r.Name] = *r
	}
	return byName
}

// Function measures one function of testdata/measuring.
func Function(t *testing.T, name string, args ...string) invocations.Record {
	t.Helper()
	return Timed(t, Measured(t, append([]string{"hat", Testdata(t, "measuring"), "--function", name},
		args...)...), name)
}

// Timed returns the row of this name, which must have a time.
func Timed(t *testing.T, rows map[string]invocations.Record, name string) invocations.Record {
	t.Helper()
	r, ok := rows[name]
	if !ok || r.Status != invocations.OK || r.MedianNS == nil || r.CallsPerBatch == nil || r.RawMedianNS == nil {
		t.Fatalf("%s: %+v", name, r)
	}
	return r
}

// Has reports whether a result has a verdict.
func Has(r invocations.Record, v invocations.Verdict) bool { return slices.Contains(r.Verdicts, v) }

// StderrOf returns what a program has written to standard error before it failed.
func StderrOf(err error) []byte {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return nil
}

// RunIn runs a program in a folder, which must succeed, and returns its standard output.
func RunIn(t *testing.T, folder, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, StderrOf(err))
	}
	return string(out)
}

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// StormSuite calls one function for each number from 0 to last; one number in a hundred crashes, each time in another
// way.
func StormSuite(t *testing.T, last int) string {
	t.Helper()
	hat := Testdata(t, "crash", "crash.hat")
	text := fmt.Sprintf(`
[[invocation]]
name = "storm {n}"
artifact = %q
function = "storm"
check_only = true
[invocation.axes]
n = { from = 0, to = %d, step = 1 }
`, hat, last)
	path := filepath.Join(t.TempDir(), "storm.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// crashesOf lists the ways in which the crashing numbers of the suite end, in turn.
var CrashesOf = [...]struct {
	signal string
	code   int
}{{signal: "SIGSEGV"}, {signal: "SIGABRT"}, {signal: "SIGFPE"}, {code: 0}, {signal: "SIGKILL"}, {signal: "SIGSEGV"}}

// CheckStorm checks that every number has exactly one result, and the right one.
func CheckStorm(t *testing.T, written string, last int) {
	t.Helper()
	c, err := journal.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Complete {
		t.Error("the journal is not complete")
	}
	if len(c.Duplicates) > 0 {
		t.Errorf("%d invocations have several results", len(c.Duplicates))
	}
	seen := map[string]int{}
	for _, r := range recordstest.All(t, c.Records) {
		seen[r.Name]++
		var n int
		if _, err := fmt.Sscanf(r.Name, "storm %d", &n); err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
		if n%100 != 57 {
			if r.Status != invocations.OK {
				t.Errorf("%s: %s %s, want ok", r.Name, r.Status, r.Error)
			}
			continue
		}
		want := CrashesOf[n/100%len(CrashesOf)]
		switch {
		case r.Status != invocations.Crashed || r.Crash == nil:
			t.Errorf("%s: %s, want crashed", r.Name, r.Status)
		case r.Crash.Signal != want.signal:
			t.Errorf("%s: signal %q, want %q", r.Name, r.Crash.Signal, want.signal)
		case want.signal == "" && (r.Crash.ExitCode == nil || *r.Crash.ExitCode != want.code):
			t.Errorf("%s: exit code %v, want %d", r.Name, r.Crash.ExitCode, want.code)
		}
	}
	if len(seen) != last+1 || c.Records.Len() != last+1 {
		t.Errorf("%d results of %d invocations, want %d of as many", c.Records.Len(), len(seen), last+1)
	}
}

package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// TestArtifactChanges has a file change while it is measured: in its first launch, in a later one, in a round of a
// check, or only by its date.
func TestArtifactChanges(t *testing.T) {
	for _, c := range []struct {
		name     string
		launch   int
		text     string
		measure  invocations.Measure
		status   invocations.Status
		launches int // that were made
	}{
		{"in the first launch", 0, "other", invocations.Measure{Launches: 3, CPU: -1}, invocations.Failed, 1},
		{"in a later launch", 1, "other", invocations.Measure{Launches: 3, CPU: -1}, invocations.Failed, 2},
		{"only the date", 1, "code", invocations.Measure{Launches: 3, CPU: -1}, invocations.OK, 3},
		{"of a fixed number of calls", 1, "other", invocations.Measure{Iterations: 2, CPU: -1}, invocations.Failed, 2},
	} {
		folder := t.TempDir()
		library, beside := filepath.Join(folder, "k.hat"), filepath.Join(folder, "k.so")
		for _, path := range []string{library, beside} {
			if err := os.WriteFile(path, []byte("code"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		launches := 0
		starter := &puppet{play: func(m *wire.Execute) *invocations.Result {
			if launches++; m.Number == c.launch {
				if err := os.WriteFile(beside, []byte(c.text), 0o644); err != nil {
					t.Error(err)
				}
			}
			r := fitting(m)
			return &r
		}}
		plan := planOf("a")
		p := plan.At(0)
		p.Invocation.Measure, p.Invocation.Artifact.Path = c.measure, library
		plan.Set(0, p)
		outcome, err := Execute(t.Context(), plan, Execution{Executor: starter,
			Loaded: func(inv *invocations.Invocation) []string { return []string{inv.Artifact.Path, beside} }})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recordstest.All(t, outcome.Records) {
			reason := ""
			if c.status == invocations.Failed {
				reason = fmt.Sprintf("changed while it was measured: %s; measure it again", beside)
			}
			if r.Status != c.status || !strings.Contains(r.Error, reason) {
				t.Errorf("%s: %s %q, want %s %q", c.name, r.Status, r.Error, c.status, reason)
			}
		}
		if launches != c.launches {
			t.Errorf("%s: %d launches, want %d", c.name, launches, c.launches)
		}
	}
}

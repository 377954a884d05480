package kills

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver"
	"zonemark/driver/journal"
	"zonemark/executor/sandbox"
	"zonemark/invocations/environ"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/testsize"
)

// TestStorm sends six hundred invocations, or four thousand in the large size, of which one in a hundred crashes: each
// has exactly one result.
func TestStorm(t *testing.T) {
	t.Parallel()
	last := testsize.Of(599, 3999)
	journal := filepath.Join(t.TempDir(), "storm.ndjson")
	var stderr bytes.Buffer
	cmd := e2e.Command(t, "run", e2e.StormSuite(t, last), "-o", journal, "--format", "bmf", "-q")
	cmd.Stderr = &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != cli.ExitNotOK {
		t.Fatalf("exit status %d (%v), want %d\n%s", cmd.ProcessState.ExitCode(), err, cli.ExitNotOK, stderr.String())
	}
	e2e.CheckStorm(t, journal, last)
}

// TestKillAnywhere kills the driver at random moments, at least twelve times, or fifty times in the large size, and
// resumes. In the end, the results are those of an undisturbed run.
func TestKillAnywhere(t *testing.T) {
	t.Parallel()
	last, kills := testsize.Of(599, 1999), testsize.Of(12, 50)
	suite := e2e.StormSuite(t, last)
	journal := filepath.Join(t.TempDir(), "killed.ndjson")
	rng := rand.New(rand.NewPCG(1, 2))
	killed := 0
	for killed < kills {
		cmd := e2e.Command(t, "run", suite, "-o", journal, "--resume", "--format", "bmf", "-q")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(rng.Int64N(int64(150*time.Millisecond))), func() {
			_ = cmd.Process.Kill() // it may have ended
		})
		_ = cmd.Wait() // killed, or ended first
		timer.Stop()
		if cmd.ProcessState.ExitCode() == -1 {
			killed++
			continue
		}
		// The run was complete. The next one begins with this journal, cut off somewhere.
		info, err := os.Stat(journal)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(journal, rng.Int64N(info.Size())); err != nil {
			t.Fatal(err)
		}
	}
	cmd := e2e.Command(t, "run", suite, "-o", journal, "--resume", "--format", "bmf", "-q")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != cli.ExitNotOK {
		t.Fatalf("last run: %v\n%s", err, out)
	}
	e2e.CheckStorm(t, journal, last)

	undisturbed := filepath.Join(t.TempDir(), "undisturbed.ndjson")
	cmd = e2e.Command(t, "run", suite, "-o", undisturbed, "--format", "bmf", "-q")
	if _, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != cli.ExitNotOK {
		t.Fatal(err)
	}
	if a, b := outcomes(t, journal), outcomes(t, undisturbed); !maps.Equal(a, b) {
		t.Errorf("the results of the killed run and of the undisturbed one differ: %d and %d", len(a), len(b))
	}
}

// outcomes returns the status and way of crashing by id.
func outcomes(t *testing.T, written string) map[string]string {
	t.Helper()
	c, err := journal.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range recordstest.All(t, c.Records) {
		text := string(r.Status)
		if r.Crash != nil {
			text += " " + r.Crash.Signal
		}
		out[r.ID] = text
	}
	if dup := c.Records.Len() - len(out); dup > 0 {
		t.Errorf("%s: %d results too many: %v", written, dup, slices.Sorted(maps.Keys(out))[:1])
	}
	return out
}

// A run through trace hosts has the same results as one without: each crash has its own signal. There is a capture for
// each executor that was started.
func TestTracedStorm(t *testing.T) {
	const last, crashes = 599, 6
	t.Setenv("ZONEMARK_HOME", e2e.Cache(t))
	dir := t.TempDir()
	s := hosting.NewTracer(hosting.Options{
		Sandbox: sandbox.Auto, Scratch: t.TempDir(), Variables: environ.Of(e2e.Environment()...),
	}, hosting.CaptureOptions{
		Output: filepath.Join(dir, "out.tracy"), Tool: captureStandIn(t),
	})
	defer s.Close()
	old := os.Args[0]
	os.Args[0] = "zonemark" // the name by which the children serve, see TestMain
	defer func() { os.Args[0] = old }()
	p := program.Standard()
	p.Streams = cli.Streams{Out: t.Output(), Err: t.Output()}
	m := measuring.New(measuring.NewTask(p, measuring.DefaultSettings()), []string{e2e.StormSuite(t, last)})
	plan, err := m.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(dir, "storm.ndjson")
	outcome, err := driver.Execute(t.Context(), plan, driver.Execution{
		Executor: s, Build: cli.Version(), Journal: driver.JournalFile{Path: journal},
	})
	if err != nil {
		t.Fatal(err)
	}
	e2e.CheckStorm(t, journal, last)
	got := s.Captures()
	if len(got) != outcome.Executors || len(got) < crashes {
		t.Errorf("%d captures of %d executors", len(got), outcome.Executors)
	}
	seen, partial := map[string]bool{}, 0
	for _, r := range got {
		if r.Error != "" || r.Bytes == 0 || seen[r.Path] {
			t.Errorf("capture %+v", r)
		}
		seen[r.Path] = true
		if r.Partial {
			partial++
		}
	}
	// One of the six is exit(0). Each is tried once more in a fresh executor, since others had used the first one.
	if want := 2 * (crashes - 1); partial != want {
		t.Errorf("%d captures are partial, %d executors were ended by a signal", partial, want)
	}
}

// captureStandIn returns a shell script in place of a capture tool, which writes its port as the capture.
func captureStandIn(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "capture")
	const script = `#!/bin/sh
while getopts fo:a:p: o; do case $o in o) output=$OPTARG;; p) port=$OPTARG;; esac; done
echo "$port" >"$output"
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/journal"
	"zonemark/invocations"
)

// logFile returns a file to which functions of testdata/measuring add lines of four numbers, when they run without a
// sandbox. lines reads them.
func logFile(t *testing.T) (lines func() [][4]int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	t.Setenv("ZONEMARK_TEST_LOG", path)
	return func() (all [][4]int) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var n [4]int
			if _, err := fmt.Sscan(line, &n[0], &n[1], &n[2], &n[3]); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			all = append(all, n)
		}
		return all
	}
}

// Each launch is a separate process, with each argument at another position in its page. The positions depend on the
// seed.
func TestLaunchesDiffer(t *testing.T) {
	var first [][2]int
	for run, seed := range []string{"3", "3", "4"} {
		lines := logFile(t)
		e2e.Function(t, "where", "--sandbox=off", "--launches", "4", "--seed", seed, "--min-time", "4ms",
			"--max-time", "100ms")
		var pids, distances, stacks []int
		var places [][2]int
		for _, n := range lines() {
			pid, a, b, stack := n[0], n[1], n[2], n[3]
			if a%64 != 0 || b%64 != 0 {
				t.Errorf("arrays begin at %d and %d of their pages", a, b)
			}
			pids, stacks = append(pids, pid), append(stacks, stack)
			places, distances = append(places, [2]int{a, b}), append(distances, b-a)
		}
		if distinct(pids) != 4 || len(pids) != 4 {
			t.Errorf("4 launches in processes %v", pids)
		}
		if distinct(distances) < 3 || distinct(stacks) < 2 { // of 64 places each; those of stacks differ from run to run
			t.Errorf("the launches' arrays begin at %v of their pages, their stacks at %v", places, stacks)
		}
		switch same := slices.Equal(first, places); {
		case run == 0:
			first = places
		case same != (run == 1):
			t.Errorf("seed %s: arrays at %v, with seed 3 at %v", seed, places, first)
		}
	}
}

func distinct(x []int) int { return len(slices.Compact(slices.Sorted(slices.Values(x)))) }

// The row of an invocation has its launches, each with its samples; a launch that was not quiet may have been set
// apart.
func TestRowOfLaunches(t *testing.T) {
	r := e2e.Function(t, "ordinary", "--launches", "3", "--min-time", "15ms", "--max-time", "300ms")
	if r.Launches == nil || *r.Launches > 3 || *r.Launches < 1 || *r.Launches < 3 && !e2e.Has(r, invocations.Contended) {
		t.Fatalf("launches %v of 3: %v", r.Launches, r.Verdicts)
	}
	sum := 0
	for _, n := range r.MergedSamples {
		sum += n
	}
	if len(r.LaunchMediansNS) != *r.Launches || len(r.MergedSamples) != *r.Launches || sum != len(r.SamplesNS) ||
		slices.Contains(r.MergedSamples, 0) {
		t.Errorf("%d launches: medians %v, samples %v of %d", *r.Launches, r.LaunchMediansNS, r.MergedSamples,
			len(r.SamplesNS))
	}
	if r.Stop != "launches" || *r.MedianNS < slices.Min(r.LaunchMediansNS) ||
		*r.MedianNS > slices.Max(r.LaunchMediansNS) {
		t.Errorf("stop %q, median %g of launches %v", r.Stop, *r.MedianNS, r.LaunchMediansNS)
	}
}

// A crash in a later launch decides the status, since times before it do not measure the function.
func TestThirdLaunchCrashes(t *testing.T) {
	lines := logFile(t)
	journal := filepath.Join(t.TempDir(), "journal")
	cmd := e2e.Command(t, "hat", e2e.Testdata(t, "measuring"), "--function", "third_crashes", "--function",
		"ordinary", "--sandbox=off", "-q",
		"--launches", "4", "--min-time", "4ms", "--max-time", "200ms", "-o", journal)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != cli.ExitNotOK {
		t.Fatalf("%v, want status %d\n%s", err, cli.ExitNotOK, out)
	}
	rows := e2e.Recorded(t, journal)
	r := rows["third_crashes"]
	if r.Status != invocations.Crashed || r.Crash == nil || r.Crash.Signal != "SIGABRT" || r.MedianNS != nil ||
		r.SamplesNS != nil {
		t.Errorf("%+v", r)
	}
	if r.Merged == nil || *r.Merged != 3 || !slices.Contains(r.Notes, "2 launches before it ended well") {
		t.Errorf("rounds %v, notes %q", r.Merged, r.Notes)
	}
	if n := len(lines()); n != 3 {
		t.Errorf("%d launches were begun, want 3", n)
	}
	if o := rows["ordinary"]; o.Status != invocations.OK || o.Launches == nil {
		t.Errorf("the function beside it: %+v", o)
	}
}

// gatedSuite writes a suite of functions that wait at the start of each launch until they are let through, and returns
// its path. Invocation n has n%4+1 launches.
func gatedSuite(t *testing.T, entries int) (path string) {
	t.Helper()
	hat := e2e.Testdata(t, "measuring", "measuring.hat")
	var suite bytes.Buffer
	for n := range entries {
		fmt.Fprintf(&suite, `[[invocation]]
name = "gated %d"
artifact = %q
function = "gated"
params = { n = %d }
launches = %d
min_time = "4ms"
max_time = "80ms"
`, n, hat, n+1, n%4+1)
	}
	path = filepath.Join(t.TempDir(), "suite.toml")
	if err := os.WriteFile(path, suite.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestKillBetweenLaunches kills the driver while several invocations are measured launch by launch in turns, and
// resumes. A launch waits until the driver is killed, so that the run cannot be over before.
func TestKillBetweenLaunches(t *testing.T) {
	const entries = 10 // more than a window has
	path, log := gatedSuite(t, entries), filepath.Join(t.TempDir(), "log")
	t.Setenv("ZONEMARK_TEST_LOG", log)
	begun := func() int64 { // launches
		text, _ := os.ReadFile(log) // missing before the first one
		return int64(bytes.Count(text, []byte("\n")))
	}
	letThrough := func(launches int64) {
		t.Helper()
		if err := os.WriteFile(log+".go", make([]byte, launches), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written := filepath.Join(t.TempDir(), "journal")
	run := []string{"run", path, "-q", "-o", written, "--resume", "--sandbox=off"}
	between := 0
	for _, further := range []int64{0, 2, 13, 1, 12, 4} { // launches in this run
		most := begun() + further
		letThrough(most)
		cmd := e2e.Command(t, run...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(2 * time.Minute); begun() <= most && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		_ = cmd.Process.Kill() // if it has ended, the next line tells
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != -1 || begun() <= most {
			t.Fatalf("%d launches have begun, %d were let through; the run: %v\n%s", begun(), most, cmd.ProcessState,
				stderr.String())
		}
		if c, err := journal.ReadFile(written); err == nil && len(c.Duplicates) > 0 {
			t.Fatalf("measured twice: %v", c.Duplicates)
		} else if err == nil && c.Records.Len() > 0 && c.Records.Len() < entries {
			between++
		}
	}
	if between == 0 {
		t.Error("no run was killed with some results in the journal, but not all")
	}
	letThrough(1 << 20)
	if out, err := e2e.Command(t, run...).CombinedOutput(); err != nil {
		t.Fatalf("last run: %v\n%s", err, out)
	}
	rows := e2e.Recorded(t, written)
	for n := range entries {
		r := rows[fmt.Sprint("gated ", n)]
		if r.Status != invocations.OK || r.Launches == nil || *r.Launches > n%4+1 || r.Stop != "launches" {
			t.Errorf("%d: %+v", n, r)
		}
	}
	if len(rows) != entries {
		t.Errorf("%d results, want %d", len(rows), entries)
	}
	t.Logf("%d of the runs were killed with some results in the journal", between)
}

// CPUs that a function sets for its thread affect neither another function's launch nor its own next launch.
func TestAffinityStaysInItsLaunch(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.NumCPU() < 2 {
		t.Skip("it takes two CPUs, and Linux")
	}
	lines := logFile(t)
	e2e.Measured(t, "hat", e2e.Testdata(t, "measuring"), "--function", "rounds_and_binds", "--function", "cpus",
		"--sandbox=off",
		"--launches", "3", "--min-time", "4ms", "--max-time", "100ms")
	all := lines()
	for _, n := range all {
		if n[0] != runtime.NumCPU() {
			t.Errorf("a launch has %d CPUs of %d", n[0], runtime.NumCPU())
		}
	}
	if len(all) != 3 {
		t.Errorf("%d launches told", len(all))
	}
}

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/driver"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
)

// measured runs zonemark with these arguments, which must succeed, and returns the results of its journal by name.
func measured(t *testing.T, args ...string) map[string]invocations.Record {
	t.Helper()
	journal := filepath.Join(t.TempDir(), "journal")
	if out, err := command(t, append(args, "-q", "-o", journal)...).CombinedOutput(); err != nil {
		t.Fatalf("zonemark %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return recorded(t, journal)
}

func recorded(t *testing.T, journal string) map[string]invocations.Record {
	t.Helper()
	c, err := driver.ReadJournalFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Complete || len(c.Duplicates) > 0 {
		t.Fatalf("the journal is complete %t (%s), twice in it: %v", c.Complete, c.Why, c.Duplicates)
	}
	byName := map[string]invocations.Record{}
	for _, r := range c.Records.All() {
		byName[r.Name] = *r
	}
	return byName
}

// function measures one function of testdata/measuring.
func function(t *testing.T, name string, args ...string) invocations.Record {
	t.Helper()
	return timed(t, measured(t, append([]string{"hat", filepath.Join("testdata", "measuring"), "--function", name},
		args...)...), name)
}

// timed returns the row of this name, which must have a time.
func timed(t *testing.T, rows map[string]invocations.Record, name string) invocations.Record {
	t.Helper()
	r, ok := rows[name]
	if !ok || r.Status != invocations.OK || r.MedianNS == nil || r.CallsPerBatch == nil || r.RawMedianNS == nil {
		t.Fatalf("%s: %+v", name, r)
	}
	return r
}

func has(r invocations.Record, v invocations.Verdict) bool { return slices.Contains(r.Verdicts, v) }

// batchNS returns how long a batch took.
func batchNS(r invocations.Record) float64 { return float64(*r.CallsPerBatch) * *r.RawMedianNS }

// shortestBatch is half of the planned length of a batch, in nanoseconds.
const shortestBatch = 50_000.0

// checkBatch checks that batches are about as long as planned. If the machine was busy only when the batch was sized,
// batches may be shorter, but then the row says so.
func checkBatch(t *testing.T, r invocations.Record, leastCalls int64) {
	t.Helper()
	if busy := has(r, invocations.Contended) || has(r, invocations.TooShort); batchNS(r) < shortestBatch && !busy {
		t.Errorf("%s: batches of %d calls take %.0f ns: %v", r.Name, *r.CallsPerBatch, batchNS(r), r.Verdicts)
	}
	if *r.CallsPerBatch < leastCalls {
		t.Errorf("%s: %d calls a batch, want at least %d", r.Name, *r.CallsPerBatch, leastCalls)
	}
}

// TestLongFirstCall measures a function whose first call fills a table for 50 ms, while later ones take 5 ns. A batch
// must not be sized by the first call: it would hold a single call, and would mostly measure the clock.
func TestLongFirstCall(t *testing.T) {
	for _, c := range []struct {
		name       string
		leastCalls int64
		args       []string
	}{
		{"warm", 2000, []string{"--launches", "3", "--min-time", "60ms", "--max-time", "1500ms"}},
		{"first call longer than the share for warming up", 2000,
			[]string{"--launches", "2", "--min-time", "40ms", "--max-time", "250ms"}},
		{"cold", 500, []string{"--launches", "2", "--min-time", "40ms", "--max-time", "1s", "--mode", "cold",
			"--input-sets-minimum-size-mb", "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := function(t, "fills_table", c.args...)
			checkBatch(t, r, c.leastCalls)
			if !has(r, invocations.Clean) {
				return
			}
			if r.CPUMedianNS == nil || *r.RawMedianNS / *r.CPUMedianNS < 0.8 {
				t.Errorf("clean, although a call of %.1f ns takes %v ns of CPU time: that of reading clocks",
					*r.RawMedianNS, r.CPUMedianNS)
			}
			forced := function(t, "fills_table", append(c.args, "--calls-per-batch", "20000")...)
			if *r.MedianNS > 20**forced.MedianNS {
				t.Errorf("clean with a median of %.1f ns; batches of 20,000 calls take %.1f ns a call", *r.MedianNS,
					*forced.MedianNS)
			}
		})
	}
}

// TestLateWarmUp measures a function whose first 2,000 calls take 10 µs, a hundred times as long as later ones, and
// agree so well that the batch is sized by them. The batch must be sized again later.
func TestLateWarmUp(t *testing.T) {
	r := function(t, "warms_up_late", "--launches", "2", "--min-time", "200ms", "--max-time", "1s")
	checkBatch(t, r, 100)
	if r.WarmupCalls == nil || *r.WarmupCalls < 2*2000 {
		t.Errorf("%v calls came before the first one that counts; the slow calls of two launches are 4,000",
			r.WarmupCalls)
	}
}

func TestOrdinaryLoop(t *testing.T) {
	checkBatch(t, function(t, "ordinary", "--launches", "3", "--min-time", "30ms", "--max-time", "300ms"), 2)
}

// checkThreads checks a function whose first call starts a thread that does part of the work of every call. Probes
// beside such a thread tell nothing.
func checkThreads(t *testing.T, r invocations.Record) {
	t.Helper()
	checkBatch(t, r, 1)
	if !slices.ContainsFunc(r.Notes, func(n string) bool {
		return strings.Contains(n, "no probes") &&
			strings.Contains(n, "threads")
	}) {
		t.Errorf("no note says that the function runs threads: %q", r.Notes)
	}
	if r.QuietShare != nil {
		t.Errorf("probes found %.2f of the batches of a function with threads quiet", *r.QuietShare)
	}
}

func TestThreads(t *testing.T) {
	if reason := counterlessClock(); reason != "" {
		t.Skip(reason)
	}
	checkThreads(t, function(t, "runs_thread", "--launches", "3", "--min-time", "60ms", "--max-time", "600ms"))
}

// TestThreadsOfOpenMP measures a function whose workers wait for the next call without sleeping. They are easy to
// overlook, since the system adds their time to the process's only at its ticks. If some launches overlook them, a row
// has quiet batches and also says that there were no probes.
func TestThreadsOfOpenMP(t *testing.T) {
	if reason := counterlessClock(); reason != "" {
		t.Skip(reason)
	}
	source := filepath.Join("testdata", "openmp", "openmp.c")
	if out, err := exec.Command("cc", "-fopenmp", "-shared", "-fPIC", "-o", filepath.Join(t.TempDir(), "openmp.so"),
		source).CombinedOutput(); err != nil {
		setuptest.Missing(t, fmt.Errorf("this compiler has no OpenMP: %w\n%s", err, out))
	}
	if runtime.NumCPU() < 2 {
		t.Skip("one CPU: workers that wait for it sleep or starve")
	}
	rows := measured(t, "hat", filepath.Join("testdata", "openmp"), "--launches", "3", "--min-time", "60ms",
		"--max-time", "600ms")
	checkThreads(t, timed(t, rows, "team"))
}

// counterlessClock returns why this machine has no probes, "" if it has some.
func counterlessClock() string {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		return fmt.Sprintf("probes are not known to work on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return ""
}

package measure

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
	"zonemark/invocations/testneeds"
)

// TestLongFirstCall measures a function whose first call fills a table for 50 ms, while later ones take 5 ns. A batch
// that was sized by the first call would hold a single call. How batches are sized is tested with scripts
// (TestLongFirstCalls in package executor), since other work on the machine makes calls longer and batches smaller.
func TestLongFirstCall(t *testing.T) {
	r := e2e.Function(t, "fills_table", "--launches", "3", "--min-time", "60ms", "--max-time", "1500ms")
	if *r.CallsPerBatch <= 1 || len(r.Verdicts) == 0 {
		t.Errorf("%d calls a batch: %v", *r.CallsPerBatch, r.Verdicts)
	}
}

// checkThreads checks the row of a function of which threads do part of the work of every call. Probes beside such a
// thread tell nothing. It holds on a busy machine: CPU time is compared with CPU time. When threads are found is tested
// with scripts, too: TestHelped, TestLookForThreads and TestWork in package executor.
func checkThreads(t *testing.T, r invocations.Record) {
	t.Helper()
	found := slices.ContainsFunc(r.Notes, func(n string) bool {
		return strings.Contains(n, "no probes") && strings.Contains(n, "threads")
	})
	if probed := r.QuietShare != nil; probed || !found || len(r.Verdicts) == 0 {
		t.Errorf("probes: %t; a note that there are none: %t: %q, %v", probed, found, r.Notes, r.Verdicts)
	}
	if slices.Contains(r.Verdicts, invocations.Unfinished) {
		t.Errorf("calls wait for their threads: %v, %q", r.Verdicts, r.Notes)
	}
	// A batch is short whose calls took far longer when its size was chosen, beside much other work.
	if slices.Contains(r.Verdicts, invocations.TooShort) && !slices.Contains(r.Verdicts, invocations.Contended) {
		t.Errorf("a call of %v ns is too short: %v, %q", *r.MedianNS, r.Verdicts, r.Notes)
	}
}

// TestThreads measures a function whose first call starts a thread, and one that makes its threads and joins them.
func TestThreads(t *testing.T) {
	if reason := counterlessClock(); reason != "" {
		t.Skip(reason)
	}
	for _, name := range []string{"runs_thread", "joins_threads"} {
		t.Run(name, func(t *testing.T) {
			checkThreads(t, e2e.Function(t, name, "--launches", "3", "--min-time", "60ms", "--max-time", "600ms"))
		})
	}
}

// TestLeavesWork measures a function that leaves its work to a thread, and does not wait for it.
func TestLeavesWork(t *testing.T) {
	r := e2e.Function(t, "leaves_work", "--launches", "2", "--min-time", "60ms", "--max-time", "600ms")
	said := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "leave work to threads") })
	if !said || !slices.Contains(r.Verdicts, invocations.Unfinished) || slices.Contains(r.Verdicts, invocations.Clean) {
		t.Errorf("%v, %q", r.Verdicts, r.Notes)
	}
}

// TestThreadsOfOpenMP measures a function whose workers wait for the next call without sleeping.
func TestThreadsOfOpenMP(t *testing.T) {
	if reason := counterlessClock(); reason != "" {
		t.Skip(reason)
	}
	source := e2e.Testdata(t, "openmp", "openmp.c")
	if out, err := exec.Command("cc", "-fopenmp", "-shared", "-fPIC", "-o", filepath.Join(t.TempDir(), "openmp.so"),
		source).CombinedOutput(); err != nil {
		testneeds.Missing(t, fmt.Errorf("this compiler has no OpenMP: %w\n%s", err, out))
	}
	rows := e2e.Measured(t, "hat", e2e.Testdata(t, "openmp"), "--launches", "3", "--min-time", "60ms",
		"--max-time", "600ms")
	checkThreads(t, e2e.Timed(t, rows, "team"))
}

// counterlessClock returns why this machine has no probes, "" if it has some.
func counterlessClock() string {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		return fmt.Sprintf("probes are not known to work on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return ""
}

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
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
)

// batchNS returns how long a batch took.
func batchNS(r invocations.Record) float64 { return float64(*r.CallsPerBatch) * *r.RawMedianNS }

// shortestBatch is half of the planned length of a batch, in nanoseconds.
const shortestBatch = 50_000.0

// checkBatch checks that batches are about as long as planned. If the machine was busy only when the batch was sized,
// batches may be shorter, but then the row says so.
func checkBatch(t *testing.T, r invocations.Record, leastCalls int64) {
	t.Helper()
	if busy := e2e.Has(r, invocations.Contended) || e2e.Has(r, invocations.TooShort); batchNS(r) < shortestBatch && !busy {
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
			r := e2e.Function(t, "fills_table", c.args...)
			checkBatch(t, r, c.leastCalls)
			if !e2e.Has(r, invocations.Clean) {
				return
			}
			if r.CPUMedianNS == nil || *r.RawMedianNS / *r.CPUMedianNS < 0.8 {
				t.Errorf("clean, although a call of %.1f ns takes %v ns of CPU time: that of reading clocks",
					*r.RawMedianNS, r.CPUMedianNS)
			}
			forced := e2e.Function(t, "fills_table", append(c.args, "--calls-per-batch", "20000")...)
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
	r := e2e.Function(t, "warms_up_late", "--launches", "2", "--min-time", "200ms", "--max-time", "1s")
	checkBatch(t, r, 100)
	if r.WarmupCalls == nil || *r.WarmupCalls < 2*2000 {
		t.Errorf("%v calls came before the first one that counts; the slow calls of two launches are 4,000",
			r.WarmupCalls)
	}
}

func TestOrdinaryLoop(t *testing.T) {
	checkBatch(t, e2e.Function(t, "ordinary", "--launches", "3", "--min-time", "30ms", "--max-time", "300ms"), 2)
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
	checkThreads(t, e2e.Function(t, "runs_thread", "--launches", "3", "--min-time", "60ms", "--max-time", "600ms"))
}

// TestThreadsOfOpenMP measures a function whose workers wait for the next call without sleeping. They are easy to
// overlook, since the system adds their time to the process's only at its ticks. If some launches overlook them, a row
// has quiet batches and also says that there were no probes.
func TestThreadsOfOpenMP(t *testing.T) {
	if reason := counterlessClock(); reason != "" {
		t.Skip(reason)
	}
	source := e2e.Testdata(t, "openmp", "openmp.c")
	if out, err := exec.Command("cc", "-fopenmp", "-shared", "-fPIC", "-o", filepath.Join(t.TempDir(), "openmp.so"),
		source).CombinedOutput(); err != nil {
		setuptest.Missing(t, fmt.Errorf("this compiler has no OpenMP: %w\n%s", err, out))
	}
	if runtime.NumCPU() < 2 {
		t.Skip("one CPU: workers that wait for it sleep or starve")
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

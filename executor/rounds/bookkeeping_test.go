package rounds

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/race"
)

// constant is a timer whose batches all take the same time.
type constant [1]float64

func (c *constant) Run(int64, int) ([]float64, error) { return c[:], nil }
func (*constant) SetPrelude(int)                      {}
func (*constant) Close()                              {}

// slowed are real surroundings in which time passes a hundred times more slowly: a launch of very many batches ends by the
// time that passed, of which a busy machine takes more.
type slowed struct {
	system
	begun time.Time
}

func (s slowed) now() time.Time { return s.begun.Add(time.Since(s.begun) / 100) }

// launchOf samples a launch of this many batches, whose times a script gives, with real probes around them.
func launchOf(t testing.TB, around surroundings, batches int, precision float64) invocations.Result {
	const length = 100_000
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: int64(batches) * length, MaxTimeNS: int64(time.Hour),
		Precision: precision}
	with := instrumentsOf(native.CalibrateClock(calibration))
	with.around = around
	s := sessionOf(&executor.Function{}, &constant{length}, with, m)
	s.calls, s.batches, s.emptied = 1000, 1, &constant{length / 100}
	r := invocations.Result{}
	if err := s.sample(&r, newBudget(m, s.now), levels{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLaunchIsBounded: what a launch keeps, and what it leaves to the collector, which is off, is bounded. It used to be
// 9 GB for 30,000 batches.
func TestLaunchIsBounded(t *testing.T) {
	if race.Enabled {
		t.Skip("the detector allocates")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const batches, most = 120_000, 64 << 20
	var before, after runtime.MemStats
	for _, precision := range []float64{0, 1e-15} {
		runtime.ReadMemStats(&before)
		r := launchOf(t, slowed{begun: time.Now()}, batches, precision)
		runtime.ReadMemStats(&after)
		bytes := after.TotalAlloc - before.TotalAlloc
		if bytes > most {
			t.Errorf("a launch of %d batches took %d MiB", batches, bytes>>20)
		}
		if n := len(r.SamplesNS); n > mostBatches || n < fewestQuiet || !slices.ContainsFunc(r.Notes,
			func(note string) bool { return strings.Contains(note, "timed batches, the times of one in 4 are kept") }) {
			t.Errorf("%d samples of %d batches, notes %q", n, batches, r.Notes)
		}
		if n := r.Iterations; n != 4*1000*int64(len(r.SamplesNS)) { // batches of 1000 calls
			t.Errorf("%d samples, one in 4, of %d calls", len(r.SamplesNS), n)
		}
		if n := r.Canary.Batches; n < batches {
			t.Errorf("the canary tells of %d of %d batches", n, batches)
		}
		t.Logf("%d MiB, %d samples", bytes>>20, len(r.SamplesNS))
	}
}

// BenchmarkLaunch shows what a batch costs besides its calls: with the probes, the clocks of the thread, and the
// bookkeeping. The time of a batch must not grow with their number.
func BenchmarkLaunch(b *testing.B) {
	for _, batches := range []int{3000, 10_000, 30_000, 300_000, 5_000_000} {
		b.Run(fmt.Sprint(batches), func(b *testing.B) {
			b.ReportAllocs()
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			for range b.N {
				launchOf(b, system{}, batches, 0)
				b.StopTimer()
				runtime.GC()
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N*batches), "ns/batch")
		})
	}
}

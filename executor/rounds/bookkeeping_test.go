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
	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/race"
)

// constant is a timer whose batches all take the same time.
type constant [1]float64

func (c *constant) Run(int64, int) ([]float64, error) { return c[:], nil }
func (*constant) SetPrelude(int)                      {}
func (*constant) Close()                              {}

// calm are real surroundings in which nothing disturbs a batch, and time passes a hundred times more slowly: a launch of
// very many batches ends by the time that passed, and a busy machine takes more of it and disturbs more batches.
type calm struct {
	system
	begun time.Time
}

func (c calm) now() time.Time { return c.begun.Add(time.Since(c.begun) / 100) }

func (calm) usage() platform.Usage { return platform.Usage{} }

func (c calm) probe(core *native.Canary, memory *native.MemoryCanary) noise.Probes {
	c.system.probe(core, memory) // which keeps nothing
	return probeOf(3, 2)
}

// launchOf samples a launch of this many batches, whose times a script gives, with probes around them.
func launchOf(t testing.TB, around surroundings, batches int, precision float64) invocations.Result {
	const length = 100_000
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: int64(batches) * length, MaxTimeNS: int64(time.Hour),
		Precision: precision, CallsPerBatch: 1000}
	with := instrumentsOf(native.CalibrateClock(calibration))
	with.around = around
	s := sessionOf(&executor.Function{}, &constant{length}, with, m)
	s.calls, s.batches, s.emptied = 1000, 1, &constant{length / 100}
	r := invocations.Result{}
	if err := s.sample(&r, newBudget(m, s.now), noise.Levels{}); err != nil {
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
		r := launchOf(t, calm{begun: time.Now()}, batches, precision)
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

// Batches of long launches are longer, so that what is looked at beside them takes a small part of the time.
func TestLongLaunchesHaveLongerBatches(t *testing.T) {
	for least, want := range map[time.Duration]float64{
		0: 100e3, 50 * time.Millisecond: 100e3, time.Second: 100e3, 2 * time.Second: 200e3, time.Minute: 400e3,
	} {
		with := &Instruments{around: &script{}, clock: scriptedClock}
		s := sessionOf(&executor.Function{}, &constant{100}, with, invocations.Measure{MinTimeNS: int64(least)})
		if got := s.plannedNS(); got != want {
			t.Errorf("a launch of %v: batches of %.0f ns, want %.0f", least, got, want)
		}
	}
}

//go:build !windows

package native

import (
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/executor/platform"
)

// BenchmarkCanary reports how much of batches of 100 µs the probes take, and how they change the time of a function.
// Batches with probes and an untimed call before them take turns with batches without.
// cmd/zonemark/testdata/bench/loop.sh prints the figures.
func BenchmarkCanary(b *testing.B) {
	if os.Getenv("ZONEMARK_PEER_KERNELS") == "" {
		b.Skip("ZONEMARK_PEER_KERNELS names no library; run cmd/zonemark/testdata/bench/loop.sh")
	}
	kernels, err := dl.Open(os.Getenv("ZONEMARK_PEER_KERNELS"))
	if err != nil {
		b.Fatal(err)
	}
	entry, err := kernels.Lookup("short_chain")
	if err != nil {
		b.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	clock := CalibrateClock(300 * time.Millisecond)
	canary := NewCanary(clock)
	if canary == nil {
		b.Skip("the clock is too coarse for a canary")
	}
	data, err := platform.Alloc(4096)
	if err != nil {
		b.Fatal(err)
	}
	defer platform.Free(data)
	var frame Frame
	for range 3 {
		frame.Int(uint64(uintptr(unsafe.Pointer(&data[0]))))
	}
	loop, err := NewLoop(clock, entry, []Frame{frame})
	if err != nil {
		b.Fatal(err)
	}
	defer loop.Close()
	const batchNS, batches = 100_000, 3000
	calls := max(1, int(batchNS/(float64(loop.Run(1000, 3)[2])/clock.TicksPerNS/1000)))
	var probes, with, without []float64
	for range b.N {
		for range batches {
			start := time.Now()
			canary.Probe()
			probes = append(probes, float64(time.Since(start)))
			loop.SetPrelude(1)
			with = append(with, float64(loop.Run(calls, 1)[0]))
			loop.SetPrelude(0)
			without = append(without, float64(loop.Run(calls, 1)[0]))
		}
	}
	for _, x := range [][]float64{probes, with, without} {
		slices.Sort(x)
	}
	middle := len(probes) / 2
	b.ReportMetric(probes[middle], "ns/probe")
	b.ReportMetric(100*probes[middle]/batchNS, "%/batch") // one serves the batches on both sides
	b.ReportMetric(with[middle]/without[middle], "with/without")
}

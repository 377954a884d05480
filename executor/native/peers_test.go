//go:build !windows

package native

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/executor/platform"
)

// BenchmarkPeers times the functions of the library that ZONEMARK_PEER_KERNELS names, with this package's loop and with
// those of the library that ZONEMARK_PEER_LOOPS names: one in C and, if it is there, Google Benchmark's. All take turns
// on the same functions. As with kernels that users measure, the loops are not in the kernels' library.
// cmd/zonemark/testdata/bench/loop.sh builds both libraries and prints the figures.
func BenchmarkPeers(b *testing.B) {
	if os.Getenv("ZONEMARK_PEER_KERNELS") == "" {
		b.Skip("ZONEMARK_PEER_KERNELS names no library; run cmd/zonemark/testdata/bench/loop.sh")
	}
	kernels, err := dl.Open(os.Getenv("ZONEMARK_PEER_KERNELS"))
	if err != nil {
		b.Fatal(err)
	}
	loops, err := dl.Open(os.Getenv("ZONEMARK_PEER_LOOPS"))
	if err != nil {
		b.Fatal(err)
	}
	clock := CalibrateClock(300 * time.Millisecond)
	for _, k := range []struct {
		name, symbol string
		calls        int
	}{{"empty", "empty", 20000}, {"50ns", "short_chain", 4000}, {"10us", "long_chain", 20}} {
		b.Run(k.name, func(b *testing.B) {
			runtime.LockOSThread() // not unlocked: a pinned thread ends with its goroutine
			if cpu, err := strconv.Atoi(os.Getenv("ZONEMARK_PEER_CPU")); err == nil {
				if err := platform.Pin(cpu); err != nil {
					b.Fatal(err)
				}
			}
			entry, err := kernels.Lookup(k.symbol)
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				comparePeers(b, loops, clock, entry, k.calls)
			}
		})
	}
}

// comparePeers interleaves the loops in many short rounds, so that each meets the same disturbances, and reports minima
// and medians.
func comparePeers(b *testing.B, loops dl.Library, clock Clock, entry uintptr, calls int) {
	const rounds, batches = 60, 8
	data, err := platform.Alloc(3 * 4096)
	if err != nil {
		b.Fatal(err)
	}
	defer platform.Free(data)
	var arguments [3]uintptr
	var frame Frame
	for i := range arguments {
		arguments[i] = uintptr(unsafe.Pointer(&data[i*4096]))
		frame.Int(uint64(arguments[i]))
	}
	loop, err := NewLoop(clock, entry, []Frame{frame})
	if err != nil {
		b.Fatal(err)
	}
	defer loop.Close()
	empty, err := loop.Empty()
	if err != nil {
		b.Fatal(err)
	}
	defer empty.Close()

	ours := func(l *Loop) func() []float64 {
		return func() (ns []float64) {
			for _, ticks := range l.Run(calls, batches) {
				ns = append(ns, float64(ticks)/clock.TicksPerNS/float64(calls))
			}
			return ns
		}
	}
	theirs := func(f uintptr) func() []float64 {
		return func() []float64 {
			ns := make([]float64, batches)
			dl.Call(f, entry, arguments[0], arguments[1], arguments[2],
				uintptr(calls), batches, uintptr(unsafe.Pointer(&ns[0])))
			return ns
		}
	}
	peers := map[string]func() []float64{"": ours(loop), "overhead-": ours(empty)}
	c, err := loops.Lookup("c_loop")
	if err != nil {
		b.Fatal(err)
	}
	peers["c-"] = theirs(c)
	if g, err := loops.Lookup("google_loop"); err == nil {
		peers["google-"] = theirs(g)
	}
	times := map[string][]float64{}
	for range rounds {
		for name, run := range peers { // the order of a map changes from round to round
			times[name] = append(times[name], run()[1:]...) // the first batch finds the others' data in the caches
		}
	}
	for name := range peers {
		slices.Sort(times[name])
		b.ReportMetric(times[name][0], name+"min")
		b.ReportMetric(times[name][len(times[name])/2], name+"median")
	}
	b.ReportMetric(times[""][0]-times["overhead-"][0], "net-min")
	b.ReportMetric(times[""][len(times[""])/2]-times["overhead-"][len(times["overhead-"])/2], "net-median")
}

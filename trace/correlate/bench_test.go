package correlate

import (
	"iter"
	"strconv"
	"testing"

	"zonemark/trace"
)

// generated is a source that makes its zones up: an invoking thread with a bracket, an issuing zone and a host zone per
// call, and workers with the workgroups of two dispatches.
type generated struct {
	brackets, workers, workgroups int64
}

func (g generated) Threads() []trace.Thread { return make([]trace.Thread, 1+g.workers) }

func (g generated) zones() int64 { return 2*g.brackets + 2*g.workers*g.workgroups*g.brackets }

func (g generated) Zones() iter.Seq2[trace.Zone, error] {
	bracket, wait := &trace.Location{Name: "invocation"}, &trace.Location{Name: "iree_hal_fence_wait"}
	kernels := [2]*trace.Location{{Name: "m_dispatch_0"}, {Name: "m_dispatch_1"}}
	const call = 100_000
	return func(yield func(trace.Zone, error) bool) {
		ordinal := int64(0)
		for i := range g.brackets {
			inner := trace.Zone{Ordinal: ordinal + 1, Parent: ordinal, Depth: 1, Location: wait, StartNS: i*call + 1,
				DurationNS: call - 2}
			outer := trace.Zone{Ordinal: ordinal, Parent: -1, Location: bracket, Text: "inv=" +
				strconv.FormatInt(i%1000, 10), StartNS: i * call, DurationNS: call}
			ordinal += 2
			if !yield(inner, nil) || !yield(outer, nil) {
				return
			}
		}
		for w := range g.workers {
			for i := range g.brackets {
				for k := range 2 * g.workgroups {
					step := (call - 2000) / (2 * g.workgroups)
					z := trace.Zone{Ordinal: ordinal, Parent: -1, Thread: int(1 + w), Location: kernels[k/g.workgroups],
						StartNS: i*call + 1000 + k*step, DurationNS: step}
					ordinal++
					if !yield(z, nil) {
						return
					}
				}
			}
		}
	}
}

// BenchmarkCorrelate joins ten million zones of 50,000 calls on five threads.
func BenchmarkCorrelate(b *testing.B) {
	source := generated{brackets: 50_000, workers: 4, workgroups: 25}
	b.ReportAllocs()
	for b.Loop() {
		c, err := Join(source, Options{})
		if err != nil || c.Zones != source.zones() || c.OrphanCount != 0 {
			b.Fatalf("%d zones, %d orphans, %v", c.Zones, c.OrphanCount, err)
		}
	}
	b.ReportMetric(float64(source.zones())*float64(b.N)/b.Elapsed().Seconds(), "zones/s")
}

// BenchmarkJoinCapture joins the 100,000 zones of a capture.
func BenchmarkJoinCapture(b *testing.B) {
	b.ReportAllocs()
	var zones int64
	for b.Loop() {
		f, err := trace.Open("../testdata/z100k_0112.tracy")
		if err != nil {
			b.Fatal(err)
		}
		c, err := Join(f, Options{})
		if err != nil || c.Zones != f.Info().ZoneCount {
			b.Fatal(c, err)
		}
		zones += c.Zones
		f.Close()
	}
	b.ReportMetric(float64(zones)/b.Elapsed().Seconds(), "zones/s")
}

package trace

import (
	"bytes"
	"os"
	"testing"

	"zonemark/trace/internal/tracytest"
)

// BenchmarkZones opens a capture and sums its zones by location: a repeated sample, a synthetic capture of two million
// zones, and the file that the environment variable ZONEMARK_BENCH_TRACY names.
func BenchmarkZones(b *testing.B) {
	data, err := os.ReadFile("testdata/z100k_0112.tracy")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("sample", func(b *testing.B) { benchmarkZones(b, data) })
	b.Run("synthetic", func(b *testing.B) {
		benchmarkZones(b, tracytest.Forms()[4].Pack(b, tracytest.Repeated(uint32(version0_14), 2_000_000)))
	})
	if path := os.Getenv("ZONEMARK_BENCH_TRACY"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("file", func(b *testing.B) { benchmarkZones(b, data) })
	}
}

func benchmarkZones(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var zones int64
	for b.Loop() {
		f, err := Read("benchmark.tracy", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		type sum struct{ count, total, self int64 }
		sums := make(map[*Location]*sum, len(f.Locations()))
		var last *Location
		var s *sum
		for z, err := range f.Zones() {
			if err != nil {
				b.Fatal(err)
			}
			if z.Location != last {
				if last, s = z.Location, sums[z.Location]; s == nil {
					s = &sum{}
					sums[last] = s
				}
			}
			s.count++
			s.total += z.DurationNS
			s.self += z.SelfNS
			zones++
		}
		f.Close()
	}
	b.ReportMetric(float64(zones)/b.Elapsed().Seconds()/1e6, "Mzones/s")
}

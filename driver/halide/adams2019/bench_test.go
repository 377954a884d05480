package adams2019

import (
	"fmt"
	"testing"
)

// BenchmarkTrain measures one epoch, for few and many schedules.
func BenchmarkTrain(b *testing.B) {
	for _, size := range []struct{ pipelines, schedules, stages int }{{1, 32, 6}, {20, 32, 6}, {1, 1000, 6}} {
		b.Run(fmt.Sprintf("pipelines=%d/schedules=%d", size.pipelines, size.schedules), func(b *testing.B) {
			set, _ := NewSet(made(1, size.pipelines, size.schedules, size.stages))
			start := startingWeights()
			b.ResetTimer()
			_, err := Train(b.Context(), start, set, Training{Epochs: b.N, Rates: []float32{0.0001}, Cores: 32})
			if err != nil {
				b.Fatal(err)
			}
			rows := size.pipelines * size.schedules * size.stages
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
}

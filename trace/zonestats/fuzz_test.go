package zonestats

import (
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
)

// FuzzSummarizeFile checks that a summary counts every zone that can be read.
func FuzzSummarizeFile(f *testing.F) {
	zonetest.FuzzFiles(f, func(t *testing.T, file *trace.File, zones int64, err error) {
		sums, sumErr := SummarizeFile(file, Options{})
		if sums.Count != zones || (err == nil) != (sumErr == nil) {
			t.Errorf("%d zones summed up of %d: %v, %v", sums.Count, zones, sumErr, err)
		}
	})
}

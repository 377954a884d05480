package zonestats

import (
	"bytes"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/tracytest"
)

// FuzzSummarizeFile sums captures of any content up: every zone that can be read counts.
func FuzzSummarizeFile(f *testing.F) {
	tracytest.AddStreams(f)
	f.Fuzz(func(t *testing.T, stream []byte) {
		data := tracytest.Uncompressed(stream)
		tracytest.CheckMemory(t, len(data), 4, func() {
			file, err := trace.Read("memory.tracy", bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return
			}
			defer file.Close()
			zones := int64(0)
			for _, err = range file.Zones() {
				if err == nil {
					zones++
				}
			}
			sums, sumErr := SummarizeFile(file, Options{})
			if sums.Count != zones || (err == nil) != (sumErr == nil) {
				t.Errorf("%d zones summed up of %d: %v, %v", sums.Count, zones, sumErr, err)
			}
		})
	})
}

package zonetest

import (
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/tracytest"
)

// FuzzFiles fuzzes captures of any content. It reads the zones of each capture that can be opened, and then calls check
// with their number and the error that ended them, which may be nil. check may read the capture as often as it likes
// within a limit of memory.
func FuzzFiles(f *testing.F, check func(t *testing.T, file *trace.File, zones int64, err error)) {
	tracytest.AddStreams(f)
	f.Fuzz(func(t *testing.T, stream []byte) {
		data := tracytest.Uncompressed(stream)
		tracytest.CheckMemory(t, len(data), 4, func() {
			file, err := OpenBytes(t, data)
			if err != nil {
				return
			}
			zones := int64(0)
			for _, err = range file.Zones() {
				if err == nil {
					zones++
				}
			}
			check(t, file, zones, err)
		})
	})
}

package tracycsv

import (
	"fmt"
	"slices"
	"unsafe"

	"zonemark/trace"
)

// mostHeld is how many bytes the rows of a table may take in memory. Zones are nested by their times, so that all of them
// must be there. A table of 1 GB takes about as much in memory.
const mostHeld = 2 << 30

// limits are what is known of a table before it is read.
type limits struct {
	size int64 // of the file; 0: not known
	most int64 // that may be held
}

// stringBytes is what a string takes in memory besides its text, with its entry among those that are known.
const stringBytes = 64

// held returns how many bytes the rows take in memory.
func (b *tableBuilder) held() int64 {
	return int64(len(b.zones))*int64(unsafe.Sizeof(tableZone{})) + int64(len(b.gpu))*int64(unsafe.Sizeof(trace.GPUZone{})) +
		int64(len(b.messages))*int64(unsafe.Sizeof(trace.Message{})) +
		int64(len(b.points))*int64(unsafe.Sizeof(trace.PlotPoint{})) +
		int64(len(b.aggregates))*int64(unsafe.Sizeof(Aggregate{})) + int64(len(b.strings))*stringBytes + b.textBytes
}

// bounded is the error of a table whose rows take too much memory.
func (b *tableBuilder) bounded(l limits, line int) error {
	if b.held() <= l.most {
		return nil
	}
	return fmt.Errorf("line %d: the rows until here take more than %d MiB of memory, which is the limit of a table: read "+
		"the capture (.tracy) itself, of any size, or export fewer zones (-f NAME)", line, l.most>>20)
}

// expect makes room for the zones of the table, by the length of its first rows, so that they are not copied while they
// become more. Room that is not used takes no memory.
func (b *tableBuilder) expect(l limits, first recordBatch) {
	bytes := int64(0)
	for _, record := range first[1:] {
		for _, field := range record {
			bytes += int64(len(field)) + 1
		}
	}
	if bytes == 0 {
		return
	}
	rows := l.size/bytes*int64(len(first)-1)/4*5 + 1
	b.zones = slices.Grow(b.zones, int(min(rows, l.most/int64(unsafe.Sizeof(tableZone{}))+rowsABatch)))
}

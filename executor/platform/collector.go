package platform

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// fewGarbage is how many bytes of garbage are not worth a collection: the collector would not begin by itself.
const fewGarbage = 4 << 20

// QuietCollector turns the garbage collector off, after a collection if there is garbage, and returns the function that
// turns it on again.
func QuietCollector() (restore func()) {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() > heap[1].Value.Uint64()+fewGarbage {
		runtime.GC()
	}
	percent := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(percent) }
}

package cli

import (
	"os"
	"runtime/debug"
)

// RelaxCollector lets the heap of this process grow to five times its live size before garbage is collected. Both ends
// of the pipe between driver and executor make much short-lived garbage in a small heap, as readers of captures do, and
// collecting takes CPU time beside a measurement.
func RelaxCollector() { debug.SetGCPercent(400) }

// RelaxCollectorWithin does what RelaxCollector does as long as this process takes no more memory, in bytes.
func RelaxCollectorWithin(bytes int64) {
	RelaxCollector()
	debug.SetMemoryLimit(bytes)
}

const (
	// heldBytes is about what a driver holds for a result: its invocation, packed, and where it is in the journal.
	// driverBytes is what it holds besides.
	heldBytes   = 250
	driverBytes = 12 << 20
	// roomBytes is how large the heap of a driver may become with its garbage. If what lives needs more, the garbage is a
	// quarter of all.
	roomBytes = 96 << 20
)

// CollectFor sets how far the heap of a driver that holds so many invocations and results may grow before garbage is
// collected: five times the live size if they are few, see RelaxCollector, and a third more if they are many.
func CollectFor(results int) {
	live := driverBytes + heldBytes*results
	debug.SetGCPercent(min(400, max(33, 100*(roomBytes-live)/live)))
}

// resultBytes is the length of a short line of a journal.
const resultBytes = 700

// CollectForFiles does what CollectFor does for the results in files, by the sizes of these.
func CollectForFiles(paths ...string) {
	bytes := int64(0)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil { // whoever reads it reports the error
			bytes += info.Size()
		}
	}
	CollectFor(int(bytes / resultBytes))
}

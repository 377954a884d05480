package cli

import "runtime/debug"

// RelaxCollector lets the heap of this process grow to five times its live size before garbage is collected. Both ends
// of the pipe between driver and executor make much short-lived garbage in a small heap, as readers of captures do, and
// collecting takes CPU time beside a measurement.
func RelaxCollector() { debug.SetGCPercent(400) }

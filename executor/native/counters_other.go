//go:build !linux || !(amd64 || arm64)

package native

import "runtime"

// OpenCounters returns a *CountersError: the counters of other systems and processors are not read.
func OpenCounters([]Event) (*Counters, error) {
	return nil, &CountersError{"they are not read on " + runtime.GOOS + "/" + runtime.GOARCH}
}

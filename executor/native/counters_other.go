//go:build !linux || !(amd64 || arm64)

package native

import "runtime"

// OpenCounters returns a *CountersError: zonemark reads no counters on other systems and processors.
func OpenCounters([]Event) (*Counters, error) {
	return nil, &CountersError{"they are not read on " + runtime.GOOS + "/" + runtime.GOARCH}
}

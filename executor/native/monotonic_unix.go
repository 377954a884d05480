//go:build !windows

package native

import "time"

// monotonic reads the monotonic clock of the Go runtime, which asks the vDSO and does not enter the kernel.
type monotonic struct{ epoch time.Time }

func newMonotonic(epoch time.Time) monotonic { return monotonic{epoch} }

// now is in nanoseconds since the epoch.
func (m monotonic) now() int64 { return int64(time.Since(m.epoch)) }

package platform

import "time"

// Monotonic reads the monotonic clock of the Go runtime, which uses the vDSO and does not enter the kernel.
type Monotonic struct{ epoch time.Time }

func NewMonotonic(epoch time.Time) Monotonic { return Monotonic{epoch} }

// NowNS returns the nanoseconds since the epoch.
func (m Monotonic) NowNS() int64 { return int64(time.Since(m.epoch)) }

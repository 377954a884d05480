//go:build !linux && !darwin

package platform

import (
	"fmt"
	"runtime"
)

// DataCaches returns nil: the caches are not known on this system.
func DataCaches() []Cache { return nil }

// Pin returns an error: pinning is not supported on this system.
func Pin(cpu int) error {
	return fmt.Errorf("pin to CPU %d: not supported on %s; measure without a CPU choice", cpu, runtime.GOOS)
}

// CurrentCPU reports false: threads cannot be pinned to what it would return.
func CurrentCPU() (cpu int, known bool) { return 0, false }

// ThreadUsage returns zeros: this system does not count for a thread.
func ThreadUsage() Usage { return Usage{} }

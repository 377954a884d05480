//go:build !linux && !darwin

package platform

import (
	"fmt"
	"runtime"
)

// Pin reports that pinning is not supported.
func Pin(cpu int) error {
	return fmt.Errorf("pin to CPU %d: not supported on %s; measure without a CPU choice", cpu, runtime.GOOS)
}

// ThreadUsage is all zeros: this system does not count for a thread.
func ThreadUsage() Usage { return Usage{} }

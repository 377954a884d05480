//go:build !linux && !darwin

package native

import (
	"fmt"
	"runtime"
)

// Pin reports that pinning is not supported.
func Pin(cpu int) error {
	return fmt.Errorf("pin to CPU %d: not supported on %s; measure without a CPU choice", cpu, runtime.GOOS)
}

// InvoluntarySwitches is 0: this system does not count them for a thread.
func InvoluntarySwitches() int64 { return 0 }

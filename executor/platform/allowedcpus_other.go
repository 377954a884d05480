//go:build !linux

package platform

import "runtime"

// AllowedCPUs returns the numbers of the CPUs that the process may use. It returns at least one.
func AllowedCPUs() []int { return firstCPUs(runtime.NumCPU()) }

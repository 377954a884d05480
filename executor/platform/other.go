//go:build !linux && !darwin

package platform

import (
	"errors"
	"fmt"
	"runtime"
	"time"
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

// RawNS returns the time of the system's clock in nanoseconds: this system offers no raw monotonic one.
func RawNS() int64 { return time.Now().UnixNano() }

// ThreadCPUTimeNS returns 0: the CPU time of one thread is not read on this system.
func ThreadCPUTimeNS() int64 { return 0 }

// ProcessCPUTimeNS returns 0: it is not read on this system.
func ProcessCPUTimeNS() int64 { return 0 }

// ProcessPreemptions returns 0: they are not read on this system.
func ProcessPreemptions() int64 { return 0 }

// mapMemory returns an error: executors, which need memory for arguments, do not run on this system.
func mapMemory(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapMemory([]byte) error { return errors.ErrUnsupported }

func reserveMemory(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func adviseHuge([]byte) {}

// AvailableMemoryBytes returns 0: it is not read on this system.
func AvailableMemoryBytes() int64 { return 0 }

// DataBytes returns 0: it is not read on this system.
func DataBytes() int64 { return 0 }

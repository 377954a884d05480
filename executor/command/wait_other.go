//go:build !linux

package command

import (
	"os"
	"syscall"
	"time"
)

// withExecutor returns nil: on this system a process outlives the one that started it, unless its group is ended.
func withExecutor() *syscall.SysProcAttr { return nil }

// await waits for the end of a process that was started at a moment. It returns how the process ended and how long that
// took. This system does not tell how long a process waited for a CPU.
func await(p *os.Process, begin time.Time) (state *os.ProcessState, wall, waited time.Duration, err error) {
	state, err = p.Wait()
	return state, time.Since(begin), 0, err
}

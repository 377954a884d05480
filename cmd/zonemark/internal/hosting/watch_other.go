//go:build !linux

package hosting

import (
	"os"
	"time"

	"zonemark/driver/executors"
)

// watchedLimits are the limits of an executor. They are not watched on this system.
type watchedLimits struct {
	memoryBytes, threads int64
	scratch, except      string
	waits, family        bool
	namespace, build     bool
	ofGroup              bool
}

func (l watchedLimits) watch(*os.Process) executors.Watch { return unwatched{} }

type unwatched struct{}

func (unwatched) Renew()                   {}
func (unwatched) Stopped() time.Duration   { return 0 }
func (unwatched) Stop() executors.Exceeded { return executors.Exceeded{} }

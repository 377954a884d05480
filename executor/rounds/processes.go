package rounds

import (
	"strconv"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// processWork is why a canary does not apply to a call that runs in processes of its own.
const processWork = "processes of its own do the work"

// Keys of invocations.Result.Properties for calls that run in processes of their own.
const (
	propertyPeak = "peak_rss_bytes" // largest resident size of one process in any call
	// propertyPeakMost takes the place of propertyPeak if that was not larger than the executor's own.
	propertyPeakMost = "peak_rss_at_most_bytes"
)

func isProcess(w executor.Workload) bool {
	_, ok := w.(*executor.Process)
	return ok
}

// warmUpProcesses makes the calls of such a session that come before the first timed one. The first launch makes one,
// which fills the caches of the file system. A process has nothing else that would have to warm up.
func (s *Session) warmUpProcesses() error {
	s.calls, s.batches = 1, 1
	if !s.trusted {
		if _, err := s.warmRun(1, 1); err != nil {
			return err
		}
	}
	s.watch.speed.begin(s.clock)
	return s.openEmpty()
}

// take replaces what was observed of this thread by what the processes took that made the calls.
func (b *batch) take(u executor.Used, calls float64) {
	b.cpuNS, b.interrupted = (u.UserNS+u.SystemNS)/calls, u.Delayed
	b.switches, b.faults, b.waits = u.Switches, u.Faults, 0
	b.used = &u
}

// processProperties returns what the processes of the kept batches took.
func processProperties(kept []*batch) map[string]string {
	var user, system []float64
	var peak, most int64
	for _, b := range kept {
		user, system = append(user, b.used.UserNS), append(system, b.used.SystemNS)
		if b.used.PeakHidden {
			most = max(most, b.used.PeakBytes)
		} else {
			peak = max(peak, b.used.PeakBytes)
		}
	}
	number := func(ns float64) string { return strconv.FormatFloat(ns, 'f', 0, 64) }
	found := map[string]string{invocations.UserProperty: number(stats.Median(user)), invocations.SystemProperty: number(stats.Median(system))}
	switch {
	case peak > 0:
		found[propertyPeak] = strconv.FormatInt(peak, 10)
	case most > 0:
		found[propertyPeakMost] = strconv.FormatInt(most, 10)
	}
	return found
}

func isNative(w executor.Workload) bool {
	_, ok := w.(*executor.Native)
	return ok
}

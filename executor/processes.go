package executor

import (
	"strconv"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// Used is what one call took that ran in processes of its own, or what calls took together that another process made.
type Used struct {
	// WallNS is from just before the first process was started to just after it ended, or of all calls of a batch.
	WallNS           float64
	UserNS, SystemNS float64 // CPU time of all processes; of a batch, UserNS is all of it
	// Delayed reports that the first process was ready to run, but waited for a CPU, for a considerable share of the
	// time.
	Delayed   bool
	Faults    float64 // page faults of all processes
	Switches  float64 // context switches of all processes
	PeakBytes int64   // largest resident size of one of the processes; 0: not known
	// PeakHidden reports that the resident size was at most PeakBytes, which is that of this process: a process begins
	// with the memory of the one that starts it, and the system keeps no record of a smaller size.
	PeakHidden bool
}

// processWork is why a canary does not apply to a call that runs in processes of its own.
const processWork = "processes of its own do the work"

// Keys of invocations.Result.Properties for calls that run in processes of their own.
const (
	propertyPeak = "peak_rss_bytes" // largest resident size of one process in any call
	// propertyPeakMost takes the place of propertyPeak if that was not larger than the executor's own.
	propertyPeakMost = "peak_rss_at_most_bytes"
)

// processTimer times calls that run in other processes.
type processTimer struct {
	batch func(calls int64) (Used, error)
	last  Used // of the batch that was made last
	ns    []float64
}

func (t *processTimer) run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	for range batches {
		var err error
		if t.last, err = t.batch(calls); err != nil {
			return nil, err
		}
		t.ns = append(t.ns, t.last.WallNS)
	}
	return t.ns, nil
}

func (t *processTimer) setPrelude(int) {}

func (t *processTimer) close() {}

func isProcess(w Workload) bool {
	_, ok := w.(*Process)
	return ok
}

// warmUpProcesses makes the calls of such a session that come before the first timed one. The first launch makes one,
// which fills the caches of the file system. A process has nothing else that would have to warm up.
func (s *session) warmUpProcesses() error {
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
func (b *batch) take(u Used, calls float64) {
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

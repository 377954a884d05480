package executor

import "time"

const (
	// threadsShare is the share of the time above which the CPU time of threads that native code has started makes a
	// call one of several threads.
	threadsShare = 0.05
	// monitorShare is the same for all other threads, if the system does not tell them apart. Go's monitor alone takes
	// up to a quarter.
	monitorShare = 0.5
	// threadsTime is how long one look takes. The system adds the time of a running thread only at its ticks, up to 10
	// ms apart.
	threadsTime = 12 * time.Millisecond
	// ownShare is the share of the time that this thread must work itself for the canary to apply to a call that may
	// wait.
	ownShare     = 0.9
	threadsLooks = 3 // all of which must show threads: one of Go's threads may happen to have work
)

// Why a canary does not apply.
const (
	threadsWork = "threads of its own do part of the work"
	othersWork  = "the call waits for threads or a device that do the work"
)

// work is the CPU time that was used up to a moment, in nanoseconds.
type work struct {
	at          time.Time
	own, others int64 // of this thread, and of the others
}

func (s *session) work() work { return s.around.work(s.ownThreads) }

// alone reports whether this thread has done the work since then, and whether it waited for others who did the work.
func (s *session) alone(since work) (alone, waited bool) {
	now, share := s.work(), threadsShare
	if s.ownThreads == nil {
		share = monitorShare
	}
	spent := float64(now.at.Sub(since.at))
	waited = s.call.Waits && float64(now.own-since.own) < ownShare*spent
	return !waited && float64(now.others-since.others) <= share*spent, waited
}

// lookForThreads gives up the canary if other threads than this one, or a device, do part of the work. It makes calls
// until it has looked for long enough; calls made since before count too. It takes its share of warming up of a small
// budget. found is what the first launch has found, which all other launches trust.
func (s *session) lookForThreads(before work, b budget, found string) error {
	switch {
	case found == threadsWork, found == othersWork:
		s.canary, s.canaryWhy, s.threads = nil, found, true
		return nil
	case s.looked:
		return nil
	}
	look := time.Duration(min(float64(threadsTime), warmupShare/threadsLooks*b.maxNS))
	waited := false
	for range threadsLooks {
		for s.around.now().Sub(before.at) < look {
			if _, err := s.warmRun(s.calls, s.batches); err != nil {
				return err
			}
		}
		var alone bool
		if alone, waited = s.alone(before); alone {
			return nil
		}
		before = s.work()
	}
	s.canary, s.canaryWhy, s.threads = nil, threadsWork, true
	if waited {
		s.canaryWhy = othersWork
	}
	return nil
}

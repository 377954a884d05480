package executor

import (
	"time"

	"zonemark/executor/platform"
)

const (
	threadsShare = 0.05                  // of the time: CPU time of threads that native code has started, that makes a call one of several threads
	monitorShare = 0.5                   // the same of all other threads, where they are not told apart: Go's monitor alone takes up to a quarter
	threadsTime  = 12 * time.Millisecond // the system adds the time of a thread that is running at its ticks only, which are up to 10 ms apart
	ownShare     = 0.9                   // of the time that this thread works itself: of a call that may wait for others, the canary says something then
	threadsLooks = 3                     // all of which must show them: a thread of Go's may have something to do
)

// Why a canary does not apply.
const (
	threadsWork = "threads of its own do part of the work"
	othersWork  = "the call waits for threads or a device that do the work"
)

// work is the CPU time that was used by a moment, in nanoseconds.
type work struct {
	at          time.Time
	own, others int64 // of this thread, and of the others
}

func (s *session) work() work {
	w := work{at: time.Now(), own: platform.ThreadCPUTimeNS()}
	if s.ownThreads == nil { // not told apart
		w.others = platform.ProcessCPUTimeNS() - w.own
		return w
	}
	for id, used := range platform.Threads() {
		if _, own := s.ownThreads[id]; !own {
			w.others += used
		}
	}
	return w
}

// alone says whether this thread has done the work since then, and whether it rather waited for who did.
func (s *session) alone(since work) (alone, waited bool) {
	now, share := s.work(), threadsShare
	if s.ownThreads == nil {
		share = monitorShare
	}
	spent := float64(now.at.Sub(since.at))
	waited = s.call.Waits && float64(now.own-since.own) < ownShare*spent
	return !waited && float64(now.others-since.others) <= share*spent, waited
}

// lookForThreads gives the canary up where other threads than this one, or a device, do part of the work. It makes calls until it has looked for long enough; those since
// before count where they were. Of a small budget, it takes its share of warming up. found is what the first launch has found, of which all others believe it.
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
		for time.Since(before.at) < look {
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

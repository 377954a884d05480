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

// threadWatch finds out whether other threads than the measuring one, or a device, do part of the work. What is
// measured of the core or of the measuring thread then says little about the calls.
type threadWatch struct {
	thread *OnThread
	around surroundings
	// own are the threads that the process had before native code was loaded. It is nil if the system does not tell.
	own    map[int]int64
	known  bool   // an earlier launch has looked
	found  string // by that launch: why the canary does not apply; empty if it applies
	others bool   // other threads do part of the work
}

func (w *threadWatch) work() work { return w.around.work(w.own) }

// alone reports whether this thread has done the work since then, and whether it waited for others who did the work.
func (w *threadWatch) alone(since work) (alone, waited bool) {
	now, share := w.work(), threadsShare
	if w.own == nil {
		share = monitorShare
	}
	spent := float64(now.at.Sub(since.at))
	waited = w.thread.Waits && float64(now.own-since.own) < ownShare*spent
	return !waited && float64(now.others-since.others) <= share*spent, waited
}

// look returns why others do part of the work; "" if they do not. It makes calls until it has looked for long enough;
// calls made since before count too. It takes its share of warming up of a small budget. What the first launch has
// found, all other launches trust.
func (w *threadWatch) look(before work, b budget, makeCalls func() error) (why string, err error) {
	switch {
	case w.found == threadsWork, w.found == othersWork:
		return w.found, nil
	case w.known:
		return "", nil
	}
	long := time.Duration(min(float64(threadsTime), warmupShare/threadsLooks*b.maxNS))
	waited := false
	for range threadsLooks {
		for w.around.now().Sub(before.at) < long {
			if err := makeCalls(); err != nil {
				return "", err
			}
		}
		var alone bool
		if alone, waited = w.alone(before); alone {
			return "", nil
		}
		before = w.work()
	}
	if waited {
		return othersWork, nil
	}
	return threadsWork, nil
}

// othersWork gives up what observes one thread or its core, since others do part of the work.
func (o *observers) othersWork(why string) {
	o.canary.close()
	o.canary, o.why, o.threads.others = nil, why, true
	if o.counts != nil {
		o.counts.all = true
	}
}

package rounds

import (
	"time"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

const (
	// threadsShare is the CPU time of threads that native code has started, as a share of that of the measuring thread,
	// above which a call is one of several threads.
	threadsShare = 0.05
	// threadsLeast is a share of the time that they must have worked as well, unless they work in most batches: a thread
	// of Go's may happen to work beside calls that sleep.
	threadsLeast = 0.02
	// threadsNoise is the CPU time, in nanoseconds, that reading the clocks may put down to others in a batch, and
	// goShare a share of its time, in which a thread of Go's that is new may work.
	threadsNoise, goShare = 5e3, 0.002
	// monitorShare is the share of the time above which all other threads work, if the system does not tell them apart.
	// Go's monitor alone takes up to a quarter.
	monitorShare = 0.5
	// threadsTime is how long one look takes. The system adds the time of a running thread only at its ticks, up to 10
	// ms apart.
	threadsTime = 12 * time.Millisecond
	// starvedLook is how many times as long a look may take if the process gets little CPU time.
	starvedLook = 4
	// ownShare is the share of the time that this thread must work itself for the canary to apply to a call that may
	// wait.
	ownShare     = 0.9
	threadsLooks = 3 // all of which must show threads: one of Go's threads may happen to have work
	// leastEntries are the fewest entries of which most must show threads that work a bit.
	leastEntries = 3
)

// Why a canary does not apply.
const (
	threadsWork = "threads of its own do part of the work"
	othersWork  = "the call waits for threads or a device that do the work"
)

// work is the CPU time that was used up to a moment, in nanoseconds.
type work struct {
	at          time.Time
	own, others int64 // of this thread, and of the others that are not ours, also of those that have ended
}

// since returns the effort from an earlier moment on.
func (w work) since(before work) effort {
	return effort{
		wallNS: float64(w.at.Sub(before.at)),
		ownNS:  float64(w.own - before.own), othersNS: float64(w.others - before.others),
	}
}

// effort is the time that calls took, and the CPU time that went into them.
type effort struct{ wallNS, ownNS, othersNS float64 }

func (e effort) plus(f effort) effort {
	return effort{e.wallNS + f.wallNS, e.ownNS + f.ownNS, e.othersNS + f.othersNS}
}

// helped reports whether other threads did part of the work. Their CPU time is compared with that of the measuring
// thread, not with the time that passed: beside much other work, all of them have little of a CPU. blind says that
// threads of Go's are among them.
func (e effort) helped(blind bool) bool {
	if blind {
		return e.othersNS > monitorShare*e.wallNS
	}
	return e.helpedABit() && e.othersNS > threadsLeast*e.wallNS
}

// helpedABit reports the same of calls most of which must show it, if the system tells threads apart.
func (e effort) helpedABit() bool {
	return e.othersNS > threadsShare*e.ownNS && e.othersNS > threadsNoise+goShare*e.wallNS
}

// waited reports whether the measuring thread hardly worked itself.
func (e effort) waited() bool { return e.ownNS < ownShare*e.wallNS }

// threadWatch finds out whether other threads than the measuring one, or a device, do part of the work. What is
// measured of the core or of the measuring thread then says little about the calls. It looks before the first batch,
// and at every batch: on a busy machine, a look may come while the other threads have no CPU.
type threadWatch struct {
	thread *executor.OnThread
	around surroundings
	// ours are the threads that the process had before native code was loaded. It is nil if the system does not tell.
	ours   *platform.ThreadClocks
	known  bool   // earlier launches have looked
	found  string // by them: why the canary does not apply; empty if it applies
	others bool   // other threads do part of the work
	early  effort // of the first calls

	begun   work      // of an entry
	ended   work      // of the latest one
	seen    [2]effort // of every other entry: a thread of Go's that works once is not in both
	entries int
	helped  int                 // entries in which others worked a bit
	began   time.Time           // of the batches
	before  platform.Contention // at that time
}

func (w *threadWatch) work() work { return w.around.work(w.ours) }

// takeTurns reports whether the measuring thread may take turns with other threads of the call, so that interruptions
// need not be by other work; false for nil.
func (w *threadWatch) takeTurns() bool { return w != nil && w.others }

func (w *threadWatch) begin(e *entry) error {
	switch {
	case e.empty, w.others:
	case rightAfter(w.ended.at, w.around):
		w.begun = w.ended
	default:
		w.begun = w.work()
	}
	return nil
}

func (w *threadWatch) end(e *entry) {
	if e.empty || w.others {
		return
	}
	w.ended = w.work()
	half, now := &w.seen[w.entries%2], w.ended.since(w.begun)
	*half = half.plus(now)
	if w.entries++; now.helpedABit() {
		w.helped++
	}
}

// report says whether the threads of the calls had to share the CPUs with other work. A device does not need them.
func (w *threadWatch) report(_ *sampling, r *invocations.Result, _ []*batch) {
	if w.others && !w.thread.Device && w.around.contention().Crowded(w.before, float64(w.around.now().Sub(w.began))) {
		r.AddVerdict(invocations.Contended)
	}
}

// beginRound forgets what was seen of the batches of earlier rounds.
func (w *threadWatch) beginRound() {
	if w != nil {
		w.seen, w.entries, w.helped = [2]effort{}, 0, 0
		w.before = platform.Contention{}
	}
}

// beginBatches notes the competition for CPUs from now on. In turns it does so only if other threads are known to do part
// of the work: reading takes long beside a turn, which calls with threads do not have.
func (w *threadWatch) beginBatches(inTurns bool) {
	if w != nil && (w.others || !inTurns) {
		w.began, w.before = w.around.now(), w.around.contention()
	}
}

// helpedAlways reports whether other threads did part of the work of the batches: they worked in most of several, as
// threads do that each call makes, or they worked for part of the time, as far as the system shows that of threads that go on.
func (w *threadWatch) helpedAlways() bool {
	blind := w.ours == nil
	if !blind && w.entries >= leastEntries && 2*w.helped > w.entries {
		return true
	}
	return w.entries > 0 && w.seen[0].helped(blind) && (w.entries == 1 || w.seen[1].helped(blind))
}

// look returns why others do part of the work; "" if they do not. It makes calls until it has looked for long enough;
// calls made since before count too. It takes its share of warming up of a small budget. What earlier launches
// have found, this one trusts.
func (w *threadWatch) look(before work, b budget, makeCalls func() error) (why string, err error) {
	switch {
	case w.found == threadsWork, w.found == othersWork:
		return w.found, nil
	case w.known:
		return "", nil
	}
	long := min(float64(threadsTime), warmupShare/threadsLooks*b.maxNS)
	waited := false
	for range threadsLooks {
		now := w.work()
		for ; !enoughSeen(now.since(before), long); now = w.work() {
			if err := makeCalls(); err != nil {
				return "", err
			}
		}
		e := now.since(before)
		if waited = w.thread.Waits && e.waited(); !waited && !e.helped(w.ours == nil) {
			return "", nil
		}
		before = w.work()
	}
	if waited {
		return othersWork, nil
	}
	return threadsWork, nil
}

// enoughSeen reports whether a look was long enough: the process has worked for half of the time that a look takes, or
// it does not work.
func enoughSeen(e effort, longNS float64) bool {
	return e.wallNS >= longNS && (e.ownNS+e.othersNS >= longNS/2 || e.wallNS >= starvedLook*longNS)
}

// othersWork gives up what observes one thread or its core, since others do part of the work.
func (o *observers) othersWork(why string) {
	o.canary.close()
	o.canary, o.why, o.threads.others = nil, why, true
	if o.counts != nil {
		o.counts.all = true
	}
}

// findThreads gives up what observes one thread if the batches have shown that others did part of the work.
func (s *sampling) findThreads() {
	if w := s.watch.threads; w != nil && !w.others && w.helpedAlways() {
		s.watch.othersWork(threadsWork)
		s.observing = s.watch.all()
	}
}

package timers

import (
	"time"

	"zonemark/executor/platform"
)

// Ledger compares the clock of the timed loop with the system's while a round is measured. Code that changes the loop,
// so that it tells shorter times, leaves time between the two that nothing has taken.
type Ledger struct {
	begun     time.Time // of the round
	missingNS float64   // between the two clocks, beyond what entering the loop, untimed calls and others may take
	entries   int64     // into the loop
	short     int64     // entries of which much is missing
	switches  func() int64
	switched  int64 // how often the system had taken the CPU off this thread when that was asked last
}

const (
	// enterNS is how long a batch may take beyond its own time, in nanoseconds: entering the loop, and reading counters.
	enterNS = 5_000
	// enterShare is the same as a share of its time: the two clocks differ, and the system interrupts.
	enterShare = 0.01
	// preludeFactor is how many times as long an untimed call before a batch may take as a timed one: it finds caches
	// that others have filled.
	preludeFactor = 4
	// muchMissing is the share of the time of an entry's batches that no single interruption takes from most entries.
	muchMissing = 0.05
	// fewestEntries tell what holds for most.
	fewestEntries = 9
)

// add adds an entry of the loop: how long it took by the system's clock and, together, its batches by the loop's own.
// untimed is how many untimed calls there were for each of the timed ones.
func (a *Ledger) add(tookNS, batchesNS, untimed float64, batches int) {
	if a == nil {
		return
	}
	allowed := float64(batches)*enterNS + batchesNS*(enterShare+preludeFactor*untimed)
	missing := max(0, tookNS-batchesNS-allowed)
	if missing > muchMissing*batchesNS {
		// What others do between the two clocks, such as in a long untimed call, tells nothing of the loop.
		if n := a.switches(); n != a.switched {
			a.switched = n
			return
		}
		a.short++
	}
	a.missingNS += missing
	a.entries++
}

// ShortShare returns the share of entries of which much is missing, without those from which the system has taken the
// CPU. It is that of a loop whose clock is wrong if it is most of them.
func (a *Ledger) ShortShare() float64 {
	if a == nil || a.entries < fewestEntries {
		return 0
	}
	return float64(a.short) / float64(a.entries)
}

// NS returns how much of the time since the begin of the round is accounted for, in nanoseconds.
func (a *Ledger) NS(now time.Time) float64 {
	if a == nil {
		return 0
	}
	return max(0, float64(now.Sub(a.begun))-a.missingNS)
}

// NewLedger returns a ledger of a round that begins now, on the calling thread.
func NewLedger() *Ledger {
	l := &Ledger{}
	l.Begin(time.Now())
	return l
}

// Begin begins a new round on the calling thread.
func (a *Ledger) Begin(now time.Time) { a.begin(now, threadSwitches) }

func (a *Ledger) begin(now time.Time, switches func() int64) {
	*a = Ledger{begun: now, switches: switches, switched: switches()}
}

// threadSwitches returns how often the system has taken the CPU off the calling thread.
func threadSwitches() int64 { return platform.ThreadUsage().Involuntary }

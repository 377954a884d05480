package timers

import "time"

// Ledger compares the clock of the timed loop with the system's while a round is measured. Code that changes the loop,
// so that it tells shorter times, leaves time between the two that nothing has taken.
type Ledger struct {
	begun     time.Time // of the round
	missingNS float64   // between the two clocks, beyond what entering the loop and untimed calls may take
	entries   int64     // into the loop
	short     int64     // entries of which much is missing
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
	a.missingNS += missing
	if a.entries++; missing > muchMissing*batchesNS {
		a.short++
	}
}

// ShortShare returns the share of entries of which much is missing. It is that of a loop whose clock is wrong if it is
// most of them: work of others interrupts the batches themselves, as these take nearly all of the time.
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

// Begin begins a new round.
func (a *Ledger) Begin(now time.Time) { *a = Ledger{begun: now} }

package executor

import (
	"math"
	"time"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// counting is how a session reads the processor's counters: in the timed loop, around the loop's batches only, or by
// the system, around everything that an entry of the timer does.
type counting struct {
	names  []string // of the selected events; empty if nothing is counted
	inLoop bool
	all    bool // of all threads and processes that the thread starts, too
	before []uint64
	after  []uint64
	whole  []uint64   // of a batch, if it was counted from outside
	rows   [][]uint64 // what counted returns; reused
}

const (
	cyclesEvent       = "cycles"
	instructionsEvent = "instructions"
	branchesEvent     = "branches"
)

// startCounting selects the events that this launch counts. Timers other than the loop, and functions that run threads,
// are counted from outside.
func (s *session) startCounting(t *loopTimer) {
	if s.counters == nil || s.counters.Passes() == 0 || s.call.Batch != nil {
		return
	}
	s.counting.all = s.threads
	if s.counters.Select(s.pass%s.counters.Passes(), s.counting.all) != nil {
		return
	}
	if t != nil && !s.counting.all {
		pages := s.counters.Pages()
		s.counting.inLoop = t.loop.SetCounters(pages)
		if s.counting.inLoop && s.canary != nil && s.counters.Selected()[0].Name == cyclesEvent {
			s.canary.CountCycles(pages[0])
		}
	}
	for _, e := range s.counters.Selected() {
		s.counting.names = append(s.counting.names, e.Name)
	}
	n := len(s.counting.names)
	s.counting.before, s.counting.after, s.counting.whole = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	s.tellPrelude()
}

// outside reports whether events are counted around the entries of the timer.
func (c *counting) outside() bool { return len(c.names) > 0 && !c.inLoop }

// again has the events of this session count in a further round: between rounds, another session may have selected its
// own. If that fails, this session counts nothing more.
func (s *session) countAgain() {
	c := &s.counting
	if len(c.names) == 0 || s.counters.Select(s.pass%s.counters.Passes(), c.all) == nil {
		return
	}
	for _, t := range []timer{s.timer, s.emptied} {
		if loop, ok := t.(*loopTimer); ok {
			loop.loop.SetCounters(nil)
		}
	}
	if s.canary != nil {
		s.canary = s.instruments.newCanary() // one that counts no cycles
	}
	s.counting = counting{}
	s.tellPrelude()
}

// counted runs batches and returns what each of them counted, by event. Batches that are counted together get equal
// shares of the sum. The counts are nil if nothing is counted or an event has lost its counter; they are valid until the
// next call.
func (s *session) counted(t timer, calls int64, batches int) (ns []float64, counts [][]uint64, err error) {
	c := &s.counting
	outside, start := c.outside(), time.Now()
	if outside && s.prelude > 0 { // the counters would count a prelude that the timer makes
		if _, err := t.run(s.prelude, 1); err != nil {
			return nil, nil, err
		}
	}
	if outside && s.counters.Read(c.before) != nil {
		outside = false
	}
	ns, err = t.run(calls, batches)
	if s.entryNS = time.Since(start); err != nil {
		return nil, nil, err
	}
	switch {
	case c.inLoop:
		all := t.(*loopTimer).loop.Counts()
		counts = c.rows[:0]
		for i := range ns {
			counts = append(counts, all[i*len(c.names):][:len(c.names)])
		}
		c.rows = counts
	case outside && s.counters.Read(c.after) == nil:
		for k := range c.whole {
			c.whole[k] = (c.after[k] - c.before[k]) / uint64(batches)
		}
		counts = c.rows[:0]
		for range ns {
			counts = append(counts, c.whole)
		}
		c.rows = counts
	}
	return ns, counts, nil
}

// exactShare is the share of batches that must have counted the same for a counter to be exact. Now and then an
// interrupt adds one.
const exactShare = 0.9

// netCounts returns the counts per call of the kept batches, minus what the same loop counts over a function that only
// returns. That function's own instruction, a branch, does not belong to the loop and is not subtracted.
func (s *session) netCounts(kept []*batch, empties []empty) (counts []invocations.Count, cycles []float64) {
	calls := float64(s.calls)
	for k, name := range s.counting.names {
		totals, overheads := make([]float64, 0, len(kept)), make([]float64, 0, len(empties))
		for _, b := range kept {
			if b.counts != nil {
				totals = append(totals, float64(b.counts[k]))
			}
		}
		for _, e := range empties {
			if e.counts != nil {
				overheads = append(overheads, float64(e.counts[k]))
			}
		}
		if len(totals) < len(kept) || len(totals) == 0 {
			continue
		}
		overhead := 0.0
		if len(overheads) > 0 {
			overhead = stats.Median(overheads)
			if name == instructionsEvent || name == branchesEvent {
				overhead -= calls * float64(s.each())
			}
		}
		if name == cyclesEvent && !s.counting.all { // those of several threads or processes tell nothing of the core
			for _, t := range totals {
				cycles = append(cycles, (t-overhead)/calls)
			}
			continue
		}
		total := stats.Median(totals)
		same := 0
		for _, t := range totals {
			if t == total {
				same++
			}
		}
		exact := s.counting.inLoop && float64(same) >= exactShare*float64(len(totals))
		counts = append(counts, invocations.Count{Name: name, PerCall: (total - overhead) / calls, Exact: exact})
	}
	return counts, cycles
}

// systemCounts returns the page faults and context switches per call, which the system counts without the processor's
// help.
func systemCounts(kept []*batch, calls int64) []invocations.Count {
	var faults, switches, n float64
	for _, b := range kept {
		faults, switches, n = faults+b.faults, switches+b.switches, n+float64(calls)
	}
	if n == 0 || math.IsNaN(faults+switches) {
		return nil
	}
	return []invocations.Count{
		{Name: "page_faults", PerCall: faults / n, Exact: faults == 0},
		{Name: "context_switches", PerCall: switches / n, Exact: switches == 0},
	}
}

package rounds

import (
	"math"

	"zonemark/executor/timers"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// eventCounts observe the processor's counters: in the timed loop, around the loop's batches only, or by the system,
// around everything that an entry of the timer does.
type eventCounts struct {
	counters counters
	names    []string // of the selected events; empty if nothing is counted
	inLoop   bool
	all      bool // of all threads and processes that the thread starts, too
	pass     int  // of the counters that this launch counts
	before   []uint64
	after    []uint64
	whole    []uint64   // of a batch, if it was counted from outside
	rows     [][]uint64 // what an entry has counted; reused
	failed   bool       // to read before the entry
}

const (
	cyclesEvent       = "cycles"
	instructionsEvent = "instructions"
	branchesEvent     = "branches"
)

// start selects the events that this launch counts. Timers other than the loop, and functions that run threads, are
// counted from outside.
func (c *eventCounts) start(t timers.Timer, canary *canaryProbes) {
	if c.counters.Select(c.pass%c.counters.Passes(), c.all) != nil {
		return
	}
	if loop, ok := t.(*timers.Loop); ok && !c.all {
		pages := c.counters.Pages()
		c.inLoop = loop.SetCounters(pages)
		if c.inLoop && canary != nil && c.counters.Selected()[0].Name == cyclesEvent {
			canary.core.CountCycles(pages[0])
		}
	}
	for _, e := range c.counters.Selected() {
		c.names = append(c.names, e.Name)
	}
	n := len(c.names)
	c.before, c.after, c.whole = make([]uint64, n), make([]uint64, n), make([]uint64, n)
}

// again has the events count in a further round: between rounds, another session may have selected its own.
func (c *eventCounts) again() error {
	if len(c.names) == 0 {
		return nil
	}
	return c.counters.Select(c.pass%c.counters.Passes(), c.all)
}

// countsInLoop reports whether the timed loop counts; false for nil.
func (c *eventCounts) countsInLoop() bool { return c != nil && c.inLoop }

// outside reports whether events are counted around the entries of the timer; false for nil.
func (c *eventCounts) outside() bool { return c != nil && len(c.names) > 0 && !c.inLoop }

// begin reads the counters, if that is done from outside. The calls of the prelude then come first: the counters would
// count those that a timer makes.
func (c *eventCounts) begin(e *entry) error {
	if c.failed = false; !c.outside() {
		return nil
	}
	if e.prelude > 0 {
		if _, err := e.timer.Run(e.prelude, 1); err != nil {
			return err
		}
	}
	c.failed = c.counters.Read(c.before) != nil
	return nil
}

// end notes what each batch has counted. Batches that are counted together get equal shares of the sum. Nothing is noted
// if an event has lost its counter.
func (c *eventCounts) end(e *entry) {
	counts := c.rows[:0]
	switch {
	case c.inLoop:
		all := e.timer.(*timers.Loop).Counts()
		for i := range e.ns {
			counts = append(counts, all[i*len(c.names):][:len(c.names)])
		}
	case c.outside() && !c.failed && c.counters.Read(c.after) == nil:
		for k := range c.whole {
			c.whole[k] = (c.after[k] - c.before[k]) / uint64(e.batches)
		}
		for range e.ns {
			counts = append(counts, c.whole)
		}
	default:
		return
	}
	c.rows, e.counts = counts, counts
}

// report enters the counts per call, and the cycles if they are those of the core.
func (c *eventCounts) report(s *sampling, r *invocations.Result, kept []*batch) {
	counts, cycles := c.net(kept, s.empty.Kept, s.calls, s.each())
	if c.inLoop && c.counters.Read(c.after) != nil {
		// An event had lost its counter, which the loop cannot see.
		counts, cycles = nil, nil
	}
	r.Counters = append(r.Counters, counts...)
	if len(cycles) == 0 {
		return
	}
	clocks := make([]float64, len(cycles))
	for i, n := range cycles {
		clocks[i] = n / r.SamplesNS[i]
	}
	r.CyclesSamples, r.CyclesCounted, r.Canary.GHz = cycles, true, stats.Median(clocks)
}

// exactShare is the share of batches that must have counted the same for a counter to be exact. Now and then an
// interrupt adds one.
const exactShare = 0.9

// net returns the counts per call of the kept batches, minus what the same loop counts over a function that only
// returns. That function's own instruction, a branch, does not belong to the loop and is not subtracted.
func (c *eventCounts) net(
	kept []*batch, empties []empty, callsPerBatch, each int64,
) (counts []invocations.Count, cycles []float64) {
	calls := float64(callsPerBatch)
	for k, name := range c.names {
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
				overhead -= calls * float64(each)
			}
		}
		if name == cyclesEvent && !c.all { // those of several threads or processes tell nothing of the core
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
		exact := c.inLoop && float64(same) >= exactShare*float64(len(totals))
		counts = append(counts, invocations.Count{Name: name, PerCall: (total - overhead) / calls, Exact: exact})
	}
	return counts, cycles
}

// leastSystem is the least time of the system, in nanoseconds, in the batches of a launch that says something. Systems
// count it in ticks of up to 10 ms.
const leastSystem = 20e6

// sandboxCount returns by how many nanoseconds the sandbox lengthens a call; nothing if the system has hardly
// worked for the calls. slower is by which fraction the shortest call of the system takes longer there.
func sandboxCount(kept []*batch, calls int64, slower float64) []invocations.Count {
	total := 0.0
	for _, b := range kept {
		total += b.systemNS
	}
	if !(slower > 0) || total < leastSystem {
		return nil
	}
	perCall := total / float64(int64(len(kept))*calls)
	return []invocations.Count{{Name: invocations.CountSandboxNS, PerCall: perCall * slower / (1 + slower)}}
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

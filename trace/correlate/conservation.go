package correlate

// Conservation states where the wall time of a bracket went. DispatchNS + GapNS + HostNS + UnexplainedNS is BracketNS,
// exactly.
type Conservation struct {
	BracketNS     int64
	DispatchNS    int64 // at least one dispatch ran
	GapNS         int64 // between two dispatches
	HostNS        int64 // before the first and after the last
	UnexplainedNS int64 // the invoking thread waited and nothing says for what, or there are no zones: some may be missing
	OverlapNS     int64 // dispatches ran at the same time: their wall times sum to DispatchNS + OverlapNS
}

// UnexplainedPart is UnexplainedNS relative to the bracket.
func (c *Conservation) UnexplainedPart() float64 {
	if c.BracketNS == 0 {
		return 0
	}
	return float64(c.UnexplainedNS) / float64(c.BracketNS)
}

// conserve divides a bracket among dispatches, which are in order of their starts, and waits, which are disjoint and in
// order. Waits shorter than wakeup are latency, that is host overhead or gap.
func conserve(b segment, dispatches []Dispatch, waits []segment, wakeup int64) Conservation {
	c := Conservation{BracketNS: b.end - b.start}
	busy := make([]segment, 0, len(dispatches)) // disjoint, in order
	var sum int64
	for i := range dispatches {
		s := segment{max(dispatches[i].StartNS, b.start), min(dispatches[i].EndNS(), b.end)}
		if s.end < s.start {
			continue
		}
		sum += s.end - s.start
		if n := len(busy); n > 0 && s.start <= busy[n-1].end {
			busy[n-1].end = max(busy[n-1].end, s.end)
			continue
		}
		busy = append(busy, s)
	}
	wait := 0
	// idle accounts for the time between two busy stretches, or at an edge of the bracket.
	idle := func(s segment, into *int64) {
		*into += s.end - s.start
		for wait < len(waits) && waits[wait].end <= s.start {
			wait++
		}
		for i := wait; i < len(waits) && waits[i].start < s.end; i++ {
			if d := min(waits[i].end, s.end) - max(waits[i].start, s.start); d > wakeup {
				*into -= d
				c.UnexplainedNS += d
			}
		}
	}
	if len(busy) == 0 {
		idle(b, &c.HostNS)
		return c
	}
	idle(segment{b.start, busy[0].start}, &c.HostNS)
	for i, s := range busy {
		c.DispatchNS += s.end - s.start
		if i > 0 {
			idle(segment{busy[i-1].end, s.start}, &c.GapNS)
		}
	}
	idle(segment{busy[len(busy)-1].end, b.end}, &c.HostNS)
	c.OverlapNS = sum - c.DispatchNS
	return c
}

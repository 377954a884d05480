package correlate

import (
	"cmp"
	"slices"

	"zonemark/invocations"
	"zonemark/trace"
)

// finish makes invocations of brackets and their parts.
func (c *correlator) finish(src trace.Source) {
	c.result.Warnings = append(c.result.Warnings, sourceWarnings(src)...)
	if s, ok := src.(interface{ Info() trace.Info }); ok && s.Info().Partial {
		c.result.Partial = true
	}
	byID := map[string]int{}
	for i := range c.brackets.all {
		b := &c.brackets.all[i]
		for _, id := range b.ids() {
			at, ok := byID[id]
			if !ok {
				at = len(c.result.Invocations)
				byID[id] = at
				c.result.Invocations = append(c.result.Invocations, Invocation{ID: id, Name: cmp.Or(c.options.Known[id],
					b.name)})
				if c.options.Known != nil && c.options.Known[id] == "" {
					c.warn("invocation %s is in the trace and not among those that are known", id)
				}
			}
			inv := &c.result.Invocations[at]
			inv.Name = cmp.Or(inv.Name, b.name)
			inv.Iterations = append(inv.Iterations, c.iteration(b, id, len(inv.Iterations)))
		}
		b.parts, b.waits = nil, nil
	}
	for i := range c.result.Invocations {
		inv := &c.result.Invocations[i]
		inv.markWarmup(c.options.WarmupIterations)
		if calls, known := c.options.Calls[inv.ID]; c.result.Partial && (!known || int64(len(inv.Iterations)) < calls) {
			for k := range inv.Iterations {
				inv.Iterations[k].Flags |= Partial
			}
		}
		inv.compare()
		inv.summarize()
	}
	if c.result.OrphanCount > 0 {
		c.warn("%d workgroup zones belong to no invocation", c.result.OrphanCount)
	}
}

// markWarmup marks the first n iterations as warm-up. Where there are no more than these, none is: all count.
func (inv *Invocation) markWarmup(n int) {
	if n >= len(inv.Iterations) {
		return
	}
	for i := range n {
		inv.Iterations[i].Warmup = true
	}
}

func sourceWarnings(src trace.Source) []string {
	switch s := src.(type) {
	case interface{ Info() trace.Info }:
		return s.Info().Warnings
	case interface{ Warnings() []string }:
		return s.Warnings()
	}
	return nil
}

// ids are those of the invocations in the bracket: its own, else those that its parts state.
func (b *bracket) ids() []string {
	if b.id != "" {
		return []string{b.id}
	}
	var ids []string
	for i := range b.parts {
		if id := b.parts[i].id; id != "" && (len(ids) == 0 || ids[len(ids)-1] != id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > 1 {
		b.flags |= Mixed
	}
	return ids
}

func (c *correlator) iteration(b *bracket, id string, number int) Iteration {
	b.settleDevice()
	it := Iteration{Number: number, Thread: b.thread, StartNS: b.start, Zones: b.zones, Flags: b.flags}
	parts := b.parts
	if b.flags&Mixed != 0 {
		parts = slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.id != id })
	}
	on := deviceSpan(parts)
	it.DeviceNS = on.end - on.start
	var end int64
	for i, p := range assemble(parts) {
		d := Dispatch{
			Ordinal: i, Name: p.name, SourceFile: p.location.File, SourceLine: p.location.Line, StartNS: p.start,
			WallNS:  p.end - p.start,
			TotalNS: p.total, Workgroups: p.workgroups, Threads: len(p.threads), Issued: p.issued,
		}
		if p.device {
			d.Threads = 0
		}
		if i > 0 {
			d.GapBeforeNS = max(0, p.start-end)
		}
		if i == 0 || p.end > end {
			end = p.end
		}
		if p.workgroupless {
			it.Flags |= NoWorkgroups
		}
		it.Dispatches = append(it.Dispatches, d)
	}
	it.Conservation = conserve(segment{b.start, b.end}, it.Dispatches, b.waits, c.options.WakeupNS)
	if it.UnexplainedPart() > c.options.ConservationThreshold {
		it.Flags |= Unexplained
	}
	if b.zones == 0 {
		it.Flags |= Empty
		it.HostNS, it.UnexplainedNS = 0, it.UnexplainedNS+it.HostNS // nothing shows that the host worked
	}
	if b.nested > 0 {
		it.Flags |= Nested
	}
	return it
}

// summarize fills the summary.
func (inv *Invocation) summarize() {
	type key struct {
		ordinal int
		name    string
	}
	type sample struct {
		wall, workgroups, threads []float64
		of                        *Dispatch
	}
	samples := map[key]*sample{}
	var host, gap []float64
	for i := range inv.Iterations {
		if !inv.counts(i) {
			continue
		}
		it := &inv.Iterations[i]
		inv.Flags |= it.Flags
		host, gap = append(host, float64(it.HostNS)), append(gap, float64(it.GapNS))
		for k := range it.Dispatches {
			d := &it.Dispatches[k]
			s := samples[key{d.Ordinal, d.Name}]
			if s == nil {
				s = &sample{of: d}
				samples[key{d.Ordinal, d.Name}] = s
			}
			s.wall = append(s.wall, float64(d.WallNS))
			s.workgroups = append(s.workgroups, float64(d.Workgroups))
			s.threads = append(s.threads, float64(d.Threads))
		}
	}
	for _, s := range samples {
		d := invocations.Dispatch{
			Name: s.of.Name, Ordinal: s.of.Ordinal,
			Workgroups: int(middle(s.workgroups)), Threads: int(middle(s.threads)), SourceFile: s.of.SourceFile,
			SourceLine: int(s.of.SourceLine),
		}
		d.Time(s.wall)
		inv.Dispatches = append(inv.Dispatches, d)
	}
	slices.SortFunc(inv.Dispatches, func(a, b invocations.Dispatch) int {
		return cmp.Or(cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.Name, b.Name))
	})
	inv.HostNS, inv.GapNS = middle(host), middle(gap)
	inv.Verdict = inv.verdict()
}

// verdict tells a lost thread from a busy machine. Where a thread's zones are missing, all iterations wait for nothing,
// those of the warm-up and the others; where few do and the others show the same dispatches, the workers were there and
// did not get a CPU.
func (inv *Invocation) verdict() invocations.Verdict {
	if !inv.Flags.PartialTrace() {
		return invocations.Clean
	}
	waited, waitedCounted, counted := 0, 0, 0
	for i := range inv.Iterations {
		waits := inv.Iterations[i].Flags&Unexplained != 0
		if waits {
			waited++
		}
		if !inv.counts(i) {
			continue
		}
		counted++
		if waits {
			waitedCounted++
		}
	}
	most := 2*waited >= len(inv.Iterations) && 2*waitedCounted >= counted
	if !most && !(inv.Flags &^ Unexplained).PartialTrace() {
		return invocations.Contended
	}
	return invocations.PartialTrace
}

// middle is the median. It sorts its argument.
func middle(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return (values[n/2-1] + values[n/2]) / 2
}

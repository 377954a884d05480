package executors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/foreign"
	"zonemark/invocations/stats"
	"zonemark/invocations/wire"
)

// An executor may be under the control of what it has loaded. What it answers is believed only if it can be true; what
// follows from its samples is computed here.

const (
	// lateNS and lateShare are how much longer than the driver's wait the times of an answer may be: the two clocks
	// differ, and the processor's counter is calibrated in ten milliseconds.
	lateNS    = 10e6
	lateShare = 0.05
	// belowNS is how far below zero a time may be before the overhead is subtracted, by rounding.
	belowNS = 1.0

	maxTexts     = 1000     // notes of a result; further ones are dropped
	maxTextBytes = 16 << 10 // of a note, a reason or a property; the rest is cut off
	maxNameBytes = 64       // of a counter
	maxGHz       = 100      // no core is as fast
	maxCycles    = 10.0     // no core makes as many cycles in a nanosecond of calls
)

// disbelieved is the reason why the answer of an executor cannot be true.
type disbelieved struct{ why string }

func (d *disbelieved) Error() string {
	return "the executor's answer cannot be true: " + d.why + "; native code may have changed its memory"
}

// seen is what the driver itself sees of an executor that answers.
type seen struct {
	waited time.Duration // for the answer
	// threadNS is the CPU time that the executor's busiest thread has had since it began to measure; 0: not known.
	threadNS float64
}

// believe checks the result of an executor that was asked m, by what was seen of it. The error is a *disbelieved.
// Without one, the summary is that of the samples, and all texts are printable and not too long.
func believe(r *invocations.Result, m *wire.Execute, by seen) error {
	c := credibility{result: r, asked: m, mostNS: float64(by.waited)*(1+lateShare) + lateNS, threadNS: by.threadNS}
	for _, check := range []func() string{c.words, c.counts, c.samples, c.sum, c.figures, c.dispatches} {
		if why := check(); why != "" {
			return &disbelieved{why}
		}
	}
	r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	if !(r.Canary.GHz > 0 && r.Canary.GHz < maxGHz) { // the clock of a function that takes no time is not known
		r.Canary.GHz = 0
	}
	if grossNS := r.Summary.MedianNS + r.OverheadNS; r.CyclesCounted && stats.Median(r.CyclesSamples) > maxCycles*grossNS {
		r.CyclesSamples, r.CyclesCounted = nil, false // those of several threads say nothing of a core
	}
	cleanTexts(r)
	return nil
}

// credibility checks one answer. Each check returns what is wrong, or "".
type credibility struct {
	result *invocations.Result
	asked  *wire.Execute
	mostNS float64 // no time of the answer can be longer
	// threadNS is the CPU time of the busiest thread while it measured, as the driver has seen it; 0: not known.
	threadNS float64
}

// words checks what has one of a few values.
func (c *credibility) words() string {
	r := c.result
	switch {
	case !slices.Contains(invocations.Answered[:], r.Status):
		return fmt.Sprintf("it has the status %.40q", r.Status)
	case r.Crash != nil:
		return "it tells of a crash that it has survived"
	case r.Number != c.asked.Number:
		return fmt.Sprintf("it is of launch or round %d, %d was asked for", r.Number+1, c.asked.Number+1)
	case r.Mode != c.asked.Measure.Mode:
		return fmt.Sprintf("it has the mode %.40q", r.Mode)
	case r.Stop != "" && !slices.Contains(invocations.Stops[:], r.Stop):
		return fmt.Sprintf("it has stopped for the reason %.40q", r.Stop)
	case r.Clock != "" && !slices.Contains(invocations.Clocks[:], r.Clock):
		return fmt.Sprintf("it has the clock %.40q", r.Clock)
	case !slices.Contains([]invocations.DispatchSource{
		invocations.NoSource, invocations.ByProfiler, invocations.ByTracy,
	}, r.Source):
		return fmt.Sprintf("its dispatches come from %.40q", r.Source)
	}
	for i, v := range r.Verdicts {
		if !slices.Contains(invocations.AllVerdicts[:], v) || slices.Contains(r.Verdicts[:i], v) {
			return fmt.Sprintf("it has the verdict %.40q, unknown or twice", v)
		}
	}
	return ""
}

// counts checks the whole numbers.
func (c *credibility) counts() string {
	r := c.result
	for _, n := range []struct {
		what string
		n    int64
	}{
		{"iterations", r.Iterations}, {"calls in a batch", r.CallsPerBatch}, {"argument sets", int64(r.Sets)},
		{"bytes of arguments", r.SetBytes}, {"warm-up calls", r.WarmupCalls},
		{"disturbed batches", r.Discarded.Disturbed}, {"warm-up batches", r.Discarded.Warmup},
		{"probed batches", r.Canary.Batches}, {"quiet batches", r.Canary.Quiet},
		{"batches on a shared core", r.Canary.Core}, {"slow batches", r.Canary.Slow},
		{"batches beside others in the caches", r.Canary.Caches}, {"interrupted probes", r.Canary.Interrupted},
		{"simulated cycles", r.SimulatedCycles}, {"CPUs", int64(r.CPU)},
	} {
		if n.n < 0 {
			return fmt.Sprintf("it counts %d %s", n.n, n.what)
		}
	}
	for _, core := range r.SimulatedCores {
		if core.Begin < 0 || core.End < core.Begin {
			return fmt.Sprintf("a simulated core worked from cycle %d to %d", core.Begin, core.End)
		}
	}
	for _, p := range r.Places {
		if p.Offset < 0 || p.Offset >= invocations.PlacementPage {
			return fmt.Sprintf("an array begins at byte %d of a page", p.Offset)
		}
	}
	switch n := int64(len(r.SamplesNS)); {
	case r.Canary.Quiet > r.Canary.Batches:
		return fmt.Sprintf("%d of %d batches were quiet", r.Canary.Quiet, r.Canary.Batches)
	case n > 0 && (r.CallsPerBatch < 1 || r.Iterations/r.CallsPerBatch < n || r.Iterations%r.CallsPerBatch != 0):
		return fmt.Sprintf("%d iterations are not %d samples of %d calls", r.Iterations, n, r.CallsPerBatch)
	case len(r.CPUSamplesNS) > 0 && int64(len(r.CPUSamplesNS)) != n:
		return fmt.Sprintf("it has %d CPU times for %d samples", len(r.CPUSamplesNS), n)
	case len(r.CyclesSamples) > 0 && int64(len(r.CyclesSamples)) != n:
		return fmt.Sprintf("it has the cycles of %d of %d samples", len(r.CyclesSamples), n)
	case !places(r.Apart, n):
		return "its batches that were set apart have no places among the others"
	case n > 0 && r.Status != invocations.OK:
		return fmt.Sprintf("it has times and the status %s", r.Status)
	case n > 0 && (c.asked.Measure.CheckOnly || c.asked.TraceCalls > 0):
		return "it has times that nobody asked for"
	case c.asked.Measure.Iterations > 0 && n > 0 && r.Iterations > c.asked.Measure.Iterations:
		return fmt.Sprintf("it has times of %d calls of %d", r.Iterations, c.asked.Measure.Iterations)
	}
	return ""
}

// places reports whether batches that were set apart have places among n others, in order.
func places(a invocations.ApartBatches, n int64) bool {
	inside := func(after int64) bool { return after >= 0 && after <= n }
	return len(a.NS) == len(a.After) && len(a.CPUNS) <= len(a.NS) && len(a.NS) <= invocations.MostApart &&
		slices.IsSorted(a.After) && (len(a.After) == 0 || inside(a.After[0]) && inside(a.After[len(a.After)-1]))
}

// samples checks the times of batches. All batches together are not longer than the driver has waited.
func (c *credibility) samples() string {
	r := c.result
	if !amount(r.OverheadNS) {
		return fmt.Sprintf("the overhead of a call is %v ns", r.OverheadNS)
	}
	for _, list := range []struct {
		what     string
		ns       []float64
		plus     float64 // to each
		calls    float64 // in each
		positive bool
		parallel bool // several at once may pass in the same time
	}{
		{"samples", r.SamplesNS, r.OverheadNS, float64(r.CallsPerBatch), true, false},
		{"batches set apart", r.Apart.NS, r.OverheadNS, float64(r.CallsPerBatch), true, false},
		{"CPU times of those", r.Apart.CPUNS, 0, float64(r.CallsPerBatch), true, len(c.asked.Command) > 0},
		{"CPU times", r.CPUSamplesNS, 0, float64(r.CallsPerBatch), true, len(c.asked.Command) > 0},
		{"rounds", r.RoundsNS, 0, 1, true, false},
		{"cycles", r.CyclesSamples, 0, 0, false, false},
	} {
		total := 0.0
		for i, ns := range list.ns {
			if gross := ns + list.plus; math.IsNaN(gross) || math.IsInf(gross, 0) || list.positive && gross < -belowNS {
				return fmt.Sprintf("number %d of its %s is %v", i+1, list.what, ns)
			}
			total += (ns + list.plus) * list.calls
		}
		if total > c.mostNS && !list.parallel {
			return fmt.Sprintf("its %s are %.4g s long, the answer came after %.4g s", list.what, total/1e9, c.mostNS/1e9)
		}
	}
	return c.notKept()
}

// notKept checks the number of batches whose times were not kept. Half of all batches take the median or longer.
func (c *credibility) notKept() string {
	r := c.result
	if len(r.SamplesNS) == 0 || r.Iterations == int64(len(r.SamplesNS))*r.CallsPerBatch || len(c.asked.Command) > 0 {
		return ""
	}
	if ns := float64(r.Iterations) / 2 * (stats.Median(r.SamplesNS) + r.OverheadNS); ns > medianSlack*c.mostNS {
		return fmt.Sprintf("half of its %d iterations are %.4g s long, the answer came after %.4g s", r.Iterations, ns/1e9,
			c.mostNS/1e9)
	}
	return ""
}

// medianSlack allows for how far the median of the times that are kept may be from that of all.
const medianSlack = 1.5

const (
	// idleNS and idleShare are how much more CPU time than an executor accounts for its busiest thread may have had:
	// it packs its answer, and the system updates these times every few milliseconds.
	idleNS    = 10e6
	idleShare = 0.04
	// mostShort is the largest share of entries into the timed loop that interruptions explain.
	mostShort = 0.5
	// mostStops is by how much a host's stops lengthen batches at most, as a fraction.
	mostStops = 1
)

// sum checks that all times together are as long as the driver has waited, and as the executor has worked. Those that
// are shorter do not add up either: the rest of the CPU time went somewhere.
func (c *credibility) sum() string {
	r := c.result
	switch {
	case !amount(r.AccountedNS) || !amount(r.ShortShare):
		return fmt.Sprintf("it accounts for %v ns, without a share of %v", r.AccountedNS, r.ShortShare)
	case r.ShortShare > mostShort:
		return fmt.Sprintf("its times do not add up: in %.0f %% of the entries into the timed loop, more time has passed "+
			"than its batches have taken", 100*r.ShortShare)
	case r.AccountedNS > c.mostNS:
		return fmt.Sprintf("its times do not add up: they are %.4g s together, and the answer came after %.4g s",
			r.AccountedNS/1e9, c.mostNS/1e9)
	case len(r.SamplesNS) > 0 && c.threadNS > (1+idleShare)*r.AccountedNS+idleNS:
		return fmt.Sprintf("its times do not add up: they are %.4g s together, and a thread of it has worked for %.4g s",
			r.AccountedNS/1e9, c.threadNS/1e9)
	}
	return ""
}

// figures checks the other numbers.
func (c *credibility) figures() string {
	r := c.result
	for _, n := range []struct {
		what string
		n    float64
	}{
		{"the planned length of a batch", r.PlannedNS}, {"the number of operations", r.FLOP},
		{"the number of bytes", r.Bytes}, {"the first call", r.FirstNS}, {"an early call", r.EarlyNS}, {"the level of the core", r.Canary.Ports},
		{"the level around the batches", r.Canary.KeptPorts}, {"the level of the memory", r.Canary.Memory},
		{"the function's own clock", r.Canary.OwnClock}, {"the clock of scalar code", r.Canary.ScalarGHz},
	} {
		if !amount(n.n) {
			return fmt.Sprintf("%s is %v", n.what, n.n)
		}
	}
	if s := r.Canary.Stops; !(s >= 0 && s <= mostStops) {
		return fmt.Sprintf("stops lengthen its batches by %v", s)
	}
	for i, one := range r.Counters {
		before := func(other invocations.Count) bool { return other.Name == one.Name }
		if one.Name == "" || len(one.Name) > maxNameBytes || slices.ContainsFunc(r.Counters[:i], before) {
			return fmt.Sprintf("it has the counter %.40q, which has no good name or is there twice", one.Name)
		}
		if math.IsNaN(one.PerCall) || math.IsInf(one.PerCall, 0) {
			return fmt.Sprintf("the counter %.40q has counted %v", one.Name, one.PerCall)
		}
	}
	return ""
}

// dispatches checks the profile of a call.
func (c *credibility) dispatches() string {
	p := &c.result.Profile
	if p.Source == invocations.NoSource {
		if len(p.Dispatches) > 0 {
			return "it has dispatches from nowhere"
		}
		return ""
	}
	for _, n := range []struct {
		what string
		ns   float64
	}{{"a profiled call", p.CallNS}, {"the host's part", p.HostNS}, {"the gaps", p.GapNS},
		{"the device's part", p.DeviceNS}, {"the unexplained part", p.UnexplainedNS}} {
		if !amount(n.ns) || n.ns > c.mostNS {
			return fmt.Sprintf("%s takes %v ns", n.what, n.ns)
		}
	}
	if p.Made < 0 || p.Quiet < 0 || p.Quiet > p.Made {
		return fmt.Sprintf("%d of %d profiled calls were quiet", p.Quiet, p.Made)
	}
	for i := range p.Dispatches {
		d := &p.Dispatches[i]
		if d.Count < 0 || d.Ordinal < 0 || d.Workgroups < 0 || d.Threads < 0 || d.PeakBytes < 0 || d.StackBytes < 0 {
			return fmt.Sprintf("dispatch %d counts less than nothing", i)
		}
		for _, ns := range []float64{d.MedianNS, d.MinNS, d.P10NS, d.P90NS} { // what is not known is no number
			if ns < 0 || ns > c.mostNS {
				return fmt.Sprintf("dispatch %d takes %v ns", i, ns)
			}
		}
	}
	return ""
}

// amount reports whether n is a finite number that is not negative.
func amount(n float64) bool { return n >= 0 && !math.IsInf(n, 0) }

// cleanTexts makes the texts of a result printable and cuts those that are too long.
func cleanTexts(r *invocations.Result) {
	r.Error = cleanText(r.Error)
	if len(r.Notes) > maxTexts {
		r.Notes = append(r.Notes[:maxTexts:maxTexts], fmt.Sprintf("%d more notes are left out", len(r.Notes)-maxTexts))
	}
	for i, note := range r.Notes {
		r.Notes[i] = cleanText(note)
	}
	for key, value := range r.Properties {
		if clean := cleanText(value); clean != value {
			r.Properties[key] = clean
		}
		if clean := cleanText(key); clean != key {
			r.Properties[clean] = r.Properties[key]
			delete(r.Properties, key)
		}
	}
	for name, value := range r.Parameters { // names that the invocation does not have do not count
		r.Parameters[name] = cleanText(value)
	}
	for i := range r.Dispatches {
		d := &r.Dispatches[i]
		d.Name, d.SourceFile, d.Node = cleanText(d.Name), cleanText(d.SourceFile), cleanText(d.Node)
	}
	for i := range r.SimulatedCores {
		core := &r.SimulatedCores[i]
		core.Core, core.Program = cleanText(core.Core), cleanText(core.Program)
		for j := range core.Zones {
			core.Zones[j].Name = cleanText(core.Zones[j].Name)
		}
	}
	r.Canary.Why = cleanText(r.Canary.Why)
}

// cleanText makes a text printable and cuts it if it is too long.
func cleanText(s string) string {
	if len(s) > maxTextBytes {
		s = strings.ToValidUTF8(s[:maxTextBytes], "") + "… (cut off)"
	}
	return foreign.Text(s)
}

// stopwatch measures how long an answer takes.
type stopwatch struct{ start time.Time }

// waited returns the time since the start.
func (s stopwatch) waited() time.Duration { return Elapsed(s.start, time.Now()) }

// Execute has an executor execute an invocation: one launch or round of it. If the executor ended, the result tells how.
// If the answer cannot be true, the executor is killed, and the result says why. An error means that no executor could be
// started or that the context ended. lacks names the CPU features that explain an unknown instruction.
func (s *Supervisor) Execute(ctx context.Context, m *wire.Execute, lacks string) (invocations.Result, error) {
	watch := stopwatch{time.Now()}
	r, err := s.unchecked(ctx, m, lacks)
	if err != nil || s.current == nil || s.current.state == gone {
		return r, err
	}
	by := seen{watch.waited(), s.current.longestThreadNS()}
	if why := s.believe(&r, m, by); why != nil {
		return s.liar(m, lacks, why), nil
	}
	s.current.addLastWords(&r)
	return r, nil
}

// Trace has an executor execute an invocation that is traced. What its threads have worked tells nothing then, since
// others work in them, too. The result is that of the answer, and stopped says for how long a signal had stopped the
// executor. If the executor ended, or the answer cannot be true, dead is set and the result tells why.
func (s *Supervisor) Trace(
	ctx context.Context, m *wire.Execute, lacks string,
) (r invocations.Result, stopped string, dead bool, err error) {
	watch := stopwatch{time.Now()}
	c, reply, _, err := s.try(ctx, m)
	switch {
	case ctx.Err() != nil:
		return r, "", false, ctx.Err()
	case c == nil:
		return r, "", false, err
	case err != nil:
		return deathResult(c, m, lacks, err), "", true, nil
	}
	r = reply.(*wire.Result).Result // see answers
	if why := s.believe(&r, m, seen{waited: watch.waited()}); why != nil {
		return s.liar(m, lacks, why), "", true, nil
	}
	return r, c.stoppedText(), false, nil
}

// Disbelieve kills the executor that was asked last and returns the result that tells why its answer cannot be true.
func (s *Supervisor) Disbelieve(m *wire.Execute, lacks, why string) invocations.Result {
	return s.liar(m, lacks, &disbelieved{why})
}

// believe checks a result. Executors that let tools make the calls may tell of the death of a tool: they live on.
func (s *Supervisor) believe(r *invocations.Result, m *wire.Execute, by seen) error {
	crash := r.Crash
	if !s.Tools || r.Status != invocations.Crashed || crash == nil {
		return believe(r, m, by)
	}
	r.Status, r.Crash = invocations.Failed, nil
	if err := believe(r, m, by); err != nil {
		return err
	}
	r.Status, r.Crash = invocations.Crashed, crash
	crash.Signal, crash.Phase = cleanText(crash.Signal), cleanText(crash.Phase)
	crash.Stderr = crash.Stderr[max(0, len(crash.Stderr)-tailLines):]
	for i, line := range crash.Stderr {
		crash.Stderr[i] = cleanText(line)
	}
	return nil
}

// liar kills an executor whose answer cannot be true and returns the result that tells so.
func (s *Supervisor) liar(m *wire.Execute, lacks string, why error) invocations.Result {
	c := s.current
	c.end()
	r := deathResult(c, m, lacks, why)
	r.Number = m.Number
	c.tellSandbox(&r)
	return r
}

// Elapsed returns the time between two moments by the clock that counts more. One of them may stand still while the
// machine sleeps.
func Elapsed(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}

package invocations

import "zonemark/driver/stats"

// Status says how an invocation ended. It is data: errors are for zonemark's own faults.
type Status string

// The statuses.
const (
	OK          Status = "ok"
	Mismatch    Status = "mismatch"      // outputs differ from the reference
	Failed      Status = "failed"        // the runtime refused: no such symbol, bad arguments, …
	Crashed     Status = "crashed"       // native code ended the executor
	Timeout     Status = "timeout"       // killed at its deadline
	OutOfMemory Status = "out-of-memory" // native code or its arguments did not fit
	Skipped     Status = "skipped"       // cannot run here; Error says why
)

// Statuses lists every status in order of display.
var Statuses = [...]Status{OK, Mismatch, Failed, Crashed, Timeout, OutOfMemory, Skipped}

// Verdict is a judgement on the trustworthiness of a measurement.
type Verdict string

// The verdicts. A result without a flaw is Clean; otherwise it carries every flaw that was found.
const (
	Clean        Verdict = "clean"
	Contended    Verdict = "contended"     // other work took the CPU or shared the core: too few batches were quiet
	Throttled    Verdict = "throttled"     // the core ran slower at the end than at the start
	Frequency    Verdict = "frequency"     // the core ran at another clock than the machine usually does
	Bimodal      Verdict = "bimodal"       // the launches fall into two classes
	TooShort     Verdict = "too-short"     // not to be told from an empty call, or a batch too short for the clock
	NotConverged Verdict = "not-converged" // MaxTimeNS came before the precision was reached
	PartialTrace Verdict = "partial-trace" // the capture is incomplete
)

// Stop says why measuring ended.
type Stop string

// The reasons why measuring ends.
const (
	StopPrecision  Stop = "precision"  // the precision was reached
	StopMaxTime    Stop = "max-time"   // MaxTimeNS came before
	StopMinimum    Stop = "minimum"    // the least time and iterations were reached, and no precision was asked for
	StopIterations Stop = "iterations" // as many iterations as were asked for
	StopLaunches   Stop = "launches"   // as many launches as were asked for
	StopCheck      Stop = "check"      // the outputs were compared and nothing was timed
	StopTrace      Stop = "trace"      // calls were made for a capture
	StopProfile    Stop = "profile"    // calls were made under a profiler
)

// Result is what became of one invocation, or of one round of it.
type Result struct {
	ID       string
	Round    int // 0-based; a merged result has the number of rounds that it holds in Rounds
	Rounds   int
	Status   Status
	Error    string // one sentence for people; empty when Status is OK
	Crash    *Crash // set when Status is Crashed, Timeout or OutOfMemory by a signal
	Verdicts []Verdict
	Notes    []string // what a reader of the number should know: default sizes, fallbacks taken, …

	Properties map[string]string // of the loaded artifact and of what ran it, by the runtime's own keys, for programs

	Mode          Mode
	Stop          Stop
	Iterations    int64 // timed calls that are in SamplesNS
	CallsPerBatch int64
	Sets          int     // argument sets cycled through
	SetBytes      int64   // their total size
	WarmupCalls   int64   // calls before the first timed one
	OverheadNS    float64 // per call; measured with an empty function and already subtracted from SamplesNS
	Clock         string  // what took the time: "tsc", "cntvct", "monotonic"

	// The kept batches are those that were quiet, where a canary told, and those that were not interrupted elsewhere.
	SamplesNS    []float64 // net wall time per call of each kept batch
	CPUSamplesNS []float64 // thread CPU time per call of each kept batch, gross; nil if it was not taken
	// RoundsNS: with Measure.Iterations, wall time of each round from before its first call to after its last one.
	RoundsNS []float64
	// RoundSamples: how many of SamplesNS each launch or round gave, when there was more than one.
	RoundSamples []int `msgpack:"-"`
	// CyclesSamples are the cycles of the core in user mode per call of each kept batch, net: counted by the processor
	// if CyclesCounted, else the time multiplied by the clock that the canary saw. Nil where neither is known.
	CyclesSamples []float64
	CyclesCounted bool
	Counters      []Count // per call, net, without the cycles
	Canary        Canary
	// PlannedNS: how long a batch was to be, and was not: the function is too short for it, or unsteady; 0: batches
	// were as long as planned.
	PlannedNS float64
	Discarded Discarded
	Summary   stats.Summary
	Spread    *Spread `msgpack:"-"` // of a result that was merged from launches; it stays on this side of the wire

	Profile                      // where the time went
	TraceOverheadNS      float64 // CallNS less the median time: what profiling or tracing cost
	TraceOverheadPercent float64 // TraceOverheadNS of the median time

	Layers []string // sandbox layers that were active; filled by the driver from Hello

	// SimulatedCycles are the device cycles of a call by a simulator's own counter, median over calls; 0 for what ran
	// on silicon. They are no time: a functional simulator counts about one instruction a cycle, and the times of such
	// a result are those of simulating.
	SimulatedCycles int64
	// FLOP and Bytes are what a call computes and moves by the runtime's own analysis; 0: it has none. What a suite
	// says of an invocation goes before them.
	FLOP, Bytes float64
}

// Canary is what the probes between batches have shown, in one launch or in all.
type Canary struct {
	Batches, Quiet int64 // with probes around them; no batches: the canary does not apply, and Why says why
	// Core, Slow, Interrupted: batches that were not quiet: the core was shared, its clock was low, the thread was
	// taken off it.
	Core, Slow, Interrupted int64
	Caches                  int64   // likewise: what lies beyond the core's own caches was shared
	Ports                   float64 // best level seen, in cycles of a round of the probe; 0: too few probes to say
	KeptPorts               float64 // median level around the kept batches
	GHz                     float64 // median clock of the core around the kept batches, or by counted cycles
	Why                     string
	// Memory: best level seen of the probe of shared caches and memory, in nanoseconds; 0: too few probes, or none, to
	// say.
	Memory float64
}

// Count is what a counter has counted per call.
type Count struct {
	Name    string
	PerCall float64
	Exact   bool // the same in every batch, or every launch
}

// Crash says how native code ended the executor.
type Crash struct {
	Signal   string   // "SIGSEGV"; empty when the process exited by itself
	ExitCode int      // when Signal is empty
	Phase    string   // "prepare", "reference", "verify", "measure": what it was doing
	Stderr   []string // last lines
}

// Discarded counts batches that were measured but set apart, by reason.
type Discarded struct {
	Switched int64 // the thread was involuntarily switched out during the batch
	Warmup   int64 // before the times were steady
}

// AddVerdict adds a verdict to those of the result, in place of Clean.
func (r *Result) AddVerdict(v Verdict) {
	kept := []Verdict{}
	for _, before := range r.Verdicts {
		if before != Clean && before != v {
			kept = append(kept, before)
		}
	}
	r.Verdicts = append(kept, v)
}

// AuditTrace fills what the pass that found the dispatches cost, from the summary and the profile.
func (r *Result) AuditTrace() {
	if r.Profile.Source == NoSource || !(r.CallNS > 0) || !(r.Summary.MedianNS > 0) {
		return
	}
	if r.Mode == Cold && r.Profile.Source == ByProfiler { // warm calls against cold ones
		r.Notes = append(r.Notes, "the dispatches are those of warm calls: the profiler's calls take one set of inputs")
		return
	}
	r.TraceOverheadNS = r.CallNS - r.Summary.MedianNS
	r.TraceOverheadPercent = 100 * r.TraceOverheadNS / r.Summary.MedianNS
}

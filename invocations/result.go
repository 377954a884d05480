package invocations

import (
	"fmt"

	"zonemark/invocations/remedy"
	"zonemark/invocations/stats"
)

// Status is the way in which an invocation ended. It is not an error: errors report faults of zonemark itself.
type Status string

// The statuses.
const (
	OK          Status = "ok"
	Mismatch    Status = "mismatch"      // outputs differ from the reference
	Failed      Status = "failed"        // the runtime refused: no such symbol, bad arguments, …
	Crashed     Status = "crashed"       // native code ended the executor
	Timeout     Status = "timeout"       // killed at its deadline
	OutOfMemory Status = "out-of-memory" // native code or its arguments needed too much memory
	Skipped     Status = "skipped"       // cannot run here; Error says why
)

// Statuses lists every status in order of display.
var Statuses = [...]Status{OK, Mismatch, Failed, Crashed, Timeout, OutOfMemory, Skipped}

// Answered lists the statuses that an executor may answer. An executor that tells of its own death has not died.
var Answered = [...]Status{OK, Mismatch, Failed, OutOfMemory, Skipped}

// Verdict is a judgement on the trustworthiness of a measurement.
type Verdict string

// The verdicts. A result without a flaw is Clean. Other results have every flaw that was found.
const (
	Clean        Verdict = "clean"
	Contended    Verdict = "contended"     // too few batches were quiet: others took the CPU or shared the core
	Throttled    Verdict = "throttled"     // the core ran slower at the end than at the start
	Frequency    Verdict = "frequency"     // the core ran at another clock than the machine usually does
	Bimodal      Verdict = "bimodal"       // the launches fall into two classes
	TooShort     Verdict = "too-short"     // not longer than an empty call, or a batch is too short for the clock
	NotConverged Verdict = "not-converged" // the interval is wider than the precision that was asked for
	PartialTrace Verdict = "partial-trace" // the capture is incomplete
	HostsDiffer  Verdict = "hosts-differ"  // the intervals of two of its hosts do not touch
	Refused      Verdict = "refused"       // the sandbox refused what the calls asked of the system
	Sandboxed    Verdict = "sandboxed"     // the sandbox lengthens the calls, which mostly ask the system
	Unfinished   Verdict = "unfinished"    // calls leave work to threads, which goes on when they have returned
	Slower       Verdict = "slower"        // a race has dropped it after few launches: its time is not precise
)

// AllVerdicts lists every verdict.
var AllVerdicts = [...]Verdict{
	Clean, Contended, Throttled, Frequency, Bimodal, TooShort, NotConverged, PartialTrace, HostsDiffer,
	Refused, Sandboxed, Unfinished, Slower,
}

// Stop is the reason why measuring ended.
type Stop string

// The reasons why measuring ends.
const (
	StopPrecision  Stop = "precision"  // the precision was reached
	StopMaxTime    Stop = "max-time"   // MaxTimeNS passed first
	StopMinimum    Stop = "minimum"    // the least time and iterations were reached, and no precision was asked for
	StopIterations Stop = "iterations" // as many iterations as were asked for
	StopLaunches   Stop = "launches"   // as many launches as were asked for
	StopCheck      Stop = "check"      // the outputs were compared and nothing was timed
	StopTrace      Stop = "trace"      // calls were made for a capture
	StopProfile    Stop = "profile"    // calls were made under a profiler
	StopSupervised Stop = "supervised" // supervision would slow the calls down; another executor shall make them
	StopDropped    Stop = "dropped"    // it cannot be the best of its group any more; see Dropped
	StopAlsoRan    Stop = "also-ran"   // it is hardly better than another one of its group by what matters
)

// Stops lists every reason why measuring ends.
var Stops = [...]Stop{
	StopPrecision, StopMaxTime, StopMinimum, StopIterations, StopLaunches, StopCheck, StopTrace, StopProfile,
	StopSupervised, StopDropped, StopAlsoRan,
}

// Clocks lists the names of the clocks that time calls.
var Clocks = [...]string{"tsc", "cntvct", "monotonic"}

// Result is the outcome of an invocation. A launch is an executor that measures it, from its start to its end; where one
// launch makes several measurements of it with a fixed number of calls, each is a round. The result of a launch or of a
// round is merged with those of the others.
type Result struct {
	ID       string
	Number   int // 0-based: of the launch, or of the round in a launch that has several
	Merged   int // number of launches or rounds that a merged result holds; 1 if it is not merged
	Status   Status
	Error    string // one sentence for people; empty if Status is OK
	Crash    *Crash // set if Status is Crashed, or is Timeout or OutOfMemory because of a signal
	Verdicts []Verdict
	Notes    []string // what a reader of the number should know: default sizes, fallbacks taken, …

	Properties map[string]string // of the loaded artifact and of the runtime, by the runtime's own keys, for programs

	// The fields of both kinds stand in messages as if they were here. Further fields come at the end of Result.
	Calling `msgpack:",inline"`
	Batches `msgpack:",inline"`

	Canary Canary
	// PlannedNS is the planned length of a batch, if batches were shorter because the function is too short or its
	// times vary too much. It is 0 if batches were as long as planned.
	PlannedNS float64
	Discarded Discarded
	Summary   stats.Summary

	Profile       // where the time went
	TraceOverhead `msgpack:",inline"`

	Layers []string // sandbox layers that were active; filled by the driver from Hello

	// SimulatedCycles are the device cycles of a call by a simulator's own counter, median over calls; 0 if real
	// hardware ran it. They are not a time: a functional simulator counts about one instruction a cycle, and the times
	// of such a result are those of the simulation.
	SimulatedCycles int64
	Work            `msgpack:",inline"`
	// Hexagon are the counts of a call by an emulator of the processor Hexagon; nil if none has made the call.
	Hexagon *HexagonCounts
	Apart   ApartBatches
	// SimulatedCores is what each simulated core did in one of the calls; nil if real hardware ran it.
	SimulatedCores []SimulatedCore
	Sandboxing     `msgpack:",inline"`
	OfArguments    `msgpack:",inline"`
	Accounts       `msgpack:",inline"`
	// Remedies are what a user may do about Error. The driver adds them to it in words, for the journal and for people.
	Remedies []remedy.Remedy
	// Parameters are the values with which was measured, of parameters that only had estimates, where they differ from
	// these.
	Parameters map[string]string
	FirstCalls `msgpack:",inline"`
	OfDriver   `msgpack:"-"`
}

// OfDriver is what the driver adds to the results of executors. It is in no message.
type OfDriver struct {
	Spread  *Spread  // of a result that was merged from launches
	SpentNS int64    // wall time of all launches, from the start of each executor
	Dropped *Dropped // why a race has dropped it; nil: none has
}

// TraceOverhead is the cost of profiling or tracing.
type TraceOverhead struct {
	TraceOverheadNS      float64 // CallNS minus the median time
	TraceOverheadPercent float64 // TraceOverheadNS in percent of the median time
}

// Work is what a call computes and moves by the runtime's own analysis; 0 if it has none. Counts of a suite take
// precedence.
type Work struct{ FLOP, Bytes float64 }

// OfArguments tells how calls found their arguments.
type OfArguments struct {
	Fresh `msgpack:",inline"`
	// Places are where the arrays of a launch that zonemark has placed began, in the order of the arguments.
	Places []ArrayPlace
}

// Sandboxing is how the sandbox was set up; filled by the driver from Hello.
type Sandboxing struct {
	SandboxProfile string   // the profile of the sandbox
	SandboxAllowed []string // what it let native code write of the machine
}

// Calling tells how many calls were timed, and how.
type Calling struct {
	Mode          Mode
	Stop          Stop
	Iterations    int64 // timed calls that count: those of SamplesNS, and of batches like them whose times are not kept
	CallsPerBatch int64
	Sets          int     // number of argument sets
	SetBytes      int64   // their total size
	WarmupCalls   int64   // calls before the first timed one
	OverheadNS    float64 // per call; measured with an empty function and already subtracted from SamplesNS
	Clock         string  // the clock: "tsc", "cntvct", "monotonic"
}

// Accounts tell whether the times of batches add up to what has passed.
type Accounts struct {
	// AccountedNS is the time of a round that batches, by the clock that times them, and all else, by the system's
	// clock, have taken together; 0 if nothing was timed.
	AccountedNS float64
	// ShortShare is the share of the entries into the timed loop that took considerably longer by the system's clock than
	// by the one that times batches.
	ShortShare float64
}

// Batches are the single batches of calls.
type Batches struct {
	// The kept batches are the quiet ones, if there was a canary, else those that were not interrupted.
	SamplesNS    []float64 // wall time per call of each kept batch, without overhead; of very many, of some, evenly
	CPUSamplesNS []float64 // thread CPU time per call of each kept batch, with overhead; nil if it was not measured
	// RoundsNS is the wall time of each round, from before its first call to after its last one, if Measure.Iterations
	// is given.
	RoundsNS []float64
	// CPU is the CPU to which a launch in turns has pinned its thread, plus one; 0: it was not pinned.
	CPU int
	// MergedSamples is the number of SamplesNS of each launch, round or turn that was merged, if there was more than one.
	MergedSamples []int `msgpack:"-"`
	// MergedIterations are the Iterations of each of them.
	MergedIterations []int64 `msgpack:"-"`
	// Neighbours are, if two executors have made batches by turns, the medians of the logarithms of how many times as long
	// a batch took as those of the other side near it, one for each of some periods of equal length; NaN if a period has
	// none.
	Neighbours []float64 `msgpack:"-"`
	// CyclesSamples are the cycles of the core in user mode per call of each kept batch, without overhead. If
	// CyclesCounted is true, the processor has counted them. Else they are the time multiplied by the clock that the
	// canary measured. CyclesSamples is nil if neither is known.
	CyclesSamples []float64
	CyclesCounted bool
	// Cycles is what is kept of them when the launch has ended; see ReduceCycles.
	Cycles   stats.Cycles `msgpack:"-"`
	Counters []Count      // per call, without overhead; cycles are not among them
}

// ReduceCycles keeps of the cycles of a launch's batches what is needed after it.
func (r *Result) ReduceCycles() {
	r.Cycles = stats.CyclesOf(r.CyclesSamples, r.SamplesNS, r.MergedSamples, r.CyclesCounted)
	r.CyclesSamples = nil
}

// SimulatedCore is what a RISC-V core of a simulated chip did in a call. Begin and End are by the simulator's cycle
// counter, from the begin of the first core of the call. They are not times.
type SimulatedCore struct {
	// Chip is the number of the chip, from 0.
	Chip int `json:"chip"`
	// Column is the tile's column in the chip's grid of Tensix tiles, from 0.
	Column int `json:"column"`
	// Row is the tile's row.
	Row int `json:"row"`
	// Core is the name of the core: BRISC, NCRISC, TRISC0, TRISC1 or TRISC2.
	Core string `json:"core"`
	// Program is the name of what it ran.
	Program string `json:"program"`
	// Begin is the cycle at which its work began.
	Begin int64 `json:"begin_cycle"`
	// End is the cycle at which its work ended.
	End int64 `json:"end_cycle"`
	// Zones are stretches of its work that the program has marked.
	Zones []SimulatedZone `json:"zones,omitempty"`
}

// SimulatedZone is a stretch of the work of a simulated core, in cycles as those of the core.
type SimulatedZone struct {
	// Name is the name of the zone.
	Name string `json:"name"`
	// Begin is the cycle at which it began.
	Begin int64 `json:"begin_cycle"`
	// End is the cycle at which it ended.
	End int64 `json:"end_cycle"`
}

// ApartBatches are batches that were set apart because they were interrupted or disturbed, in the order of measuring.
// Of very many, an executor sends only some.
type ApartBatches struct {
	NS    []float64 // wall time per call, without overhead
	After []int64   // number of kept batches before each
	CPUNS []float64 // thread CPU time per call, with overhead, of those of which it was measured
	// Long is what is kept of CPUNS when the launch has ended: what long calls add to the mean of all batches beyond what
	// they add to that of the kept ones, as a multiple of the usual CPU time.
	Long float64 `msgpack:"-"`
	// Slower is by how much the others of them took longer than usual, as a share: what neighbours of the core do to calls.
	Slower float64 `msgpack:"-"`
}

// MostApart is the number of batches of a launch that are kept although they were set apart.
const MostApart = 200

// HexagonCounts are what an emulator of Qualcomm's processor Hexagon has counted in a call. They are not times: a packet
// is a group of up to four instructions that begin together, and an emulator knows no stalls and no caches. They are
// equal in every call.
type HexagonCounts struct {
	Packets, Instructions int64
	VectorInstructions    int64 // those for the vector unit, HVX
}

// Canary holds the results of the probes between batches, of one launch or of all.
type Canary struct {
	Batches, Quiet int64 // with probes around them; if there are none, the canary does not apply, and Why says why
	// Core, Slow and Interrupted count the batches that were not quiet: the core was shared, its clock was low, or the
	// thread lost it.
	Core, Slow, Interrupted int64
	Caches                  int64   // batches during which others used the caches beyond the core's own
	Ports                   float64 // best level, in cycles of a round of the probe; 0: too few probes to tell
	KeptPorts               float64 // median level around the kept batches
	GHz                     float64 // median clock of the core around the kept batches, or by counted cycles
	Why                     string
	// Memory is the best level of the probe of shared caches and memory, in nanoseconds; 0 if there were too few probes
	// to tell.
	Memory float64
	// OwnClock is the clock of the core during batches divided by that of scalar code next to them; 0: nobody has
	// looked.
	OwnClock float64
	// ScalarGHz is that clock of scalar code, which neighbours change and the function does not.
	ScalarGHz float64
	// Stops is by how much the host's stops of the guest lengthen batches of calls, as a fraction, by scalar code next to
	// them.
	Stops float64
}

// Disturbance describes why batches were not quiet.
func (c Canary) Disturbance() string {
	if c.Batches == 0 {
		return "other work took the CPU"
	}
	text, separator := fmt.Sprintf("%d of %d batches were quiet", c.Quiet, c.Batches), "; of the others, "
	for _, cause := range []struct {
		text    string
		batches int64
	}{
		{"the core was shared in %d", c.Core}, {"caches or memory in %d", c.Caches}, {"its clock changed in %d", c.Slow},
		{"other work took the CPU in %d", c.Interrupted},
	} {
		if cause.batches > 0 {
			text += separator + fmt.Sprintf(cause.text, cause.batches)
			separator = ", "
		}
	}
	return text
}

// QuietShare returns the share of quiet batches, as a record has it; nil if there are no batches.
func (c Canary) QuietShare() *float64 {
	if c.Batches <= 0 {
		return nil
	}
	return Recorded(float64(c.Quiet) / float64(c.Batches))
}

// CountSandboxNS is the name of the counter of the nanoseconds by which the sandbox lengthens a call.
const CountSandboxNS = "sandbox_ns"

// Count is the count of one counter per call.
type Count struct {
	Name    string
	PerCall float64
	Exact   bool // the same in every batch, or every launch
}

// Crash describes how native code ended the executor.
type Crash struct {
	Signal   string   // "SIGSEGV"; empty if the process exited by itself
	ExitCode int      // if Signal is empty
	Phase    string   // "prepare", "reference", "verify", "measure": what the executor was doing
	Stderr   []string // last lines
}

// Discarded counts batches that were measured but set apart, by reason.
type Discarded struct {
	// Disturbed counts the batches that were not quiet, if there was a canary, else those during which the thread was
	// switched out.
	Disturbed int64
	Warmup    int64 // before the times were steady
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

// AuditTrace fills the cost of the pass that timed the dispatches, from the summary and the profile.
func (r *Result) AuditTrace() {
	if r.Profile.Source == NoSource || !(r.CallNS > 0) || !(r.Summary.MedianNS > 0) {
		return
	}
	if r.Mode == Cold && r.Profile.Source == ByProfiler { // the profiled calls were warm, and the measured ones cold
		r.Notes = append(r.Notes, "the dispatches are those of warm calls: the profiler's calls take one set of inputs")
		return
	}
	r.TraceOverheadNS = r.CallNS - r.Summary.MedianNS
	r.TraceOverheadPercent = 100 * r.TraceOverheadNS / r.Summary.MedianNS
}

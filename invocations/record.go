package invocations

import (
	"fmt"
	"maps"
	"math"

	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

// Record is the JSON shape of a journal's result line. A key whose value does not apply is absent, and a zero that is
// written was measured. Therefore every number is behind a pointer. Times are in nanoseconds per call, sizes in bytes.
type Record struct {
	// Kind is "result".
	Kind string `json:"kind"`
	// ID is the hash of everything that the measured number depends on. It is the same in each run.
	ID string `json:"id"`
	// Name is the name from the suite, or else the function's.
	Name string `json:"name"`
	// Group is shared by the variants that are compared.
	Group string `json:"group,omitempty"`

	RecordedSubject

	// Status tells how it ended: ok, mismatch, failed, crashed, timeout, out-of-memory or skipped.
	Status Status `json:"status"`
	// Error is the reason of every status but ok.
	Error string `json:"error,omitempty"`
	// Replaces is the id of an earlier result of the same invocation, which could not be described then. The earlier
	// result does not count any more.
	Replaces string `json:"replaces,omitempty"`
	// Crash tells how native code ended the executor.
	Crash *CrashRecord `json:"crash,omitempty"`
	// Verdicts say how far the times can be trusted: clean, or what was wrong.
	Verdicts []Verdict `json:"verdict,omitempty"`
	// Notes are sentences for people.
	Notes []string `json:"notes,omitempty"`
	// Properties are facts about the loaded artifact and the runtime, by the runtime's own keys.
	Properties map[string]string `json:"properties,omitempty"`

	RecordedRun
	RecordedCalls
	RecordedTimes
	RecordedBatches
	RecordedLaunches
	RecordedRates
	RecordedSandbox
	RecordedProfile
	RecordedSimulation

	// Command is the program with its arguments. It is absent for a function.
	Command []string `json:"command,omitempty"`

	// Model is the model whose program was measured, with its configuration and its parameters.
	Model string `json:"model,omitempty"`

	// Place is the position of the invocation in the order of the suite, from 0. Results come in another order.
	Place *int `json:"place,omitempty"`

	RecordedHosts

	// Dropped tells why the invocation was measured in few launches only: a race of its group has dropped it.
	Dropped *Dropped `json:"dropped,omitempty"`

	RecordedFirstCall
}

// RecordedSubject is what was called.
type RecordedSubject struct {
	// Runtime is the name of the runtime that ran it, such as hat or iree.
	Runtime string `json:"runtime"`
	// Artifact is the path of the file with the code.
	Artifact string `json:"artifact"`
	// SHA256 is the hash of that file.
	SHA256 string `json:"artifact_sha256,omitempty"`
	// Options are the options of the artifact, by the runtime's keys.
	Options map[string]string `json:"options,omitempty"`
	// Function is the function of the artifact.
	Function string `json:"function"`
	// Parameters are runtime sizes and scalars.
	Parameters map[string]string `json:"params,omitempty"`
	// Arguments are what the function was called with.
	Arguments []ArgumentRecord `json:"arguments,omitempty"`
}

// RecordedRun is how measuring went.
type RecordedRun struct {
	// Mode is the way of calling: warm, cold, flush or serialized.
	Mode Mode `json:"mode"`
	// Stop is the reason why measuring ended.
	Stop Stop `json:"stop,omitempty"`
	// Merged is the number of launches that count, or of rounds if one launch has several. If the last one failed, it is
	// the number of all that were made.
	Merged *int `json:"rounds,omitempty"`
	// SpentNS is the wall time of all launches together, each from the start of its executor to its result. It is not a
	// time of a call. It is absent if nothing was started.
	SpentNS *float64 `json:"spent_ns,omitempty"`
}

// RecordedCalls tells how many calls were timed, and how.
type RecordedCalls struct {
	// Iterations is the number of timed calls that count, including those whose times are not kept.
	Iterations *int64 `json:"iterations,omitempty"`
	// CallsPerBatch is the number of calls between two reads of the clock.
	CallsPerBatch *int64 `json:"calls_per_batch,omitempty"`
	// Sets is the number of argument sets.
	Sets *int `json:"sets,omitempty"`
	// SetBytes is the size of all of them together.
	SetBytes *int64 `json:"set_bytes,omitempty"`
	// WarmupCalls is the number of calls before the timed ones.
	WarmupCalls *int64 `json:"warmup_calls,omitempty"`
	// Restored is true if the arguments that calls change were restored before each call.
	Restored bool `json:"restored,omitempty"`
	// Reordered is true if random contents were put into another order before each call.
	Reordered bool `json:"reordered,omitempty"`
	// Clock is the clock that was read.
	Clock string `json:"clock,omitempty"`
}

// RecordedTimes are the times of a call, of all launches together.
type RecordedTimes struct {
	// MedianNS is the median over launches of the medians of their quiet batches, or of their means: see unevenness.
	MedianNS *float64 `json:"median_ns,omitempty"`
	// CILowNS begins the interval in which the median of a second run lies with 95 % confidence. A single launch has none.
	CILowNS *float64 `json:"ci_low_ns,omitempty"`
	// CIHighNS ends that interval.
	CIHighNS *float64 `json:"ci_high_ns,omitempty"`
	// MinNS is the time of the fastest batch.
	MinNS *float64 `json:"min_ns,omitempty"`
	// P90NS is the time that nine of ten batches stay below.
	P90NS *float64 `json:"p90_ns,omitempty"`
	// P99NS is the time that 99 of 100 batches stay below.
	P99NS *float64 `json:"p99_ns,omitempty"`
	// MeanNS is the mean of all batches.
	MeanNS *float64 `json:"mean_ns,omitempty"`
	// MADNS is the median absolute deviation of the batches.
	MADNS *float64 `json:"mad_ns,omitempty"`
	// CPUMedianNS is the median CPU time of the calling thread, the loop's included.
	CPUMedianNS *float64 `json:"cpu_median_ns,omitempty"`
	// RawMedianNS is the median with the loop's overhead, as the clock showed it.
	RawMedianNS *float64 `json:"raw_median_ns,omitempty"`
	// OverheadNS is the cost of the loop. It is already subtracted from all other times except the raw median and the
	// CPU times.
	OverheadNS *float64 `json:"overhead_ns,omitempty"`
	// Discarded is the number of batches that were set apart because something disturbed them. Without probes, only those
	// count during which the thread was switched out.
	Discarded *int64 `json:"discarded,omitempty"`
	// WarmupBatches is the number of batches that were set apart because times were not steady yet.
	WarmupBatches *int64 `json:"discarded_warmup,omitempty"`
}

// RecordedBatches are the single batches.
type RecordedBatches struct {
	// SamplesNS are the times of the kept batches without overhead, launch after launch. If there are very many, these are
	// some of them, evenly spread.
	SamplesNS []float64 `json:"samples_ns,omitempty"`
	// WallNS are the wall times of the rounds, if the user gave the number of calls.
	WallNS []float64 `json:"round_ns,omitempty"`
	// MergedSamples is the number of samples of each launch, or of each round, if there were several.
	MergedSamples []int `json:"round_samples,omitempty"`
	// MergedIterations is the number of timed calls of each launch, or of each round. It is absent if every one has
	// calls_per_batch calls for each of its samples.
	MergedIterations []int64 `json:"round_iterations,omitempty"`
	// CPUSamplesNS are CPU times with overhead, one for each sample.
	CPUSamplesNS []float64 `json:"cpu_samples_ns,omitempty"`

	// ApartNS are the times of batches that were set apart, without overhead. If there are very many, these are some of
	// them, evenly spread.
	ApartNS []float64 `json:"apart_ns,omitempty"`
	// ApartAfter is the number of kept batches before each batch of apart_ns.
	ApartAfter []int64 `json:"apart_after,omitempty"`
}

// RecordedRates are what a call computes and moves, and how fast.
type RecordedRates struct {
	// FLOP is the number of operations of a call, from the suite, or else from the runtime's own analysis.
	FLOP *float64 `json:"flop,omitempty"`
	// Bytes is the number of bytes that a call moves, from the same source.
	Bytes *float64 `json:"bytes,omitempty"`
	// FLOPPerS is the number of operations a second, by the median.
	FLOPPerS *float64 `json:"flop_per_s,omitempty"`
	// BytePerS is the number of bytes a second, by the median.
	BytePerS *float64 `json:"bytes_per_s,omitempty"`
}

// RecordedSandbox is the sandbox in which the calls were made.
type RecordedSandbox struct {
	// Layers are the layers of the sandbox that confined it.
	Layers []string `json:"layers,omitempty"`
	// SandboxProfile is the profile of the sandbox: plain or device.
	SandboxProfile string `json:"sandbox_profile,omitempty"`
	// SandboxAllowed are the devices, files and folders of the machine that the sandbox let it write.
	SandboxAllowed []string `json:"sandbox_allowed,omitempty"`
}

// RecordedSimulation is what simulators and emulators have counted.
type RecordedSimulation struct {
	// SimulatedCycles is the number of device cycles of a call by a simulator's counter. It is not a time, and it
	// never comes from real hardware.
	SimulatedCycles *int64 `json:"simulated_cycles,omitempty"`
	// SimulatedCores are the cores of a simulated chip in one of the calls.
	SimulatedCores []SimulatedCore `json:"simulated_cores,omitempty"`

	// HexagonPackets is the number of packets of a call, counted by an emulator of the processor Hexagon. It is not a
	// time.
	HexagonPackets *int64 `json:"hexagon_packets,omitempty"`
	// HexagonInstructions is the number of instructions of a call, counted in the same way.
	HexagonInstructions *int64 `json:"hexagon_instructions,omitempty"`
	// HexagonVectorInstructions is the number of HVX instructions among these.
	HexagonVectorInstructions *int64 `json:"hexagon_hvx_instructions,omitempty"`
}

// ArgumentRecord is the JSON shape of an Argument.
type ArgumentRecord struct {
	// Name is the argument's name.
	Name string `json:"name,omitempty"`
	// Element is the type of an element.
	Element ElementType `json:"element"`
	// Shape has the extents, the outermost first. It is absent for a scalar.
	Shape []int64 `json:"shape,omitempty"`
	// Strides are in elements. They are absent if the array is dense.
	Strides []int64 `json:"strides,omitempty"`
	// Offset is the offset of the first element, in elements.
	Offset int64 `json:"offset,omitempty"`
	// Extent is the expression of a size that the runtime passes.
	Extent string `json:"extent,omitempty"`
	// Usage is input, output or input_output.
	Usage Usage `json:"usage"`
	// ByValue is true if it is passed by value.
	ByValue bool `json:"by_value,omitempty"`
	// Callee is true if the function allocates it.
	Callee bool `json:"callee,omitempty"`
	// Contents are as suites write them: random, zeros, a number, a file.
	Contents string `json:"contents,omitempty"`
}

// CrashRecord is the JSON shape of a Crash.
type CrashRecord struct {
	// Signal is the name of the signal, such as SIGSEGV.
	Signal string `json:"signal,omitempty"`
	// ExitCode is absent if a signal ended the process.
	ExitCode *int `json:"exit_code,omitempty"`
	// Phase is what the executor was doing.
	Phase string `json:"phase,omitempty"`
	// Stderr are its last lines.
	Stderr []string `json:"stderr,omitempty"`
}

// DispatchRecord is the JSON shape of a Dispatch. Times that are not finite numbers are absent.
type DispatchRecord struct {
	// Name is the name of the code.
	Name string `json:"name"`
	// Ordinal is its place in the call, from 0.
	Ordinal int `json:"ordinal"`
	// Count is the number of issues that were seen.
	Count int64 `json:"count"`
	// MedianNS is the median time of one issue.
	MedianNS *float64 `json:"median_ns,omitempty"`
	// MinNS is the least time of one issue.
	MinNS *float64 `json:"min_ns,omitempty"`
	// TotalNS is the time of all issues.
	TotalNS *float64 `json:"total_ns,omitempty"`
	// P10NS is the time that a tenth of the issues stay below.
	P10NS *float64 `json:"p10_ns,omitempty"`
	// P90NS is the time that nine tenths of the issues stay below.
	P90NS *float64 `json:"p90_ns,omitempty"`
	// Workgroups is the number of workgroups of one issue. It is absent if it is not known.
	Workgroups int `json:"workgroups,omitempty"`
	// Threads is the number of threads that worked on it. It is absent if it is not known.
	Threads int `json:"threads,omitempty"`
	// SourceFile is where the zone was declared.
	SourceFile string `json:"source_file,omitempty"`
	// SourceLine is the line in that file.
	SourceLine int `json:"source_line,omitempty"`
	// Node is the node of an ONNX model from which the compiler made it. The compiler may have fused other nodes with it.
	Node string `json:"node,omitempty"`
	// FLOP is the number of operations of one issue, derived from the sizes in its name.
	FLOP *float64 `json:"flop_derived,omitempty"`
	// FLOPPerS is the number of operations a second, by that number.
	FLOPPerS *float64 `json:"flop_per_s_derived,omitempty"`
	// Allocations is the number of allocations of one issue. It is absent if there are none, or if it is not known.
	Allocations *float64 `json:"allocations,omitempty"`
	// PeakBytes is the most memory that they took at once.
	PeakBytes int64 `json:"peak_bytes,omitempty"`
	// StackBytes is what one issue took of the stack.
	StackBytes int64 `json:"stack_bytes,omitempty"`
}

// measured returns parameters with the values with which was measured.
func (r *Result) measured(asked map[string]string) map[string]string {
	taken := asked
	for name, value := range r.Parameters {
		if _, known := asked[name]; !known {
			continue
		}
		if len(taken) == len(asked) && maps.Equal(taken, asked) {
			taken = maps.Clone(asked) // it is shared
		}
		taken[name] = value
	}
	return taken
}

// NewRecord makes the record of an invocation and its result. It shares slices and maps with both. Measured numbers that
// are not whole have nine significant digits. Samples that are not finite are left out, with a note, and the summary is
// computed again without them. Otherwise median and intervals are the result's, and so is the rest of the summary, unless
// there are few samples: then it is that of the recorded digits.
func NewRecord(inv Invocation, res Result) Record {
	r := Record{
		Kind: ResultKind, ID: inv.ID, Name: inv.Name, Group: inv.Group,
		RecordedSubject: RecordedSubject{
			Runtime: inv.Runtime, Artifact: inv.Artifact.Path, SHA256: inv.Artifact.SHA256, Options: inv.Artifact.Options,
			Function: inv.Function, Parameters: res.measured(inv.Parameters),
		},
		RecordedSandbox: RecordedSandbox{
			Layers: res.Layers, SandboxProfile: res.SandboxProfile, SandboxAllowed: res.SandboxAllowed,
		},
		Status: res.Status, Error: res.Error, Verdicts: res.Verdicts, Notes: res.Notes, Properties: res.Properties,
		RecordedRun: RecordedRun{Mode: res.Mode, Stop: res.Stop}, Command: inv.Command, Model: inv.Model,
	}
	if r.Mode == "" { // the executor died before it reported the mode
		r.Mode = inv.Measure.Mode
	}
	for _, a := range inv.Arguments {
		r.Arguments = append(r.Arguments, newArgumentRecord(a))
	}
	if c := res.Crash; c != nil {
		r.Crash = &CrashRecord{Signal: c.Signal, Phase: c.Phase, Stderr: c.Stderr}
		if c.Signal == "" {
			r.Crash.ExitCode = &c.ExitCode
		}
	}
	if res.Merged > 0 {
		r.Merged = &res.Merged
	}
	if res.SpentNS > 0 {
		r.SpentNS = Recorded(float64(res.SpentNS/1000) * 1000) // microseconds say enough
	}
	r.Dropped = res.Dropped.recorded()
	r.addTimes(res)
	r.addLaunches(res)
	if p := inv.Measure.Placement; p != Vary && r.Timed() {
		r.Placement = p
	}
	r.addDispatches(res)
	r.addRates(inv, res)
	if res.SimulatedCycles > 0 {
		r.SimulatedCycles = &res.SimulatedCycles
	}
	r.SimulatedCores = res.SimulatedCores
	if h := res.Hexagon; h != nil {
		r.HexagonPackets, r.HexagonInstructions, r.HexagonVectorInstructions = &h.Packets, &h.Instructions, &h.VectorInstructions
	}
	return r
}

// addTimes fills the fields of a timed invocation. It fills none if the invocation was not timed.
func (r *Record) addTimes(res Result) {
	if len(res.SamplesNS) == 0 && res.Discarded == (Discarded{}) {
		return
	}
	r.Discarded, r.WarmupBatches = &res.Discarded.Disturbed, &res.Discarded.Warmup
	r.Iterations, r.CallsPerBatch, r.WarmupCalls = &res.Iterations, &res.CallsPerBatch, &res.WarmupCalls
	r.Sets, r.SetBytes, r.Clock = &res.Sets, &res.SetBytes, res.Clock
	r.Restored, r.Reordered, r.ReadsClock = res.Restored, res.Reordered, res.ReadsClock
	if res.LongFirst() {
		r.FirstCallNS = Recorded(res.FirstNS)
	}
	r.OverheadNS = Recorded(res.OverheadNS)
	if len(res.SamplesNS) == 0 { // every batch was set apart
		return
	}
	s := res.Summary
	r.SamplesNS = r.onlyFinite("samples_ns", res.SamplesNS)
	if len(r.SamplesNS) == len(res.SamplesNS) {
		r.MergedSamples = res.MergedSamples
		r.addIterations(res)
		if ns := r.onlyFinite("apart_ns", res.Apart.NS); len(ns) == len(res.Apart.After) {
			r.ApartNS, r.ApartAfter = ns, res.Apart.After
		}
	}
	r.WallNS = r.onlyFinite("round_ns", res.RoundsNS)
	r.CPUSamplesNS = r.onlyFinite("cpu_samples_ns", res.CPUSamplesNS)
	if len(r.SamplesNS) < len(res.SamplesNS) || len(r.CPUSamplesNS) < len(res.CPUSamplesNS) {
		s = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	} else if len(r.SamplesNS) < FewBatches { // so that they follow from what is recorded, to the last digit
		few := stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
		few.MedianNS, few.CILowNS, few.CIHighNS = s.MedianNS, s.CILowNS, s.CIHighNS
		s = few
	}
	if len(r.SamplesNS) == 0 {
		return
	}
	r.MedianNS = Recorded(s.MedianNS)
	if res.Spread == nil || res.Spread.hasInterval() {
		r.CILowNS, r.CIHighNS = Recorded(s.CILowNS), Recorded(s.CIHighNS)
	}
	r.MinNS, r.P90NS, r.P99NS = Recorded(s.MinNS), Recorded(s.P90NS), Recorded(s.P99NS)
	r.MeanNS, r.MADNS = Recorded(s.MeanNS), Recorded(s.MADNS)
	if r.MedianNS != nil && r.OverheadNS != nil {
		r.RawMedianNS = Recorded(*r.MedianNS + *r.OverheadNS)
	}
	if len(r.CPUSamplesNS) > 0 {
		r.CPUMedianNS = Recorded(s.CPUMedianNS)
	}
}

// addIterations fills the numbers of calls of launches, unless they follow from the numbers of samples.
func (r *Record) addIterations(res Result) {
	if len(res.MergedIterations) != len(r.MergedSamples) {
		return
	}
	for i, n := range r.MergedSamples {
		if res.MergedIterations[i] != int64(n)*res.CallsPerBatch {
			r.MergedIterations = res.MergedIterations
			return
		}
	}
}

func (r *Record) addDispatches(res Result) {
	p := &res.Profile
	if p.Source == NoSource {
		return
	}
	r.DispatchSource = p.Source
	for _, d := range p.Dispatches {
		record := DispatchRecord{
			Name: d.Name, Ordinal: d.Ordinal, Count: d.Count,
			MedianNS: Recorded(d.MedianNS), MinNS: Recorded(d.MinNS), TotalNS: Recorded(d.TotalNS),
			Workgroups: d.Workgroups, Threads: d.Threads, SourceFile: d.SourceFile, SourceLine: d.SourceLine,
			Node:      d.Node,
			PeakBytes: d.PeakBytes, StackBytes: d.StackBytes,
		}
		if d.P90NS > 0 {
			record.P10NS, record.P90NS = Recorded(d.P10NS), Recorded(d.P90NS)
		}
		if d.Allocations > 0 {
			record.Allocations = Recorded(d.Allocations)
		}
		if flop, ok := ContractionFLOP(d.Name); ok && d.MedianNS > 0 {
			record.FLOP, record.FLOPPerS = &flop, Recorded(flop/d.MedianNS*1e9)
		}
		r.Dispatches = append(r.Dispatches, record)
	}
	r.TracedCalls = p.Calls
	r.HostNS, r.GapNS = Recorded(p.HostNS), Recorded(p.GapNS)
	r.TracedNS, r.UnexplainedNS = Recorded(p.CallNS), Recorded(p.UnexplainedNS)
	if p.DeviceNS > 0 {
		r.DeviceNS = Recorded(p.DeviceNS)
	}
	if p.Made > 0 {
		r.DispatchCalls, r.DispatchQuietShare = &p.Made, Recorded(float64(p.Quiet)/float64(p.Made))
	}
	r.DispatchContended = p.Contended
	if res.TraceOverheadNS != 0 {
		r.TraceOverheadNS, r.TraceOverheadPercent = Recorded(res.TraceOverheadNS), Recorded(res.TraceOverheadPercent)
	}
}

// addRates fills the rates per second, from the counts of the suite, or else of the runtime.
func (r *Record) addRates(inv Invocation, res Result) {
	for _, rate := range []struct {
		count         float64
		of, perSecond **float64
	}{{known(inv.FLOP, res.FLOP), &r.FLOP, &r.FLOPPerS}, {known(inv.Bytes, res.Bytes), &r.Bytes, &r.BytePerS}} {
		if !(rate.count > 0) || Recorded(rate.count) == nil {
			continue
		}
		*rate.of = &rate.count
		if r.MedianNS != nil && *r.MedianNS > 0 {
			*rate.perSecond = Recorded(rate.count / *r.MedianNS * 1e9)
		}
	}
}

// known returns what the user gave, or else what the runtime found.
func known(said, found float64) float64 {
	if said > 0 {
		return said
	}
	return found
}

func newArgumentRecord(a Argument) ArgumentRecord {
	return ArgumentRecord{
		Name: a.Name, Element: a.Element, Shape: a.Shape, Strides: a.Strides, Offset: a.Offset, Extent: a.Extent,
		Usage: a.Usage, ByValue: a.ByValue, Callee: a.Callee, Contents: a.Contents.String(),
	}
}

// Recorded returns a pointer to v with the digits of a record, or nil if JSON cannot hold v.
func Recorded(v float64) *float64 { return Finite(figures.Rounded(v)) }

// Finite returns a pointer to a number for documents: nil, which leaves it out, if JSON cannot write it.
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// onlyFinite returns the finite numbers of x with the digits of a record, and adds a note with the number of the others.
// It returns nil if x is empty.
func (r *Record) onlyFinite(key string, x []float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	kept := make([]float64, 0, len(x))
	for _, v := range x {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			kept = append(kept, figures.Rounded(v))
		}
	}
	if len(kept) == len(x) {
		return kept
	}
	note := fmt.Sprintf("%d of %d values of %s were not finite numbers and are left out", len(x)-len(kept), len(x), key)
	r.Notes = append(r.Notes[:len(r.Notes):len(r.Notes)], note)
	return kept
}

// Timed reports whether the record holds a time.
func (r *Record) Timed() bool { return r.MedianNS != nil && len(r.SamplesNS) > 0 }

// Summary returns the summary in the record. It returns the zero value if the record holds no time.
func (r *Record) Summary() stats.Summary {
	if !r.Timed() {
		return stats.Summary{}
	}
	return stats.Summary{
		N: len(r.SamplesNS), MedianNS: *r.MedianNS, CILowNS: value(r.CILowNS), CIHighNS: value(r.CIHighNS),
		MinNS: value(r.MinNS), P90NS: value(r.P90NS), P99NS: value(r.P99NS),
		MeanNS: value(r.MeanNS), MADNS: value(r.MADNS), CPUMedianNS: value(r.CPUMedianNS),
	}
}

func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

// MergedNS returns SamplesNS cut into those of each launch, or of each round if one launch has several. One that kept no
// batch is empty. It returns nil if the record does not say where they end, or if that does not fit the samples. The
// slices share memory with SamplesNS.
func (r *Record) MergedNS() [][]float64 { return r.cut(r.SamplesNS) }

// MergedCPUNS cuts CPUSamplesNS as MergedNS cuts SamplesNS.
func (r *Record) MergedCPUNS() [][]float64 { return r.cut(r.CPUSamplesNS) }

func (r *Record) cut(samples []float64) [][]float64 {
	if len(r.MergedSamples) == 0 {
		return nil
	}
	rest := samples
	parts := make([][]float64, len(r.MergedSamples))
	for i, n := range r.MergedSamples {
		if n < 0 || n > len(rest) {
			return nil
		}
		parts[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return nil
	}
	return parts
}

// MergedMediansNS returns the medians of what MergedNS returns, NaN for one that kept no batch. It returns nil if
// MergedNS does.
func (r *Record) MergedMediansNS() []float64 {
	parts := r.MergedNS()
	if parts == nil {
		return nil
	}
	medians := make([]float64, len(parts))
	for i, samples := range parts {
		medians[i] = stats.Median(samples)
	}
	return medians
}

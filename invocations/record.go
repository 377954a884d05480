package invocations

import (
	"fmt"
	"math"

	"zonemark/driver/stats"
)

// Record is the JSON shape of a journal's result line. A key whose value does not apply is absent, and a zero that is
// written was measured. Therefore every number is behind a pointer. Times are in nanoseconds per call, sizes in bytes.
type Record struct {
	Kind       string            `json:"kind"` // ResultKind
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Group      string            `json:"group,omitempty"`
	Runtime    string            `json:"runtime"`
	Artifact   string            `json:"artifact"`
	SHA256     string            `json:"artifact_sha256,omitempty"`
	Options    map[string]string `json:"options,omitempty"` // of the artifact, by the runtime's keys
	Function   string            `json:"function"`
	Parameters map[string]string `json:"params,omitempty"`
	Arguments  []ArgumentRecord  `json:"arguments,omitempty"`
	Status     Status            `json:"status"`
	Error      string            `json:"error,omitempty"`
	Crash      *CrashRecord      `json:"crash,omitempty"`
	Verdicts   []Verdict         `json:"verdict,omitempty"`
	Notes      []string          `json:"notes,omitempty"`
	// Properties are those of the loaded artifact and of the runtime, by the runtime's own keys.
	Properties map[string]string `json:"properties,omitempty"`

	Mode          Mode     `json:"mode"`
	Stop          Stop     `json:"stop,omitempty"`
	Rounds        *int     `json:"rounds,omitempty"`
	Iterations    *int64   `json:"iterations,omitempty"`
	CallsPerBatch *int64   `json:"calls_per_batch,omitempty"`
	Sets          *int     `json:"sets,omitempty"`
	SetBytes      *int64   `json:"set_bytes,omitempty"`
	WarmupCalls   *int64   `json:"warmup_calls,omitempty"`
	Clock         string   `json:"clock,omitempty"`
	MedianNS      *float64 `json:"median_ns,omitempty"`
	CILowNS       *float64 `json:"ci_low_ns,omitempty"`
	CIHighNS      *float64 `json:"ci_high_ns,omitempty"`
	MinNS         *float64 `json:"min_ns,omitempty"`
	P90NS         *float64 `json:"p90_ns,omitempty"`
	P99NS         *float64 `json:"p99_ns,omitempty"`
	MeanNS        *float64 `json:"mean_ns,omitempty"`
	MADNS         *float64 `json:"mad_ns,omitempty"`
	CPUMedianNS   *float64 `json:"cpu_median_ns,omitempty"`
	RawMedianNS   *float64 `json:"raw_median_ns,omitempty"` // MedianNS + OverheadNS, as the clock showed it
	// OverheadNS is already subtracted from all other times except RawMedianNS and the CPU times.
	OverheadNS    *float64 `json:"overhead_ns,omitempty"`
	Discarded     *int64   `json:"discarded,omitempty"` // batches set apart because the thread was switched out
	WarmupBatches *int64   `json:"discarded_warmup,omitempty"`

	SamplesNS []float64 `json:"samples_ns,omitempty"` // without overhead, one for each kept batch, round after round
	// WallNS is the wall time of each round, if the number of calls was given.
	WallNS []float64 `json:"round_ns,omitempty"`
	// RoundSamples is the number of SamplesNS of each round, if there was more than one round.
	RoundSamples []int     `json:"round_samples,omitempty"`
	CPUSamplesNS []float64 `json:"cpu_samples_ns,omitempty"` // with overhead, one for each of SamplesNS

	RecordedLaunches

	FLOP     *float64 `json:"flop,omitempty"`  // of a call, from the suite, else from the runtime's own analysis
	Bytes    *float64 `json:"bytes,omitempty"` // of a call, from the same source
	FLOPPerS *float64 `json:"flop_per_s,omitempty"`
	BytePerS *float64 `json:"bytes_per_s,omitempty"`

	Layers               []string         `json:"layers,omitempty"`
	Dispatches           []DispatchRecord `json:"dispatches,omitempty"`
	HostNS               *float64         `json:"host_ns,omitempty"`
	GapNS                *float64         `json:"gap_ns,omitempty"`
	TraceOverheadPercent *float64         `json:"trace_overhead_percent,omitempty"`
	DispatchSource       DispatchSource   `json:"dispatch_source,omitempty"`
	// TracedNS is the median wall time of a call under the profiler or tracer.
	TracedNS        *float64 `json:"traced_ns,omitempty"`
	UnexplainedNS   *float64 `json:"unexplained_ns,omitempty"`
	TraceOverheadNS *float64 `json:"trace_overhead_ns,omitempty"`

	// SimulatedCycles is the number of device cycles of a call by a simulator's counter. It is not a time, and it never
	// comes from real hardware.
	SimulatedCycles *int64 `json:"simulated_cycles,omitempty"`

	// These are counts of a call by an emulator of the processor Hexagon; see HexagonCounts. They are not times.
	HexagonPackets            *int64 `json:"hexagon_packets,omitempty"`
	HexagonInstructions       *int64 `json:"hexagon_instructions,omitempty"`
	HexagonVectorInstructions *int64 `json:"hexagon_hvx_instructions,omitempty"`
}

// ArgumentRecord is the JSON shape of an Argument.
type ArgumentRecord struct {
	Name     string      `json:"name,omitempty"`
	Element  ElementType `json:"element"`
	Shape    []int64     `json:"shape,omitempty"`
	Strides  []int64     `json:"strides,omitempty"`
	Offset   int64       `json:"offset,omitempty"`
	Extent   string      `json:"extent,omitempty"`
	Usage    Usage       `json:"usage"`
	ByValue  bool        `json:"by_value,omitempty"`
	Callee   bool        `json:"callee,omitempty"`
	Contents string      `json:"contents,omitempty"` // as ParseContents reads it
}

// CrashRecord is the JSON shape of a Crash.
type CrashRecord struct {
	Signal   string   `json:"signal,omitempty"`
	ExitCode *int     `json:"exit_code,omitempty"` // absent if a signal ended the process
	Phase    string   `json:"phase,omitempty"`
	Stderr   []string `json:"stderr,omitempty"`
}

// DispatchRecord is the JSON shape of a Dispatch. Times that are not finite numbers are absent.
type DispatchRecord struct {
	Name       string   `json:"name"`
	Ordinal    int      `json:"ordinal"`
	Count      int64    `json:"count"`
	MedianNS   *float64 `json:"median_ns,omitempty"`
	MinNS      *float64 `json:"min_ns,omitempty"`
	TotalNS    *float64 `json:"total_ns,omitempty"`
	Workgroups int      `json:"workgroups,omitempty"` // 0, absent: not known
	Threads    int      `json:"threads,omitempty"`    // 0, absent: not known
	SourceFile string   `json:"source_file,omitempty"`
	SourceLine int      `json:"source_line,omitempty"`
	FLOP       *float64 `json:"flop_derived,omitempty"` // of one issue, derived from the name: see ContractionFLOP
	FLOPPerS   *float64 `json:"flop_per_s_derived,omitempty"`
	// What one issue allocates: see Dispatch. Absent where it is nothing, or not known.
	Allocations *float64 `json:"allocations,omitempty"`
	PeakBytes   int64    `json:"peak_bytes,omitempty"`
	StackBytes  int64    `json:"stack_bytes,omitempty"`
}

// NewRecord makes the record of an invocation and its result. It shares slices and maps with both. Measured numbers that
// are not whole have nine significant digits. Samples that are not finite are left out, with a note, and the summary is
// computed again without them. Otherwise the summary is the result's.
func NewRecord(inv Invocation, res Result) Record {
	r := Record{
		Kind: ResultKind, ID: inv.ID, Name: inv.Name, Group: inv.Group, Runtime: inv.Runtime,
		Artifact: inv.Artifact.Path, SHA256: inv.Artifact.SHA256, Options: inv.Artifact.Options, Function: inv.Function,
		Parameters: inv.Parameters,
		Status:     res.Status, Error: res.Error, Verdicts: res.Verdicts, Notes: res.Notes, Properties: res.Properties,
		Mode: res.Mode, Stop: res.Stop, Layers: res.Layers,
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
	if res.Rounds > 0 {
		r.Rounds = &res.Rounds
	}
	r.addTimes(res)
	r.addLaunches(res)
	r.addDispatches(res)
	r.addRates(inv, res)
	if res.SimulatedCycles > 0 {
		r.SimulatedCycles = &res.SimulatedCycles
	}
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
	r.Discarded, r.WarmupBatches = &res.Discarded.Switched, &res.Discarded.Warmup
	r.Iterations, r.CallsPerBatch, r.WarmupCalls = &res.Iterations, &res.CallsPerBatch, &res.WarmupCalls
	r.Sets, r.SetBytes, r.Clock = &res.Sets, &res.SetBytes, res.Clock
	r.OverheadNS = finite(res.OverheadNS)
	if len(res.SamplesNS) == 0 { // every batch was set apart
		return
	}
	s := res.Summary
	r.SamplesNS = r.onlyFinite("samples_ns", res.SamplesNS)
	if len(r.SamplesNS) == len(res.SamplesNS) {
		r.RoundSamples = res.RoundSamples
	}
	r.WallNS = r.onlyFinite("round_ns", res.RoundsNS)
	r.CPUSamplesNS = r.onlyFinite("cpu_samples_ns", res.CPUSamplesNS)
	if len(r.SamplesNS) < len(res.SamplesNS) || len(r.CPUSamplesNS) < len(res.CPUSamplesNS) {
		s = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	}
	if len(r.SamplesNS) == 0 {
		return
	}
	r.MedianNS, r.CILowNS, r.CIHighNS = finite(s.MedianNS), finite(s.CILowNS), finite(s.CIHighNS)
	r.MinNS, r.P90NS, r.P99NS = finite(s.MinNS), finite(s.P90NS), finite(s.P99NS)
	r.MeanNS, r.MADNS = finite(s.MeanNS), finite(s.MADNS)
	r.RawMedianNS = finite(s.MedianNS + res.OverheadNS)
	if len(r.CPUSamplesNS) > 0 {
		r.CPUMedianNS = finite(s.CPUMedianNS)
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
			MedianNS: finite(d.MedianNS), MinNS: finite(d.MinNS), TotalNS: finite(d.TotalNS),
			Workgroups: d.Workgroups, Threads: d.Threads, SourceFile: d.SourceFile, SourceLine: d.SourceLine,
			PeakBytes: d.PeakBytes, StackBytes: d.StackBytes,
		}
		if d.Allocations > 0 {
			record.Allocations = finite(d.Allocations)
		}
		if flop, ok := ContractionFLOP(d.Name); ok && d.MedianNS > 0 {
			record.FLOP, record.FLOPPerS = &flop, finite(flop/d.MedianNS*1e9)
		}
		r.Dispatches = append(r.Dispatches, record)
	}
	r.HostNS, r.GapNS = finite(p.HostNS), finite(p.GapNS)
	r.TracedNS, r.UnexplainedNS = finite(p.CallNS), finite(p.UnexplainedNS)
	if res.TraceOverheadNS != 0 {
		r.TraceOverheadNS, r.TraceOverheadPercent = finite(res.TraceOverheadNS), finite(res.TraceOverheadPercent)
	}
}

// addRates fills the rates per second, from the counts of the suite, or else of the runtime.
func (r *Record) addRates(inv Invocation, res Result) {
	for _, rate := range []struct {
		count         float64
		of, perSecond **float64
	}{{known(inv.FLOP, res.FLOP), &r.FLOP, &r.FLOPPerS}, {known(inv.Bytes, res.Bytes), &r.Bytes, &r.BytePerS}} {
		if !(rate.count > 0) || finite(rate.count) == nil {
			continue
		}
		*rate.of = &rate.count
		if r.MedianNS != nil && *r.MedianNS > 0 {
			*rate.perSecond = finite(rate.count / *r.MedianNS * 1e9)
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

// finite returns a pointer to v with the digits of a record, or nil if JSON cannot hold v.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	v = rounded(v)
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
			kept = append(kept, rounded(v))
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

// RoundsNS returns SamplesNS cut into rounds. A round that kept no batch is empty. It returns nil if the record does
// not say where rounds end, or if that does not fit the samples. The slices share memory with SamplesNS.
func (r *Record) RoundsNS() [][]float64 { return r.cut(r.SamplesNS) }

// RoundsCPUNS cuts CPUSamplesNS as RoundsNS cuts SamplesNS.
func (r *Record) RoundsCPUNS() [][]float64 { return r.cut(r.CPUSamplesNS) }

func (r *Record) cut(samples []float64) [][]float64 {
	if len(r.RoundSamples) == 0 {
		return nil
	}
	rest := samples
	rounds := make([][]float64, len(r.RoundSamples))
	for i, n := range r.RoundSamples {
		if n < 0 || n > len(rest) {
			return nil
		}
		rounds[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return nil
	}
	return rounds
}

// RoundMediansNS returns the median of each round, NaN for a round that kept no batch. It returns nil if RoundsNS does.
func (r *Record) RoundMediansNS() []float64 {
	rounds := r.RoundsNS()
	if rounds == nil {
		return nil
	}
	medians := make([]float64, len(rounds))
	for i, samples := range rounds {
		medians[i] = stats.Median(samples)
	}
	return medians
}

package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// RunRecord is an entry of the file of records. Every key except Zonemark has the name and the meaning that it has in
// PyBuda's benchmark.
type RunRecord struct {
	TotalTime float64 `json:"total_time"` // seconds; see Definition
	// TotalSamples is loop_count × microbatch × chips; for generative models also × the tokens of an execution.
	TotalSamples  int64   `json:"total_samples"`
	SamplesPerSec float64 `json:"samples_per_sec"` // TotalSamples / TotalTime
	Args          Options `json:"args"`
	Arch          string  `json:"arch"` // architecture of the device
	MachineName   string  `json:"machine_name"`
	Error         string  `json:"error,omitempty"` // set if the benchmark failed; the numbers above are 0 then
	Hash          string  `json:"hash"`            // revision of zonemark's sources
	Date          string  `json:"date"`            // of the run, yy-mm-dd
	Zonemark      Details `json:"zonemark"`
}

// Details is what zonemark adds to a record. A key is absent if it does not apply or a failed benchmark did not reach
// it. Keys that end in _ns are times in nanoseconds.
type Details struct {
	Version    string    `json:"version"` // of zonemark
	Runtime    string    `json:"runtime"` // that ran the model
	Started    time.Time `json:"started"`
	Command    []string  `json:"command"`
	Definition string    `json:"definition"` // of the times
	// NotApplied tells why a flag has no effect, by the flag's name in args.
	NotApplied map[string]string `json:"not_applied,omitempty"`
	Notes      []string          `json:"notes,omitempty"` // facts that matter to readers of the numbers

	Environment map[string]string `json:"environment,omitempty"` // fingerprint of the machine
	Device      *DeviceRecord     `json:"device,omitempty"`
	Model       *ModelRecord      `json:"model,omitempty"`

	// The measurements of all modules together; RunRecord has the end-to-end numbers.
	TotalTimes []float64        `json:"total_times,omitempty"`            // seconds, of each repetition
	Iteration  *IterationRecord `json:"iteration,omitempty"`              // single executions
	SteadyRate float64          `json:"steady_samples_per_sec,omitempty"` // see SteadyDefinition
	// FLOPPerSec is the rate of the device's module on all chips: its flop divided by the time of its median iteration.
	FLOPPerSec float64 `json:"flop_per_s,omitempty"`
	// Verdicts are the flaws that were found in any module, or "clean".
	Verdicts  []invocations.Verdict `json:"verdict,omitempty"`
	CompileMS float64               `json:"compile_ms,omitempty"` // of all modules, milliseconds
	// BuildMS is the time in milliseconds to find, or build, the modules' programs before anything is loaded.
	BuildMS float64 `json:"build_ms,omitempty"`
	// Compiled counts the modules whose programs were compiled before; compile_ms holds what that took then.
	Compiled int `json:"compiled_before,omitempty"`
	// ExportS is the time in seconds to export the model; absent if it was in the cache.
	ExportS      float64        `json:"export_s,omitempty"`
	ExportCached bool           `json:"export_cached,omitempty"`
	Modules      []ModuleRecord `json:"modules,omitempty"`
	// Pipelined has the time of the modules at work at the same time. It is absent if there is only one, or if a note tells
	// why they cannot.
	Pipelined *PipelinedRecord `json:"pipelined,omitempty"`
	Trace     *TraceRecord     `json:"trace,omitempty"`
	// Beside compares the runtimes that the benchmark named, if there are several. It is the same in the record of each,
	// on one host.
	Beside *Beside `json:"beside,omitempty"`
	// Hosts compares the hosts that measured (--spread). It is the same in the record of each, on one runtime.
	Hosts *Hosts `json:"hosts,omitempty"`
}

// DeviceRecord describes the device that was found.
type DeviceRecord struct {
	Plugin    string `json:"plugin"` // file name of the PJRT plugin, or the version of another runtime
	Platform  string `json:"platform"`
	Kind      string `json:"kind,omitempty"`
	Chips     int    `json:"chips"` // chips that ran the program
	Available int    `json:"available"`
}

// ModelRecord describes the model that was exported.
type ModelRecord struct {
	Parameters     int64             `json:"parameters"`
	WeightsBytes   int64             `json:"weights_bytes"`
	FLOP           float64           `json:"flop,omitempty"` // of one execution of the device's module on one chip
	DType          string            `json:"dtype"`
	EmulatedFormat string            `json:"emulated_format,omitempty"` // if set, times are those of the emulation
	Accuracy       *Accuracy         `json:"accuracy,omitempty"`        // of the emulated format
	Tokens         int64             `json:"tokens_per_iteration,omitempty"`
	Generator      map[string]string `json:"generator,omitempty"`
}

// IterationRecord summarizes the times of iterations. The time of an iteration is the sum over all modules.
type IterationRecord struct {
	N        int     `json:"n"`
	MedianNS float64 `json:"median_ns"`
	CILowNS  float64 `json:"ci_low_ns"` // 95 % confidence interval of the median, between repetitions
	CIHighNS float64 `json:"ci_high_ns"`
	MinNS    float64 `json:"min_ns"`
	P90NS    float64 `json:"p90_ns"`
	P99NS    float64 `json:"p99_ns"`
	MeanNS   float64 `json:"mean_ns"`
	MADNS    float64 `json:"mad_ns"`
}

// ModuleRecord is one module. It has everything that zonemark's journals hold for an invocation, including the time of
// every iteration.
type ModuleRecord struct {
	Role string `json:"role"`
	invocations.Record
}

// Calls returns the number of timed calls, also of those whose times are not kept.
func (m *ModuleRecord) Calls() int64 {
	if m.Iterations == nil { // a record of an earlier version
		return int64(len(m.SamplesNS))
	}
	return *m.Iterations
}

// TotalNS returns the time of all timed calls; of those whose times are not kept, it is taken from the others.
func (m *ModuleRecord) TotalNS() float64 {
	total := 0.0
	for _, ns := range m.SamplesNS {
		total += ns
	}
	if n := len(m.SamplesNS); n > 0 && int64(n) != m.Calls() {
		total *= float64(m.Calls()) / float64(n)
	}
	return total
}

// TraceRecord tells where time went, in the finest detail that the device offers.
type TraceRecord struct {
	Level string `json:"level"` // the requested level
	// Source is "modules" (times of modules), "profile" (the plugin's profiler) or "tt-metal" (tables of its device
	// profiler).
	Source  string     `json:"source"`
	Partial bool       `json:"partial,omitempty"`
	Rows    []TraceRow `json:"rows"`
}

// TraceRow is a module or an operation of a module.
type TraceRow struct {
	Name     string  `json:"name"`
	Calls    int64   `json:"calls"`
	PerLoop  float64 `json:"calls_per_iteration"`
	MedianNS float64 `json:"median_ns"`
	TotalNS  float64 `json:"total_ns"`
}

// SetModel fills in what an export tells about the model.
func (r *RunRecord) SetModel(x Export) {
	m := x.Manifest
	r.Args.Config, r.Args.Microbatch, r.Args.Generative = m.Config, m.Microbatch, m.Generative
	r.Zonemark.Model = &ModelRecord{
		Parameters: m.Parameters, WeightsBytes: m.WeightsBytes, FLOP: m.FLOP, DType: m.DType,
		EmulatedFormat: m.EmulatedFormat, Accuracy: m.Accuracy,
		Tokens: m.Tokens, Generator: m.Generator,
	}
	r.Zonemark.ExportS, r.Zonemark.ExportCached = x.Took.Seconds(), x.Cached
	for flag, why := range m.NotApplied {
		r.NotApplied(flag, why)
	}
	if m.EmulatedFormat != "" {
		r.Note("the speed is that of rounding to %s in software, and says nothing of a device that has it; "+
			"its accuracy is what is meaningful", m.EmulatedFormat)
	}
}

// SetDevice fills in the device.
func (r *RunRecord) SetDevice(d Device) {
	r.Arch = d.Arch()
	r.Zonemark.Device = &DeviceRecord{d.Plugin, d.Platform, d.Kind, d.Chips, d.Available}
}

// NotApplied records why a flag has no effect.
func (r *RunRecord) NotApplied(flag, why string) {
	if r.Zonemark.NotApplied == nil {
		r.Zonemark.NotApplied = map[string]string{}
	}
	r.Zonemark.NotApplied[flag] = why
}

// Note adds a note.
func (r *RunRecord) Note(format string, args ...any) {
	r.Zonemark.Notes = append(r.Zonemark.Notes, fmt.Sprintf(format, args...))
}

// OnDevice reports whether the times are those of calls that begin and end with data on the device.
func (r *RunRecord) OnDevice() bool {
	return strings.HasPrefix(r.Zonemark.Definition, OnDeviceDefinition)
}

// Fail turns the record into the record of a failure.
func (r *RunRecord) Fail(err error) {
	r.TotalTime, r.TotalSamples, r.SamplesPerSec = 0, 0, 0
	r.Error = err.Error()
}

// Measured fills in the measurements of the modules, which are in their order. It returns an error that names the
// module that did not end well.
func (r *RunRecord) Measured(modules []ModuleRecord) error {
	z := &r.Zonemark
	z.Modules = modules
	for i := range modules {
		m := &modules[i]
		z.CompileMS += property(m, "compile_ns") / 1e6
		z.Compiled += int(property(m, "compile_cached"))
		for _, v := range m.Verdicts {
			z.Verdicts = addVerdict(z.Verdicts, v)
		}
		if m.Status != invocations.OK {
			return fmt.Errorf("module %s: %s: %s", m.Role, m.Status, cmp.Or(m.Record.Error, "no reason is known"))
		}
	}
	totals, iterations, err := together(modules)
	if err != nil {
		return err
	}
	for _, ns := range totals {
		z.TotalTimes = append(z.TotalTimes, ns/1e9)
	}
	s := stats.Summarize(iterations, nil)
	held := endToEnd(iterations, len(totals), s)
	z.Iteration = &IterationRecord{int(modules[0].Calls()), s.MedianNS, held.Low, held.High, s.MinNS, s.P90NS, s.P99NS, s.MeanNS, s.MADNS}
	if len(totals) < 2 || !held.Within(Precision, 1) {
		z.Verdicts = addVerdict(z.Verdicts, invocations.NotConverged)
	}
	each := r.Args.Microbatch * int64(r.Args.Chips)
	if z.Model != nil && z.Model.Tokens > 0 {
		each *= z.Model.Tokens
	}
	r.TotalTime, r.TotalSamples = stats.Median(z.TotalTimes), r.Args.LoopCount*each
	r.SamplesPerSec = perSecond(float64(r.TotalSamples), r.TotalTime*1e9)
	z.SteadyRate = perSecond(float64(each), s.MedianNS)
	for i := range modules {
		if m := &modules[i]; m.Role == RoleDevice && m.MedianNS != nil && z.Model != nil {
			z.FLOPPerSec = perSecond(z.Model.FLOP*float64(r.Args.Chips), *m.MedianNS)
		}
	}
	return nil
}

// Precision is the fraction of its median within which the interval of a time must lie, as with all other verbs.
const Precision = 0.01

// endToEnd returns the interval in which the median iteration of another benchmark lies. Each repetition is a launch, so
// it is that between launches; with a single one, it is at least that of its iterations. iterations has as many times of
// each repetition, one repetition after the other, and s is their summary.
func endToEnd(iterations []float64, repetitions int, s stats.Summary) stats.Interval {
	var medians []float64
	for each := range slices.Chunk(iterations, max(1, len(iterations)/repetitions)) {
		medians = append(medians, stats.Median(each))
	}
	i := stats.LaunchInterval(medians)
	if i.Value = s.MedianNS; repetitions == 1 {
		return i.Widen(math.Sqrt2 * s.Half95())
	}
	return i
}

// together adds up the times of modules, which run one after the other. It returns the wall time of each repetition
// and the time of each iteration, in nanoseconds.
func together(modules []ModuleRecord) (totals, iterations []float64, err error) {
	for i := range modules {
		m := &modules[i]
		if totals == nil {
			totals, iterations = make([]float64, len(m.WallNS)), make([]float64, len(m.SamplesNS))
		}
		if len(totals) == 0 || len(m.WallNS) != len(totals) || len(m.SamplesNS) != len(iterations) {
			return nil, nil, fmt.Errorf(
				"module %s: %d iterations in %d repetitions were timed, of another one %d in %d",
				m.Role, len(m.SamplesNS), len(m.WallNS), len(iterations), len(totals))
		}
		for j, ns := range m.WallNS {
			totals[j] += ns
		}
		for j, ns := range m.SamplesNS {
			iterations[j] += ns
		}
	}
	return totals, iterations, nil
}

// addVerdict adds a verdict to a list without duplicates. Clean stands alone.
func addVerdict(list []invocations.Verdict, v invocations.Verdict) []invocations.Verdict {
	all := invocations.Result{Verdicts: list}
	if v != invocations.Clean {
		all.AddVerdict(v)
	} else if len(list) == 0 {
		all.Verdicts = append(all.Verdicts, v)
	}
	return all.Verdicts
}

// perSecond returns n per second for a time of ns nanoseconds; 0 if the rate is not finite.
func perSecond(n, ns float64) float64 { return finite(n / ns * 1e9) }

// finite returns x, or 0 if it is not finite, since JSON holds no such numbers.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// property returns a number that the runtime reports for a module; 0 if it reports none.
func property(m *ModuleRecord, key string) float64 {
	n, err := strconv.ParseFloat(m.Properties[key], 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return n
}

package bench

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// Record is an entry of the file of records. The keys beside Zonemark are those of PyBuda's benchmark, with their meaning there.
type Record struct {
	TotalTime     float64 `json:"total_time"`      // seconds; see Definition
	TotalSamples  int64   `json:"total_samples"`   // loop_count × microbatch × chips, of generative models × tokens of an execution
	SamplesPerSec float64 `json:"samples_per_sec"` // TotalSamples / TotalTime
	Args          Options `json:"args"`
	Arch          string  `json:"arch"` // of the device that was found
	MachineName   string  `json:"machine_name"`
	Error         string  `json:"error,omitempty"` // of a benchmark that failed; the numbers above are 0 then
	Hash          string  `json:"hash"`            // revision that zonemark was built from
	Date          string  `json:"date"`            // of the run, yy-mm-dd
	Zonemark      Details `json:"zonemark"`
}

// Details is what zonemark adds to a record. What does not apply, or was not reached by a benchmark that failed, is absent. Times whose names end in _ns are nanoseconds.
type Details struct {
	Version    string            `json:"version"` // of zonemark
	Started    time.Time         `json:"started"`
	Command    []string          `json:"command"`
	Definition string            `json:"definition"`            // of the times
	NotApplied map[string]string `json:"not_applied,omitempty"` // flags that mean nothing here, by their names in args, and why
	Notes      []string          `json:"notes,omitempty"`       // what a reader of the numbers should know

	Environment map[string]string `json:"environment,omitempty"` // fingerprint of the machine
	Device      *DeviceRecord     `json:"device,omitempty"`
	Model       *ModelRecord      `json:"model,omitempty"`

	// What came of measuring, all modules together; see Record for what is end to end.
	TotalTimes   []float64             `json:"total_times,omitempty"`            // seconds, of each repetition
	Iteration    *IterationRecord      `json:"iteration,omitempty"`              // of one execution after the other
	SteadyRate   float64               `json:"steady_samples_per_sec,omitempty"` // see SteadyDefinition
	FLOPPerSec   float64               `json:"flop_per_s,omitempty"`             // of the device's module on all chips: its flop by the time of its median iteration
	Verdicts     []invocations.Verdict `json:"verdict,omitempty"`                // every flaw that was found in any module, else "clean"
	CompileMS    float64               `json:"compile_ms,omitempty"`             // of all modules, milliseconds
	Compiled     int                   `json:"compiled_before,omitempty"`        // modules whose programs had been compiled before: their part of compile_ms is what it took then
	ExportS      float64               `json:"export_s,omitempty"`               // seconds that exporting the model took; absent when it was in the cache
	ExportCached bool                  `json:"export_cached,omitempty"`
	Modules      []ModuleRecord        `json:"modules,omitempty"`
	Trace        *TraceRecord          `json:"trace,omitempty"`
}

// DeviceRecord is the device that was found.
type DeviceRecord struct {
	Plugin    string `json:"plugin"`
	Platform  string `json:"platform"`
	Kind      string `json:"kind,omitempty"`
	Chips     int    `json:"chips"` // that ran the program
	Available int    `json:"available"`
}

// ModelRecord is what was exported.
type ModelRecord struct {
	Parameters     int64             `json:"parameters"`
	WeightsBytes   int64             `json:"weights_bytes"`
	FLOP           float64           `json:"flop,omitempty"` // of one execution of the device's module on one chip
	DType          string            `json:"dtype"`
	EmulatedFormat string            `json:"emulated_format,omitempty"` // then times are those of the emulation
	Accuracy       *Accuracy         `json:"accuracy,omitempty"`        // of the emulated format
	Tokens         int64             `json:"tokens_per_iteration,omitempty"`
	Generator      map[string]string `json:"generator,omitempty"`
}

// IterationRecord summarizes the times of iterations: of each, the times of all modules together.
type IterationRecord struct {
	N        int     `json:"n"`
	MedianNS float64 `json:"median_ns"`
	CILowNS  float64 `json:"ci_low_ns"` // 95 % confidence interval of the median
	CIHighNS float64 `json:"ci_high_ns"`
	MinNS    float64 `json:"min_ns"`
	P90NS    float64 `json:"p90_ns"`
	P99NS    float64 `json:"p99_ns"`
	MeanNS   float64 `json:"mean_ns"`
	MADNS    float64 `json:"mad_ns"`
}

// ModuleRecord is one module, with all that zonemark's journals say of an invocation: the time of every iteration among it.
type ModuleRecord struct {
	Role string `json:"role"`
	invocations.Record
}

// TraceRecord is where time went, in the finest grain that there is for the device.
type TraceRecord struct {
	Level   string     `json:"level"`  // that was asked for
	Source  string     `json:"source"` // "modules": the times of modules; "profile": the plugin's profiler; "tt-metal": the tables of its device profiler
	Partial bool       `json:"partial,omitempty"`
	Rows    []TraceRow `json:"rows"`
}

// TraceRow is a module or an operation of it.
type TraceRow struct {
	Name     string  `json:"name"`
	Calls    int64   `json:"calls"`
	PerLoop  float64 `json:"calls_per_iteration"`
	MedianNS float64 `json:"median_ns"`
	TotalNS  float64 `json:"total_ns"`
}

// SetModel fills what an export says.
func (r *Record) SetModel(x Export) {
	m := x.Manifest
	r.Args.Config, r.Args.Microbatch, r.Args.Generative = m.Config, m.Microbatch, m.Generative
	r.Zonemark.Model = &ModelRecord{
		Parameters: m.Parameters, WeightsBytes: m.WeightsBytes, FLOP: m.FLOP, DType: m.DType, EmulatedFormat: m.EmulatedFormat, Accuracy: m.Accuracy,
		Tokens: m.Tokens, Generator: m.Generator,
	}
	r.Zonemark.ExportS, r.Zonemark.ExportCached = x.Took.Seconds(), x.Cached
	for flag, why := range m.NotApplied {
		r.NotApplied(flag, why)
	}
	if m.EmulatedFormat != "" {
		r.Note("the speed is that of rounding to %s in software, and says nothing of a device that has it; its accuracy is what is meaningful", m.EmulatedFormat)
	}
}

// SetDevice fills what a device tells.
func (r *Record) SetDevice(d Device) {
	r.Arch = d.Arch()
	r.Zonemark.Device = &DeviceRecord{d.Plugin, d.Platform, d.Kind, d.Chips, d.Available}
}

// NotApplied records that a flag means nothing here.
func (r *Record) NotApplied(flag, why string) {
	if r.Zonemark.NotApplied == nil {
		r.Zonemark.NotApplied = map[string]string{}
	}
	r.Zonemark.NotApplied[flag] = why
}

// Note adds a note.
func (r *Record) Note(format string, args ...any) {
	r.Zonemark.Notes = append(r.Zonemark.Notes, fmt.Sprintf(format, args...))
}

// Fail makes the record one of a failure.
func (r *Record) Fail(err error) {
	r.TotalTime, r.TotalSamples, r.SamplesPerSec = 0, 0, 0
	r.Error = err.Error()
}

// Measured fills what came of measuring the modules, in their order. The error says which of them did not end well.
func (r *Record) Measured(modules []ModuleRecord) error {
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
	z.Iteration = &IterationRecord{s.N, s.MedianNS, s.CILowNS, s.CIHighNS, s.MinNS, s.P90NS, s.P99NS, s.MeanNS, s.MADNS}
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

// together adds up what modules took that run one after the other: the wall time of each repetition, and the time of each iteration, in nanoseconds.
func together(modules []ModuleRecord) (totals, iterations []float64, err error) {
	for i := range modules {
		m := &modules[i]
		if totals == nil {
			totals, iterations = make([]float64, len(m.WallNS)), make([]float64, len(m.SamplesNS))
		}
		if len(totals) == 0 || len(m.WallNS) != len(totals) || len(m.SamplesNS) != len(iterations) {
			return nil, nil, fmt.Errorf("module %s: %d iterations in %d repetitions were timed, of another one %d in %d", m.Role, len(m.SamplesNS), len(m.WallNS), len(iterations), len(totals))
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

// addVerdict adds a verdict to a list that has each once; Clean stands alone.
func addVerdict(list []invocations.Verdict, v invocations.Verdict) []invocations.Verdict {
	all := invocations.Result{Verdicts: list}
	if v != invocations.Clean {
		all.Flaw(v)
	} else if len(list) == 0 {
		all.Verdicts = append(all.Verdicts, v)
	}
	return all.Verdicts
}

// perSecond is a number of things by a time in nanoseconds; 0 where that is no number.
func perSecond(n, ns float64) float64 {
	if rate := n / ns * 1e9; !math.IsNaN(rate) && !math.IsInf(rate, 0) {
		return rate
	}
	return 0
}

// property is a number that a runtime tells of a module; 0 when it does not.
func property(m *ModuleRecord, key string) float64 {
	n, err := strconv.ParseFloat(m.Properties[key], 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return n
}

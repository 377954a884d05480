package modelbench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/bench"
	"zonemark/driver/report"
	"zonemark/executor/tt"
	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/trace/ttmetal"
)

// profiledLoops is the number of calls that are made under a plugin's profiler after measuring, however long they take.
const profiledLoops = 3

// profiledCalls returns the number of profiled calls that the flags ask for.
func (t *target) profiledCalls() int64 {
	if t.options.Trace == bench.TraceNone {
		return 0
	}
	return profiledLoops
}

// analyse carries out --perf_analysis, and records the parts of it that have no effect.
func (t *target) analyse() {
	if !t.options.PerfAnalysis {
		return
	}
	plugin := t.record.Zonemark.Device.Plugin
	for _, m := range t.record.Zonemark.Modules {
		flop, bytes := m.Properties[tt.PropertyFLOP], m.Properties[tt.PropertyBytes]
		if m.Role != bench.RoleDevice || flop == "" && bytes == "" {
			continue
		}
		t.record.Note("cost of an execution of the device's module on one chip by the analysis of %s: %s FLOP, %s "+
			"bytes accessed", plugin, flop, bytes)
		t.notApplied("perf_analysis", "the costs of single operations: "+plugin+" tells those of whole programs, "+
			"which are in the notes")
		return
	}
	t.notApplied("perf_analysis", plugin+" has no cost analysis")
}

// notApplied records that a flag has no effect, and tells the user.
func (t *target) notApplied(flag, why string) {
	t.record.NotApplied(flag, why)
	t.say("not applied: %s: %s", flag, report.Printable(why))
}

// trace fills where the time went, from the finest source available.
func (t *target) trace(ctx context.Context, watch ttMetalWatch) error {
	level := t.options.Trace
	if level == bench.TraceNone {
		return nil
	}
	z := &t.record.Zonemark
	for i := range z.Modules {
		if m := &z.Modules[i]; m.Role == bench.RoleDevice && m.DispatchSource != "" {
			z.Trace = dispatchTrace(level, &m.Record)
			return nil
		}
	}
	var found []*ttmetal.FileReport
	var err error
	if t.backend.name == tt.Name {
		found, err = watch.read(ctx, t.Streams, t.Quiet)
	}
	if err != nil {
		t.record.Note("the tables of tt-metal's profiler could not be read: %v", err)
		t.say("warning: %v", err)
	}
	if len(found) > 0 {
		z.Trace = t.ttMetalTrace(level, found)
		return nil
	}
	if level == bench.TraceVerbose {
		why := z.Device.Plugin + " has no profiler, so that times are told by module and not by operation"
		switch {
		case len(t.Via) > 0 && t.backend.name == tt.Name:
			why += "; tt-metal's tables are read on this machine only: start bench on the host itself"
		case t.backend.name != tt.Name:
			why += "; \"zonemark setup iree-capi\" brings one"
		case watch.folder == "":
			why += "; tt-metal's tables are read when TT_METAL_PROFILER_DIR says where they are"
		default:
			why += "; there are no new tables of tt-metal in " + watch.folder +
				" (in the sandbox, none can be written there: --sandbox off)"
		}
		t.notApplied("trace", why)
	}
	z.Trace = &bench.TraceRecord{Level: level, Source: "modules"}
	for i := range z.Modules {
		m := &z.Modules[i]
		z.Trace.Rows = append(z.Trace.Rows, bench.TraceRow{Name: m.Role, Calls: m.Calls(), PerLoop: 1,
			MedianNS: stats.Median(m.SamplesNS), TotalNS: m.TotalNS()})
	}
	return nil
}

// dispatchTrace returns the results of the plugin's profiler.
func dispatchTrace(level string, r *invocations.Record) *bench.TraceRecord {
	t := &bench.TraceRecord{Level: level, Source: string(r.DispatchSource)}
	for _, d := range r.Dispatches {
		row := bench.TraceRow{Name: d.Name, Calls: d.Count, PerLoop: float64(d.Count) / profiledLoops}
		if d.MedianNS != nil {
			row.MedianNS = *d.MedianNS
		}
		if d.TotalNS != nil {
			row.TotalNS = *d.TotalNS
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ttMetalVariable names the folder into which tt-metal's device profiler writes its tables.
const ttMetalVariable = "TT_METAL_PROFILER_DIR"

// ttMetalWatch looks for tables of tt-metal that appear or change while something runs.
type ttMetalWatch struct {
	folder string // empty if none is named
	since  time.Time
}

// watchTTMetal begins to watch. What hosts of --via write is not seen here.
func (b *Benchmark) watchTTMetal() ttMetalWatch {
	w := ttMetalWatch{since: time.Now()}
	if len(b.Via) == 0 {
		w.folder = b.variables.Lookup(ttMetalVariable)
	}
	return w
}

// read reads the reports that are new since the watch began.
func (w ttMetalWatch) read(ctx context.Context, s cli.Streams, quiet bool) ([]*ttmetal.FileReport, error) {
	if w.folder == "" {
		return nil, nil
	}
	if _, err := os.Stat(w.folder); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the profiler has not written anything
	}
	all, err := ttmetal.FilesBelow(w.folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ttMetalVariable, err)
	}
	progress := cli.NewProgressLine(s.Err, quiet)
	defer progress.Clear()
	var found []*ttmetal.FileReport
	for _, files := range all {
		if !w.fresh(files) {
			continue
		}
		r, err := ttmetal.ReadFiles(ctx, files, progress.Reading)
		if err != nil {
			return found, fmt.Errorf("%s: %w", ttMetalVariable, err)
		}
		found = append(found, r)
	}
	return found, nil
}

// fresh reports whether any of a report's files was written since the watch began.
func (w ttMetalWatch) fresh(files ttmetal.Files) bool {
	for _, path := range files.Paths() {
		if info, err := os.Stat(path); err == nil && !info.ModTime().Before(w.since.Truncate(time.Second)) {
			return true
		}
	}
	return false
}

// ttMetalTrace joins tables to the iterations. The tables hold all executions of the device's module, even those for
// warm-up and for checking.
func (t *target) ttMetalTrace(level string, reports []*ttmetal.FileReport) *bench.TraceRecord {
	trace := &bench.TraceRecord{Level: level, Source: "tt-metal"}
	var loops int64
	for i := range t.record.Zonemark.Modules {
		if m := &t.record.Zonemark.Modules[i]; m.Role == bench.RoleDevice && m.WarmupCalls != nil {
			loops = m.Calls() + *m.WarmupCalls + 1
		}
	}
	for _, r := range reports {
		trace.Partial = trace.Partial || r.Partial
		for i := range r.Ops {
			trace.Rows = append(trace.Rows, ttMetalRow(r.Ops[i], loops))
		}
		for _, text := range r.Missing() {
			t.record.Note("%s: %s", r.Files.Name, text)
		}
	}
	t.record.Note("calls_per_iteration is over the %s executions that tt-metal's profiler has seen: %s to check and "+
		"to warm up among them", strconv.FormatInt(loops, 10),
		strconv.FormatInt(loops-t.options.LoopCount*t.options.Repetitions, 10))
	return trace
}

// ttMetalRow returns an operation of the device, summed over its calls.
func ttMetalRow(o *ttmetal.OpTotals, loops int64) bench.TraceRow {
	row := bench.TraceRow{Name: o.Op, Calls: o.Calls, TotalNS: o.RunNS}
	if median := o.Runs.Quantile(0.5); !math.IsNaN(median) { // if it is NaN, no call has a time of the device
		row.MedianNS = median
	}
	if loops > 0 {
		row.PerLoop = float64(o.Calls) / float64(loops)
	}
	return row
}

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
	"zonemark/driver/stats"
	"zonemark/executor/tt"
	"zonemark/invocations"
	"zonemark/trace/ttmetal"
)

// profiledLoops is the number of calls that are made under a plugin's profiler after measuring, however long they take.
const profiledLoops = 3

// profiledCalls returns the number of profiled calls that the flags ask for.
func (b *Benchmark) profiledCalls() int64 {
	if b.Options.Trace == bench.TraceNone {
		return 0
	}
	return profiledLoops
}

// analyse carries out --perf_analysis, and records the parts of it that have no effect.
func (b *Benchmark) analyse() {
	if !b.Options.PerfAnalysis {
		return
	}
	plugin := b.record.Zonemark.Device.Plugin
	for _, m := range b.record.Zonemark.Modules {
		flop, bytes := m.Properties[tt.PropertyFLOP], m.Properties[tt.PropertyBytes]
		if m.Role != bench.RoleDevice || flop == "" && bytes == "" {
			continue
		}
		b.record.Note("cost of an execution of the device's module on one chip by the analysis of %s: %s FLOP, %s "+
			"bytes accessed", plugin, flop, bytes)
		b.notApplied("perf_analysis", "the costs of single operations: "+plugin+" tells those of whole programs, "+
			"which are in the notes")
		return
	}
	b.notApplied("perf_analysis", plugin+" has no cost analysis")
}

// notApplied records that a flag has no effect, and tells the user.
func (b *Benchmark) notApplied(flag, why string) {
	b.record.NotApplied(flag, why)
	b.Say("not applied: %s: %s", flag, report.Printable(why))
}

// trace fills where the time went, from the finest source available.
func (b *Benchmark) trace(ctx context.Context, watch ttMetalWatch) error {
	level := b.Options.Trace
	if level == bench.TraceNone {
		return nil
	}
	z := &b.record.Zonemark
	for i := range z.Modules {
		if m := &z.Modules[i]; m.Role == bench.RoleDevice && m.DispatchSource != "" {
			z.Trace = dispatchTrace(level, &m.Record)
			return nil
		}
	}
	found, err := watch.read(ctx, b.Streams, b.quiet)
	if err != nil {
		b.record.Note("the tables of tt-metal's profiler could not be read: %v", err)
		b.Say("warning: %v", err)
	}
	if len(found) > 0 {
		z.Trace = b.ttMetalTrace(level, found)
		return nil
	}
	if level == bench.TraceVerbose {
		why := z.Device.Plugin + " has no profiler, so that times are told by module and not by operation"
		if watch.folder == "" {
			why += "; tt-metal's tables are read when TT_METAL_PROFILER_DIR says where they are"
		} else {
			why += "; there are no new tables of tt-metal in " + watch.folder +
				" (in the sandbox, none can be written there: --sandbox off)"
		}
		b.notApplied("trace", why)
	}
	z.Trace = &bench.TraceRecord{Level: level, Source: "modules"}
	for i := range z.Modules {
		m := &z.Modules[i]
		row := bench.TraceRow{Name: m.Role, Calls: int64(len(m.SamplesNS)), PerLoop: 1,
			MedianNS: stats.Median(m.SamplesNS)}
		for _, ns := range m.SamplesNS {
			row.TotalNS += ns
		}
		z.Trace.Rows = append(z.Trace.Rows, row)
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

// watchTTMetal begins to watch.
func watchTTMetal(getenv func(string) string) ttMetalWatch {
	return ttMetalWatch{getenv(ttMetalVariable), time.Now()}
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
func (b *Benchmark) ttMetalTrace(level string, reports []*ttmetal.FileReport) *bench.TraceRecord {
	t := &bench.TraceRecord{Level: level, Source: "tt-metal"}
	var loops int64
	for i := range b.record.Zonemark.Modules {
		if m := &b.record.Zonemark.Modules[i]; m.Role == bench.RoleDevice && m.WarmupCalls != nil {
			loops = int64(len(m.SamplesNS)) + *m.WarmupCalls + 1
		}
	}
	for _, r := range reports {
		t.Partial = t.Partial || r.Partial
		for i := range r.Ops {
			t.Rows = append(t.Rows, ttMetalRow(r.Ops[i], loops))
		}
		for _, text := range r.Missing() {
			b.record.Note("%s: %s", r.Files.Name, text)
		}
	}
	b.record.Note("calls_per_iteration is over the %s executions that tt-metal's profiler has seen: %s to check and "+
		"to warm up among them", strconv.FormatInt(loops, 10),
		strconv.FormatInt(loops-b.Options.LoopCount*b.Options.Repetitions, 10))
	return t
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

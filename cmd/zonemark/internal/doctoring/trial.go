package doctoring

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/compare"
	"zonemark/driver/machine"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/stats"
)

// kernelSource is the function that is measured, with different numbers of steps.
//
//go:embed kernel/chain.c
var kernelSource []byte

// kernels are the steps of each kernel. A step takes a nanosecond or so.
var kernels = []struct{ name, steps string }{
	{"10 ns", "9"}, {"1 µs", "900"}, {"100 µs", "90000"}, {"10 ms", "9000000"},
}

// equalRuns is how many runs of the same are compared with each other: 15 pairs.
const equalRuns = 6

// try measures the kernels in several runs, as "zonemark run" would, and compares these. It keeps the result with the
// machine.
func (v *visit) try(ctx context.Context, line *cli.ProgressLine) (*machine.Trial, error) {
	folder, err := v.Cache().Folder("doctor")
	if err != nil {
		return nil, err
	}
	source := filepath.Join(folder, "chain.c")
	if err := files.Write(source, 0o644, kernelSource); err != nil {
		return nil, err
	}
	each := time.Duration(v.length) / time.Duration(v.runs*len(kernels))
	trial := &machine.Trial{At: time.Now().UTC(), Runs: v.runs, Seconds: each.Seconds()}
	var runs []report.Run
	for i := range v.runs {
		if line.Due() {
			line.Draw(fmt.Sprintf("equal runs: %d of %d", i+1, v.runs))
		}
		run, err := v.measure(ctx, source, each)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	if trial.Kernels, err = compareKernels(runs); err != nil {
		return nil, err
	}
	path, err := measuring.MachineFile(v.Cache())
	if err != nil {
		return nil, err
	}
	known, err := machine.Open(path, runs[0].Environment)
	return trial, errors.Join(err, known.KeepTrial(ctx, trial))
}

// measure makes one run of all kernels.
func (v *visit) measure(ctx context.Context, source string, each time.Duration) (report.Run, error) {
	var steps []string
	for _, k := range kernels {
		steps = append(steps, k.steps)
	}
	s := measuring.DefaultSettings()
	s.LimitTime(each)
	s.Quiet, s.Via = true, v.via
	s.Functions, s.Parameters = []string{"chain"}, []string{"n=" + strings.Join(steps, ",")}
	m := measuring.New(measuring.NewTask(v.Program, s), []string{source})
	m.Working = func(string, ...any) {}
	plan, err := m.Plan(ctx)
	if err != nil {
		return report.Run{}, err
	}
	return m.Execute(ctx, plan)
}

// compareKernels compares runs of the same kernels.
func compareKernels(runs []report.Run) ([]machine.TrialKernel, error) {
	var sets []*compare.Set
	for _, run := range runs {
		for r, err := range run.Records.All() {
			if err != nil {
				return nil, err
			}
			if r.Status != invocations.OK {
				return nil, fmt.Errorf("%s: %s: %s", r.Name, r.Status, r.Error)
			}
		}
		set, err := compare.FromRecords("", run.Environment, run.Records)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	var list []machine.TrialKernel
	for _, row := range compare.CompareEqual(sets, compare.Options{}) {
		k := machine.TrialKernel{Name: row.Name, Pairs: row.Pairs, Alarms: row.Alarms, Undecided: row.Undecided}
		if !math.IsNaN(row.Detectable) {
			k.Detectable = row.Detectable
		}
		var medians, quiet []float64
		for _, run := range runs {
			r, err := named(run.Records, row.Name)
			if err != nil {
				return nil, err
			}
			if r == nil || r.MedianNS == nil {
				return nil, fmt.Errorf("%s was not measured in every run", row.Name)
			}
			medians = append(medians, *r.MedianNS)
			if r.QuietShare != nil {
				quiet = append(quiet, *r.QuietShare)
			}
			for _, kernel := range kernels {
				if r.Parameters["n"] == kernel.steps {
					k.Name = kernel.name
				}
			}
		}
		k.MedianNS = stats.Median(medians)
		k.Spread = (slices.Max(medians) - slices.Min(medians)) / k.MedianNS
		if len(quiet) > 0 {
			k.QuietShare = stats.Median(quiet)
		}
		list = append(list, k)
	}
	if len(list) < len(kernels) {
		return nil, errors.New("not every kernel was measured")
	}
	return list, nil
}

// named returns the record with a name; nil if there is none.
func named(records *invocations.Records, name string) (*invocations.Record, error) {
	for r, err := range records.All() {
		if err != nil || r.Name == name {
			return r, err
		}
	}
	return nil, nil
}

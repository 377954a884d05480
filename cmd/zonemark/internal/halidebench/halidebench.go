// Package halidebench is the verb "halide run": it builds Halide benchmarks, the shipped ones and generators of users,
// with several schedulers, measures these as variants of one computation, and compares them in a table. The benchmarks
// and their references are those of package driver/halide, building is the runtime's, and measuring is package
// measuring's; this package knows flags, requests and the table.
package halidebench

import (
	"context"
	"errors"
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/invocations"
)

const intro = `Build Halide benchmarks with several schedulers, check and measure them, and compare the schedulers.

Usage: zonemark halide run [flags] BENCHMARK… [BEAM [PARALLELISM]]
       zonemark halide run [flags] --all-benchmarks

A benchmark is one that --list shows, or the source of generators of your own (.py, .cpp). Shipped benchmarks have
random inputs, and their outputs are compared with a reference in plain loops. The outputs of your own generators are
compared with those of their default schedule.

Examples:
  zonemark halide run gaussian5x5
  zonemark halide run conv3x3 32 2                        the old spelling of --beam 32 --parallelism 2
  zonemark halide run --all-benchmarks --schedulers none,adams2019 -o all.journal
  zonemark halide run blur.py --schedulers all --timings-csv timings.csv
`

// Run is the verb: it reads the arguments, does what they say and returns the exit status.
func Run(ctx context.Context, p program.Program, args []string) int {
	f := newFlags(p)
	err := f.parse(args)
	if err == nil {
		err = f.misspelt(args)
	}
	if err != nil {
		return p.Misused("halide run --help", err)
	}
	if f.list {
		return p.Done(list(p.Out))
	}
	if err := f.checkTimings(); err != nil {
		return p.Fail("%v", err)
	}
	if f.tuneNS > 0 {
		if err := f.tuneFirst(ctx); err != nil {
			return p.Fail("--tune: %v", err)
		}
	}
	r := &run{flags: f, line: cli.NewProgressLine(p.Err, f.Quiet)}
	r.m = measuring.New(&f.Task, nil)
	r.m.Make, r.m.Working, r.m.Check, r.m.Finish = r.requests, r.working, r.check, r.compare
	defer r.line.Clear()
	return r.m.Run(ctx)
}

// run is one run of the verb.
type run struct {
	*flags
	m       *measuring.Measurement
	line    *cli.ProgressLine
	rows    []string        // names of the benchmarks, in the order of the table
	columns []string        // schedulers, and tuned if something is
	cells   map[string]cell // by the name of the invocation
}

// cell is a place in the table.
type cell struct{ row, column string }

// working shows what takes long before anything is measured.
func (r *run) working(format string, args ...any) {
	if r.line.Due() {
		r.line.Draw(fmt.Sprintf(format, args...))
	}
}

// check refuses a plan of which nothing can be measured.
func (r *run) check(plan *plan.Plan) error {
	r.line.Clear()
	for _, planned := range plan.All() {
		if planned.Verdict != invocations.Failed {
			return nil
		}
	}
	if plan.Len() == 0 {
		return nil
	}
	return errors.New(plan.At(0).Reason)
}

// compare writes the table and the file of times.
func (r *run) compare(results report.Run) error {
	t, err := newComparison(r, results)
	switch {
	case err != nil:
		return err
	case r.Format == report.Formats()[0].Name:
		if err := t.write(r.Out); err != nil {
			return err
		}
	case !r.Quiet: // another program reads the output
		if err := t.write(r.Err); err != nil {
			return err
		}
	}
	return t.keep(r.timings)
}

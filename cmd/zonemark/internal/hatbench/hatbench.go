// Package hatbench measures HAT packages with the flags of the tools that it replaces, hatlib.benchmark_hat and
// Accera's benchmark tool, and writes the results as they do. Package measuring does the measuring.
package hatbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/executor/hat"
)

const intro = `Measure the functions of HAT packages, each in a sandboxed child process.

Usage: zonemark hat [flags] DIR|FILE.hat…
       zonemark hat init [flags] FILE.c|FILE.h|FILE.so    writes a .hat file to start from

The flags of hatlib.benchmark_hat and of Accera's benchmark tool are taken in their old spellings, underscores included;
several names may follow --functions.

Examples:
  zonemark hat packages/                                every package in a folder
  zonemark hat kernels.hat --group                      compare functions with the same signature, and rank them
  zonemark hat kernels.hat --dim M=64,128 --dim N=256   runtime sizes, swept
  zonemark hat kernels.hat --results_file times.csv --store_in_hat
`

// Run is the verb hat: it reads the arguments, does what they say and returns the exit status.
func Run(ctx context.Context, p program.Program, args []string) int {
	if len(args) > 0 && args[0] == "init" {
		return writeDraft(ctx, p, args[1:])
	}
	return program.VerbOf("hat", "", NewFlags).Run(ctx, p, args)
}

// Flags are the flags for packages only. Most come from the tools that zonemark replaces.
type Flags struct {
	*measureflags.Flags
	store         bool
	resultsFile   string
	resultsFormat string
	milliseconds  bool
	batchSize     int64
	paths         []string
}

// NewFlags returns the flags of the verb hat.
func NewFlags(p program.Program) *Flags {
	f := &Flags{}
	f.Flags = measureflags.New("hat", p, f.add)
	cli.Formerly(f.Set, "function", "functions")
	cli.Formerly(f.Set, "dim", "dims") // as in all verbs
	return f
}

// add adds the flags that only packages have.
func (f *Flags) add(shared *measureflags.Flags) {
	s, m := shared.Set, &shared.Base.Measure
	s.StringVar(&f.resultsFile, "results-file", "", "append the results to this file")
	s.StringVar(&f.resultsFormat, "results-format", hatCSV,
		"format of --results-file: "+hatCSV+" (the columns of the older tools, appended), "+
			strings.Join(shared.Formats.Names(), ", "))
	s.BoolVar(&f.store, "store-in-hat", false, "write the durations into the .hat files, in seconds; every other "+
		"byte stays")
	s.BoolVar(&f.milliseconds, "time-in-ms", false, "milliseconds instead of seconds in --results-file")
	s.Var(cli.List(&shared.Parameters, "name=value"), "dim",
		"the same as --param, for runtime sizes: NAME=VALUE[,VALUE…]; repeatable")
	s.Var(cli.Seconds(&m.MinTimeNS), "min-time-in-sec", "the same as --min-time, in seconds")
	s.Var(cli.Count(&m.CallsPerBatch), "min-timing-iterations", "the same as --calls-per-batch")
	s.Var(cli.Count(&f.batchSize), "batch-size", "measure at least this many batches")
	s.Bool("cpp", false, "has no meaning here: native code is always timed natively")
	s.String("working-dir", "", "has no meaning here: nothing is written beside the packages")
}

// hatCSV is the results format that the older tools write.
const hatCSV = "hat"

// Parse reads the arguments, old spellings included, and checks them. It returns cli.ErrHelp if it has printed the help.
func (f *Flags) Parse(args []string) (err error) {
	if f.paths, err = f.Flags.Parse(rewriteArguments(args), intro); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	for _, name := range []string{"cpp", "working-dir"} {
		if f.Set.Changed(name) && !f.Quiet {
			f.Say("note: --%s %s", name, f.Set.Lookup(name).Usage)
		}
	}
	f.Base.Runtime = hat.Name
	return nil
}

// Run measures, keeps the results as the flags ask, and returns the exit status.
func (f *Flags) Run(ctx context.Context) int {
	m := measuring.New(&f.Task, f.paths)
	m.Check, m.Finish = f.checkWritable, f.keep
	return m.Run(ctx)
}

// check checks combinations of flags.
func (f *Flags) check() error {
	if len(f.paths) == 0 {
		return errors.New("hat needs the path of a package or of a folder of packages")
	}
	for _, path := range f.paths {
		if measuring.IsSuite(path) {
			return fmt.Errorf("%s: a suite is measured by \"zonemark run\"", path)
		}
	}
	if f.resultsFormat != hatCSV {
		if _, err := f.Formats.Lookup(f.resultsFormat); err != nil {
			return fmt.Errorf("--results-format: %w", err)
		}
		if f.milliseconds {
			return errors.New("--time-in-ms is for the hat results format; the others have units of their own")
		}
	}
	if f.batchSize > 0 {
		calls := max(1, f.Base.Measure.CallsPerBatch)
		if f.batchSize > math.MaxInt64/calls {
			return errors.New("--batch-size times --min-timing-iterations is beyond any measure")
		}
		f.Base.Measure.MinIterations = max(f.Base.Measure.MinIterations, f.batchSize*calls)
	}
	return nil
}

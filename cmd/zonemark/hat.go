package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver"
	"zonemark/driver/report"
	"zonemark/executor/hat"
	"zonemark/invocations"
)

const hatIntro = `Measure the functions of HAT packages, each in a sandboxed child process.

Usage: zonemark hat [flags] DIR|FILE.hat…

The flags of hatlib.benchmark_hat and of Accera's benchmark tool are taken in their old spellings, underscores included.

Examples:
  zonemark hat packages/                                every package in a folder
  zonemark hat kernels.hat --group                      compare functions of equal signature, and rank them
  zonemark hat kernels.hat --dim M=64,128 --dim N=256   runtime sizes, swept
  zonemark hat kernels.hat --results_file times.csv --store_in_hat
`

// hatFlags are the flags that only packages have, most of them from the tools that zonemark replaces.
type hatFlags struct {
	*measureFlags
	store         bool
	resultsFile   string
	resultsFormat string
	milliseconds  bool
	batchSize     int64
}

func newHATFlags(p program.Program) *hatFlags {
	f := &hatFlags{measureFlags: newMeasureFlags("hat", p)}
	s := f.set
	m := &f.measureFlags.inv.Measure
	s.Var(cli.List{List: &f.parameters, Kind: "name=value"}, "dim", "the same as --param, for runtime sizes: NAME=VALUE[,VALUE…]; repeatable")
	s.StringVar(&f.resultsFile, "results-file", "", "append the results to this file")
	s.StringVar(&f.resultsFormat, "results-format", hatCSV, "format of --results-file: "+hatCSV+" (the columns of the older tools, appended), "+strings.Join(p.Formats.Names(), ", "))
	s.BoolVar(&f.store, "store-in-hat", false, "write the durations into the .hat files, in seconds; every other byte stays")
	s.BoolVar(&f.milliseconds, "time-in-ms", false, "milliseconds instead of seconds in --results-file")
	s.Var(cli.Seconds{NS: &m.MinTimeNS}, "min-time-in-sec", "the same as --min-time, in seconds")
	s.Var(cli.Count{N: &m.CallsPerBatch}, "min-timing-iterations", "the same as --calls-per-batch")
	s.Var(cli.Count{N: &f.batchSize}, "batch-size", "measure at least this many batches")
	s.Var(cli.List{List: &f.functions, Kind: "names"}, "functions", "the same as --function; several names may follow")
	s.Bool("cpp", false, "has no meaning here: native code is always timed natively")
	s.String("working-dir", "", "has no meaning here: nothing is written beside the packages")
	return f
}

// hatCSV is the results format that the older tools write.
const hatCSV = "hat"

func hatCommand(ctx context.Context, p program.Program, args []string) int {
	f := newHATFlags(p)
	paths, err := f.parse(p.Streams, rewriteHATArguments(args), hatIntro)
	if errors.Is(err, cli.ErrHelp) {
		return cli.ExitOK
	}
	if err == nil {
		err = f.check(paths)
	}
	if err != nil {
		return p.Misused("hat --help", err)
	}
	for _, name := range []string{"cpp", "working-dir"} {
		if f.set.Changed(name) && !f.quiet {
			p.Say("note: --%s %s", name, f.set.Lookup(name).Usage)
		}
	}
	f.inv.Runtime = hat.Name
	m := newMeasurement(f.measureFlags, paths)
	m.beforehand = f.writable
	return m.all(ctx, f.finish)
}

// check looks at what needs more than one flag.
func (f *hatFlags) check(paths []string) error {
	if len(paths) == 0 {
		return errors.New("hat needs the path of a package or of a folder of packages")
	}
	for _, path := range paths {
		if isSuite(path) {
			return fmt.Errorf("%s: a suite is measured by \"zonemark run\"", path)
		}
	}
	if f.resultsFormat != hatCSV {
		if _, err := f.program.Formats.Lookup(f.resultsFormat); err != nil {
			return fmt.Errorf("--results-format: %w", err)
		}
		if f.milliseconds {
			return errors.New("--time-in-ms is for the hat results format; the others have units of their own")
		}
	}
	if f.batchSize > 0 {
		calls := max(1, f.inv.Measure.CallsPerBatch)
		if f.batchSize > math.MaxInt64/calls {
			return errors.New("--batch-size times --min-timing-iterations is beyond any measure")
		}
		f.inv.Measure.MinIterations = max(f.inv.Measure.MinIterations, f.batchSize*calls)
	}
	return nil
}

// writable finds out, before anything is measured, that the results can be kept.
func (f *hatFlags) writable(plan *driver.Plan) error {
	if f.resultsFile != "" {
		check := report.CheckAppendable
		if f.resultsFormat != hatCSV {
			check = checkCreatable
		}
		if err := check(f.resultsFile); err != nil {
			return fmt.Errorf("--results-file: %w", err)
		}
	}
	if !f.store {
		return nil
	}
	seen := map[string]string{}
	for _, p := range plan.List {
		inv := p.Invocation
		key := inv.Artifact.Path + "\x00" + inv.Function
		if other, twice := seen[key]; twice {
			return fmt.Errorf("--store-in-hat: %s and %s would be stored in the same place; measure one size at a time", other, inv.Name)
		}
		seen[key] = inv.Name
		if err := hat.CheckWritable(inv.Artifact.Path); err != nil {
			return fmt.Errorf("--store-in-hat: %w", err)
		}
	}
	return nil
}

// checkCreatable says whether a file can be written. It leaves no file behind that was not there.
func checkCreatable(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		return errors.Join(file.Close(), os.Remove(path))
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return err
	}
	return file.Close()
}

// finish writes what the flags ask for beside the report.
func (f *hatFlags) finish(run report.Run) error {
	var errs []error
	if f.resultsFile != "" {
		errs = append(errs, f.writeResults(run))
	}
	if f.store {
		byPackage := map[string]map[string]hat.Durations{}
		for _, r := range run.Records {
			if r.Status != invocations.OK || r.MedianNS == nil || r.MeanNS == nil {
				continue
			}
			if byPackage[r.Artifact] == nil {
				byPackage[r.Artifact] = map[string]hat.Durations{}
			}
			byPackage[r.Artifact][r.Function] = hat.Durations{MedianSeconds: max(0, *r.MedianNS) / 1e9, MeanSeconds: max(0, *r.MeanNS) / 1e9} // net times of empty functions can be below zero
		}
		for _, path := range slices.Sorted(maps.Keys(byPackage)) {
			errs = append(errs, hat.StoreDurations(path, byPackage[path]))
		}
	}
	return errors.Join(errs...)
}

func (f *hatFlags) writeResults(run report.Run) error {
	if f.resultsFormat == hatCSV {
		return report.AppendHATCSV(f.resultsFile, run.Records, f.milliseconds)
	}
	format, err := f.program.Formats.Lookup(f.resultsFormat)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.resultsFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if err := format.Write(file, run); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", f.resultsFile, err), file.Close())
	}
	return file.Close()
}

// rewriteHATArguments turns what older tools took and pflag does not into what it does: several names after --functions, and a
// separate value after --verbose.
func rewriteHATArguments(args []string) []string {
	var out []string
	var haveName, havePath bool
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--functions":
			haveName = false
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && (!haveName || havePath || !looksLikePackage(args[i+1])) {
				i++
				out = append(out, "--functions="+args[i])
				haveName = true
			}
			if !haveName {
				out = append(out, arg) // pflag says that it needs a value
			}
		case arg == "--verbose" && i+1 < len(args) && slices.Contains([]string{"True", "False", "true", "false", "1", "0"}, args[i+1]):
			i++ // the older tool took any text, even "False", for yes
			out = append(out, "--verbose")
		default:
			havePath = havePath || looksLikePackage(arg)
			out = append(out, arg)
		}
	}
	return out
}

// looksLikePackage says whether an argument is a package or an existing folder rather than the name of a function.
func looksLikePackage(arg string) bool {
	if strings.HasSuffix(arg, ".hat") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir() && (strings.ContainsRune(arg, filepath.Separator) || arg == "." || arg == "..")
}

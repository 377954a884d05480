// Package fitting carries out the verb fit: it reads sweeps of operations, fits cost models to them, and reports the
// models with their errors. Package costmodel holds the models. This package knows files, flags and reports, and
// nothing about runtimes.
package fitting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/table"
	"zonemark/invocations/spelling"
)

const intro = `Fit cost models to sweeps of operations. A sweep is a table of configurations (.csv,
of Budabackend's four dialects, or with columns that --x names) or a journal of zonemark
(.ndjson). A folder stands for all sweeps below it.

Usage: zonemark fit [flags] PATH…

The model of a sweep is chosen by cross-validation: nnls and relative are the published formula, fitted to absolute and
to relative errors; extended has more terms; hybrid multiplies it by boosted trees. Rows of one shape are held back
together, so that an error is that of a shape which was not measured.

Examples:
  zonemark fit gelu-op-performance.csv
  zonemark fit perf_data --format ndjson -o fits.ndjson             one line a file
  zonemark fit perf_data/wormhole_b0 --params-dir params            write params/wormhole_b0_params.yaml
  zonemark fit perf_data --against params                           the worst mistakes of published parameters
  zonemark fit results.ndjson --x M,N,K --html results.html         a journal, with a page to look at
`

// Settings say what a fit reads and writes.
type Settings struct {
	program.Program

	Paths        []string // of sweeps, journals and folders
	Architecture string   // of all sweeps; empty: each has the one of its folder
	ParamsDir    string   // where parameter files go; empty: none are written
	Quiet        bool

	// Versioned says that parameters without versions, which an earlier fit has written, become the first version, so
	// that these are the next one. Scratch says that the next version begins with nothing of the one before.
	Versioned, Scratch bool

	kind       string
	candidates []string
	format     string
	variables  []string
	measure    string
	folds      int
	groupBy    []string
	models     string
	against    string
	plot       string
	output     string
	limit      int64 // of comparisons that are shown; 0: all
	limited    bool  // the user has set the limit; else the text format has its own
}

// Defaults returns the settings of a fit without flags.
func Defaults(p program.Program) Settings {
	return Settings{Program: p, kind: autoKind, format: rowtext.Text, measure: medianNS, folds: 5}
}

// Flags are the command line of the verb.
type Flags struct {
	Set *pflag.FlagSet
	Settings
}

const autoKind = "auto"

// NewFlags returns the flags of the verb with their defaults.
func NewFlags(p program.Program) *Flags {
	f := &Flags{cli.NewFlagSet("fit"), Defaults(p)}
	kinds := []string{"eltwise", "reduce-z", "matmul", "matmul-v2", "sparse", autoKind}
	f.Set.Var(cli.Choice(&f.kind, kinds), "formula",
		"formula of the cost; auto: by the columns, and for a matmul by the architecture")
	f.Set.StringSliceVar(&f.candidates, "candidates", nil,
		"models to choose from by cross-validation: nnls, relative, extended, hybrid (default all); "+
			"nnls alone gives the published weights")
	f.Set.StringVar(&f.Architecture, "arch", "",
		"architecture of all sweeps (default: the folder that is named after one, else $ARCH_NAME)")
	f.Set.StringSliceVar(&f.variables, "x", nil,
		"fit products of these columns, or of these parameters of a journal's invocations, such as M,N,K; "+
			"the results of a journal are fitted by function")
	f.Set.Var(cli.Choice(&f.measure, measures()), "y", "what of a journal is fitted")
	f.Set.IntVar(&f.folds, "folds", f.folds, "parts of the cross-validation")
	f.Set.StringSliceVar(&f.groupBy, "group-by", nil,
		"columns whose equal values are held back together (default: the shape); "+
			"with --folds 1000 one value at a time")
	f.Set.StringVar(&f.ParamsDir, "params-dir", "",
		"write ARCH_params.yaml to this folder, or the next version if it has versions; models beside it")
	f.Set.StringVar(&f.models, "models", "", "write the fitted models to this file (JSON), which is replaced")
	f.Set.StringVar(&f.against, "against", "",
		"do not fit, but compare with this parameter file, or folder of them: the worst mistakes first")
	f.Set.Var(cli.Count(&f.limit), "limit", "with --against, show at most this many rows; 0: all")
	f.Set.StringVar(&f.plot, "html", "", "write a page (HTML): predicted against measured, residuals by variable")
	f.Set.Var(cli.Choice(&f.format, []string{rowtext.Text, rowtext.CSV, rowtext.NDJSON}), "format",
		"report on standard output; errors of csv and ndjson are in percent")
	f.Set.StringVarP(&f.output, "output", "o", "", "write the report to this file, which is replaced")
	cli.Formerly(f.Set, "html", "plot")
	cli.Formerly(f.Set, "formula", "model")
	f.Set.BoolVarP(&f.Quiet, "quiet", "q", false, "no progress and no messages but errors and warnings")
	return f
}

// Parse reads the arguments and checks them. It returns cli.ErrHelp if it has printed the help.
func (f *Flags) Parse(args []string) error {
	if err := cli.Parse(f.Set, f.Streams, args, intro); err != nil {
		return err
	}
	f.Paths, f.limited = f.Set.Args(), f.Set.Changed("limit")
	return f.Check()
}

// Check returns an error if the settings do not make sense together.
func (f *Settings) Check() error {
	switch {
	case len(f.Paths) == 0:
		return errors.New("fit needs the path of a sweep (.csv), a journal (.ndjson) or a folder")
	case f.folds < 2:
		return fmt.Errorf("--folds %d: want 2 or more", f.folds)
	case f.against != "" && (f.ParamsDir != "" || f.models != "" || f.plot != ""):
		return errors.New("--against fits nothing: --params-dir, --models and --html do not go with it")
	case len(f.variables) > 0 && f.kind != autoKind:
		return errors.New("--x fits products of columns: --formula does not go with it")
	}
	for i, name := range f.candidates {
		if !slices.Contains(costmodel.Names(), costmodel.Name(name)) {
			return fmt.Errorf("--candidates: unknown model %q%s", name, spelling.SuggestOrList(name, modelNames()))
		}
		if slices.Contains(f.candidates[:i], name) {
			return fmt.Errorf("--candidates: %s stands twice", name)
		}
	}
	if f.against != "" {
		if err := cli.CheckExists(f.against, "a parameter file (.yaml), or a folder of them"); err != nil {
			return fmt.Errorf("--against %w", err)
		}
	}
	if strings.ContainsAny(f.Architecture, `/\`) {
		return fmt.Errorf("--arch %q: want a name such as wormhole_b0", f.Architecture)
	}
	return nil
}

func modelNames() []string {
	var names []string
	for _, name := range costmodel.Names() {
		names = append(names, string(name))
	}
	return names
}

// fitted is a sweep with its model.
type fitted struct {
	sweep
	model *costmodel.Model
}

// Run fits, or compares, and returns the exit status. A sweep that cannot be read or fitted is an error, which it
// prints. It reports the others.
func (f *Settings) Run(ctx context.Context) int {
	sweeps, failed := f.read(ctx)
	if len(sweeps) == 0 {
		return cli.ExitError
	}
	err := func() error {
		if f.against != "" {
			return f.compare(sweeps, &failed)
		}
		if err := f.checkDestinations(sweeps); err != nil {
			return err
		}
		fits, err := f.fitAll(ctx, sweeps, &failed)
		if err != nil {
			return err
		}
		if len(fits) == 0 {
			return nil
		}
		return errors.Join(f.write(func(w io.Writer) error { return f.report(w, fits) }), f.writeFiles(fits))
	}()
	if err != nil {
		return f.Fail("%v", err)
	}
	if failed {
		return cli.ExitError
	}
	return cli.ExitOK
}

// fitAll fits a model to each sweep. It prints an error with a sweep and sets failed.
func (f *Settings) fitAll(ctx context.Context, sweeps []sweep, failed *bool) ([]fitted, error) {
	line := cli.NewProgressLine(f.Err, f.Quiet)
	defer line.Clear()
	var fits []fitted
	for i, s := range sweeps {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("interrupted: %w", err)
		}
		if line.Due() {
			line.Draw(fmt.Sprintf("fit %d of %d: %s", i+1, len(sweeps), s.table.File))
		}
		m, err := costmodel.Fit(s.table, f.options(s))
		if err != nil {
			line.Clear()
			f.Fail("%v", err)
			*failed = true
			continue
		}
		if operation, set, err := costmodel.Destination(s.table, s.identity); err == nil &&
			m.Kind != costmodel.Products {
			m.Operation = costmodel.ModelName(operation, set)
		}
		fits = append(fits, fitted{s, m})
	}
	return fits, nil
}

// options returns the options of the fit of a sweep.
func (f *Settings) options(s sweep) costmodel.Options {
	o := costmodel.Options{
		Architecture: s.architecture, Operation: s.operation, Variables: s.variables, Folds: f.folds, Unit: s.unit,
	}
	if f.kind != autoKind {
		o.Kind = costmodel.Kind(f.kind)
	}
	for _, name := range f.candidates {
		o.Models = append(o.Models, costmodel.Name(name))
	}
	for _, column := range f.groupBy {
		o.GroupBy = append(o.GroupBy, table.Canonical(column))
	}
	return o
}

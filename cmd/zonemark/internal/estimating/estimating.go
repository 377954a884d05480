// Package estimating carries out the verb estimate: it estimates the cost of an operation that was not measured, by a
// parameter file or by fitted models, with the expected error. Package costmodel holds the formulas. This package knows
// flags, files and reports, and nothing about runtimes.
package estimating

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/table"
)

const intro = `Estimate what an operation costs without running it: by a parameter file, or by models
that "zonemark fit" has fitted. The expected error is that of the fit's cross-validation,
and the estimate says whether the operation is outside of what was fitted.

Usage: zonemark estimate [flags]
       zonemark estimate [flags] INPUT.csv [OUTPUT.csv]
       zonemark estimate sparse INPUT.csv OUTPUT.csv v1|v2|fit

The first form takes one operation from flags. The second adds columns to the rows of a file:
estimate, ratio of estimate to measurement, bounds, expected error, and why a row is outside.
The third evaluates the published formulas for sparse matrix multiplications, or a fitted
model, and adds estimate and ratio.

Examples:
  zonemark estimate --params params --arch wormhole_b0 --op-name gelu \
      --m 2 --n 4 --r 2 --c 4 --dataformat Bfp8_b --fidelity HiFi4
  zonemark estimate --models params --arch wormhole_b0 gelu.csv comparison.csv
  zonemark estimate --models products.json --op-name product --set M=64 --set N=128
  zonemark estimate sparse matmul-sparse-op-performance.csv comparison.csv v2
`

// Flags are the command line of the verb.
type Flags struct {
	Set *pflag.FlagSet
	program.Program

	params, models string
	architecture   string
	version        int
	opType, opName string
	shape          map[string]*int64 // by the canonical names of the variables
	dataFormat     string
	fidelity       string
	vectorMode     string
	reduceDim      string
	approximate    bool
	l1Accumulate   bool
	columns        []string // NAME=VALUE
	format         string
	quiet          bool
}

// variables returns the flags of the shape, each with the thing that it counts.
func variables() [][2]string {
	return [][2]string{
		{"t", "times that the whole is repeated (default 1)"}, {"z", "inputs of a reduce over z"},
		{"m", "rows of blocks"}, {"n", "columns of blocks"}, {"k", "inner blocks of a matmul"},
		{"r", "rows of tiles in a block"}, {"c", "columns of tiles in a block"},
		{"u", "inner tiles in a block of a matmul"}, {"nz_strips", "strips of a sparse matmul with non-zeros"},
		{"nz_ublocks", "blocks of a sparse matmul with non-zeros"}, {"nz_tiles", "tiles of a sparse matmul with non-zeros"},
	}
}

// longNames returns the other names of the variables, by the names of their flags.
func longNames() map[string]string {
	names := map[string]string{}
	for _, v := range variables() {
		for _, header := range table.Headers(v[0]) {
			names[string(cli.NormalizeFlag(nil, header))] = string(cli.NormalizeFlag(nil, v[0]))
		}
	}
	return names
}

// NewFlags returns the flags of the verb with their defaults.
func NewFlags(p program.Program) *Flags {
	f := &Flags{Set: cli.NewFlagSet("estimate"), Program: p, format: rowtext.Text, shape: map[string]*int64{}}
	others := longNames()
	f.Set.SetNormalizeFunc(func(set *pflag.FlagSet, name string) pflag.NormalizedName {
		plain := cli.NormalizeFlag(set, name)
		if flag, ok := others[string(plain)]; ok {
			return pflag.NormalizedName(flag)
		}
		return plain
	})
	f.Set.StringVar(&f.params, "params", "",
		"parameter file (.yaml), or folder with ARCH_params.yaml or ARCH/params_v1.yaml …")
	f.Set.StringVar(&f.models, "models", "", "file of fitted models (.json) to use instead, or folder with it")
	f.Set.StringVar(&f.architecture, "arch", "",
		"architecture: grayskull, wormhole_b0, blackhole (default: a folder that is named after one, else $ARCH_NAME)")
	f.Set.IntVar(&f.version, "version", 0, "version of the parameters in a folder; 0: the newest")
	f.Set.StringVar(&f.opType, "op-type", "", "unary, binary, quant, reduce, splice, matmul or depthwise")
	f.Set.StringVar(&f.opName, "op-name", "",
		"operation, such as gelu, gelu_approx, add (default: by --op-type or the file's name)")
	for _, v := range variables() {
		n := new(int64)
		f.shape[v[0]] = n
		f.Set.Var(cli.Count(n), string(cli.NormalizeFlag(nil, v[0])), v[1]+otherSpellings(v[0]))
	}
	f.Set.StringVar(&f.dataFormat, "dataformat", "", "data format: Float16_b, Bfp8_b, Int8, …; older scripts say --format")
	f.Set.StringVar(&f.fidelity, "fidelity", "", "math fidelity: LoFi, HiFi2, HiFi3, HiFi4")
	f.Set.StringVar(&f.vectorMode, "vector-mode", "rc", "rc, r or c")
	f.Set.StringVar(&f.reduceDim, "reduce-dim", "", "dimension of a reduce: r or c")
	f.Set.BoolVar(&f.approximate, "approximate", false, "the approximate mode of a unary operation")
	f.Set.BoolVar(&f.l1Accumulate, "l1-acc", false, "a matmul that accumulates in L1")
	f.Set.Var(cli.List(&f.columns, "NAME=VALUE"), "set",
		"a column that a fitted model asks about, such as input0_df=Bfp8 or M=64; repeatable")
	f.Set.Var(f.formatValue(), "format", "estimate of one operation on standard output")
	cli.Formerly(f.Set, "format", "output-format")
	cli.Formerly(f.Set, "dataformat", "output-df", "df")
	cli.Formerly(f.Set, "fidelity", "math-fidelity")
	f.Set.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages but errors and warnings")
	return f
}

// formatValue is --format: how an estimate is shown. It was once the data format, whose words are still taken.
func (f *Flags) formatValue() cli.FlagValue {
	words := []string{rowtext.Text, rowtext.NDJSON}
	v := cli.Choice(&f.format, words)
	shown := v.Keep
	v.Keep = func(text string) error {
		if slices.Contains(words, text) {
			return shown(text)
		}
		f.dataFormat = text
		return nil
	}
	return v
}

// otherSpellings names the other spellings of a variable's flag.
func otherSpellings(variable string) string {
	names := table.Headers(variable)
	if len(names) == 1 {
		return ""
	}
	return "; also --" + strings.Join(names[:len(names)-1], ", --")
}

// sparseVerb is the first argument that asks for the evaluation of sparse estimates.
const sparseVerb = "sparse"

// Parse reads the arguments and checks them. It returns cli.ErrHelp if it has printed the help.
func (f *Flags) Parse(args []string) error {
	return cmp.Or(cli.Parse(f.Set, f.Streams, args, intro), f.Check())
}

// Check returns an error if flags and arguments do not make sense together.
func (f *Flags) Check() error {
	args := f.Set.Args()
	if len(args) > 0 && args[0] == sparseVerb {
		return f.checkSparse(args)
	}
	switch {
	case len(args) > 2:
		return fmt.Errorf("%d paths: estimate takes INPUT.csv and OUTPUT.csv, or flags only", len(args))
	case f.params == "" && f.models == "":
		return errors.New("--params or --models must say where the weights are")
	case f.params != "" && f.models != "":
		return errors.New("--params and --models exclude each other")
	case f.models != "" && f.version != 0 && strings.HasSuffix(f.models, ".json"):
		return errors.New("--version goes with a folder")
	}
	return f.checkOperation(len(args) == 0)
}

func (f *Flags) checkSparse(args []string) error {
	methods := []string{sparseV1, sparseV2, sparseFit}
	switch {
	case len(args) != 4:
		return errors.New("estimate sparse takes INPUT.csv, OUTPUT.csv and one of v1, v2, fit")
	case !slices.Contains(methods, args[3]):
		return fmt.Errorf("%q: want one of %s", args[3], strings.Join(methods, ", "))
	case f.models != "" && args[3] != sparseFit:
		return fmt.Errorf("--models goes with fit, not with %s", args[3])
	case f.params != "" && args[3] == sparseFit:
		return errors.New("--params goes with v1 and v2, not with fit")
	}
	return nil
}

// Run estimates and returns the exit status.
func (f *Flags) Run(ctx context.Context) int {
	cli.RelaxCollector()
	var err error
	args := f.Set.Args()
	switch {
	case len(args) > 0 && args[0] == sparseVerb:
		err = f.evaluateSparse(args[1], args[2], args[3])
	case len(args) == 0:
		err = f.estimateOne()
	default:
		output := ""
		if len(args) == 2 {
			output = args[1]
		}
		err = f.estimateFile(ctx, args[0], output)
	}
	return f.Done(err)
}

// note prints a message that is neither an error nor a warning.
func (f *Flags) note(format string, args ...any) {
	if !f.quiet {
		f.Say(format, args...)
	}
}

// architectureOf returns --arch, or what a folder of one of the paths is named after, or $ARCH_NAME.
func (f *Flags) architectureOf(paths ...string) string {
	if f.architecture != "" {
		return f.architecture
	}
	for _, path := range paths {
		if name := costmodel.ArchitectureOf(absolute(path)); name != "" {
			return name
		}
	}
	return f.Variables.Lookup("ARCH_NAME")
}

// Package searching carries out the verb tune: it looks for the best of many variants, of which it need not measure all,
// and compares it with the default. Package search chooses what is measured; this package knows flags, files and
// reports.
package searching

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/rowtext"
)

const intro = `Find the best of many variants of one computation, without measuring all of them precisely: values of flags and macros,
functions, points of a suite. Rounds race some of them, at random and near the best so far; the winner is then measured
anew, in pairs with the default, so that luck in the search does not count. The default is the first variant.

Usage: zonemark tune [flags] SUITE
       zonemark tune [flags] --try NAME=VALUE,VALUE… ARTIFACT

Examples:
  zonemark tune kernel.c --function mm --try cflags=-O2,-O3 --try D.TILE=8,16,32
  zonemark tune package.hat                              the functions of a package
  zonemark tune suite.toml --budget 10m -o tune.ndjson   the points of a suite; go on later with --resume
  zonemark tune module.mlir --try compile-flags=--iree-opt-level=O2,--iree-opt-level=O3
`

// Flags are the command line of the verb.
type Flags struct {
	*measureflags.Flags

	try    []string // NAME=VALUE,VALUE…
	budget int64    // nanoseconds; 0: none
	most   int64    // variants; 0: all
	dry    bool     // show what would be tried, and stop
	format string
	path   string
}

const (
	defaultBudget = time.Minute
	formatJSON    = "json"
)

// NewFlags returns the flags of the verb with their defaults.
func NewFlags(p program.Program) *Flags {
	f := &Flags{budget: int64(defaultBudget), format: rowtext.Text}
	f.Flags = measureflags.NewSearch("tune", p, func(shared *measureflags.Flags) { f.addOwn(shared.Set) })
	return f
}

func (f *Flags) addOwn(s *pflag.FlagSet) {
	s.Var(cli.List(&f.try, "name=values"), "try", "NAME=VALUE,VALUE…: an axis of the search, its default first: "+
		"D.MACRO, cflags, …; repeatable")
	s.Var(cli.Duration(&f.budget), "budget", "begin no further round after this time; 0: none")
	s.Var(cli.Count(&f.most), "most", "variants to try at most; 0: all")
	s.BoolVar(&f.dry, "dry-run", false, "show what would be measured, and stop")
	s.Var(cli.Choice(&f.format, []string{rowtext.Text, formatJSON}), "format",
		"report on standard output")
}

// Parse reads the arguments and checks them. It returns cli.ErrHelp if it has printed the help.
func (f *Flags) Parse(args []string) error {
	paths, err := f.Flags.Parse(args, intro)
	switch {
	case err != nil:
		return err
	case len(paths) != 1:
		text := fmt.Sprintf("tune takes one suite or artifact; there are %d", len(paths))
		if len(paths) == 0 || len(f.try) > 0 {
			return errors.New(text)
		}
		return &cli.Signpost{Text: text + "; to rank what several have:", Command: cli.CommandLine("run", slices.Concat(
			[]string{"--group"}, args)...)}
	case f.Base.Measure.CheckOnly || f.Base.Measure.Iterations > 0:
		return errors.New("tune measures until it is decided; leave out --check and --iterations")
	}
	f.path = paths[0]
	if measuring.IsSuite(f.path) && len(f.try) > 0 {
		return fmt.Errorf("--try does not apply to a suite; %s has its values under [invocation.axes]", f.path)
	}
	_, err = f.axes()
	return err
}

// axis is a --try with its values.
type axis struct {
	name   string
	values []string
}

// axes reads all --try.
func (f *Flags) axes() (list []axis, err error) {
	for _, text := range f.try {
		name, values, ok := strings.Cut(text, "=")
		if !ok || name == "" || values == "" {
			return nil, fmt.Errorf("--try %q: want NAME=VALUE,VALUE…, such as D.TILE=8,16 or cflags=-O2,-O3", text)
		}
		a := axis{name, strings.Split(values, ",")}
		if slices.ContainsFunc(list, func(b axis) bool { return b.name == name }) {
			return nil, fmt.Errorf("--try %s is given twice; give all its values at once, separated by commas", name)
		}
		for i, v := range a.values {
			if slices.Contains(a.values[:i], v) {
				return nil, fmt.Errorf("--try %s: the value %q appears twice; remove one", name, v)
			}
		}
		list = append(list, a)
	}
	return list, nil
}

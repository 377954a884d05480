package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/environ"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
	"zonemark/invocations/suite"

	"github.com/spf13/pflag"
)

const (
	defaultMinTime       = 250 * time.Millisecond
	defaultMaxTime       = 2 * time.Second
	defaultMinIterations = 10
	defaultPrecision     = 0.01
	defaultTimeout       = 60 * time.Second
	groupLaunches        = 10 // of invocations that are compared with each other, so that pairs of launches can decide
)

// measureFlags are the flags of everything that measures.
type measureFlags struct {
	set     *pflag.FlagSet
	program program.Program

	output             string
	format             string
	resume, overwrite  bool
	filter             string
	filterRE           *regexp.Regexp
	dryRun             bool
	quiet, verbose     bool
	python             string
	counters           string
	traceFile          string
	dispatchFile       string
	dispatches         runtimes.Source
	functions          []string
	inputs, parameters []string
	options            map[string]string // of artifacts
	expected           []string
	group              string
	sandbox            sandbox.Mode
	inv                invocations.Invocation // what the flags of suite keys set: see keyFlags
}

func newMeasureFlags(name string, p program.Program) *measureFlags {
	f := &measureFlags{
		program: p, set: pflag.NewFlagSet(name, pflag.ContinueOnError), sandbox: sandbox.Auto,
		dispatches: runtimes.SourceAuto, counters: hosting.CountersAuto,
	}
	f.inv.Measure = invocations.Measure{
		Mode: invocations.Warm, Precision: defaultPrecision, MinTimeNS: int64(defaultMinTime), MaxTimeNS: int64(defaultMaxTime),
		MinIterations: defaultMinIterations, Rounds: 1, CPU: -1,
	}
	f.inv.Limits.TimeoutNS = int64(defaultTimeout)
	s := f.set
	s.SortFlags = false
	s.SetOutput(io.Discard) // we print errors and help ourselves
	s.SetNormalizeFunc(cli.NormalizeFlag)
	keys := keyFlags{set: s, inv: &f.inv, program: p, setOption: f.setOption, left: suite.Keys()}
	keys.add("mode", "precision", "min-time", "max-time", "min-iterations", "calls-per-batch",
		"input-sets-minimum-size-mb", "launches", "huge-pages")
	s.Var(hosting.CounterList{Text: &f.counters}, "counters", "events of the processor to count: auto, off, or a list such as instructions,branch_misses,cpu/r01c2/; auto counts them and shows them with -v")
	keys.add("cpu", "seed")
	s.Var(cli.List{List: &f.functions, Kind: "name"}, "function", "measure only this function; repeatable")
	s.Var(cli.List{List: &f.inputs, Kind: "tensor"}, "input",
		"4x4xf32=0.5, 4xi32=1,2,3,4, 8xf32, FILE.npy: the next argument; ARG=CONTENTS for an argument's name or position: random[:SEED], zeros, iota, a number, FILE.npy; repeatable")
	s.Var(cli.List{List: &f.expected, Kind: "tensor"}, "expected-output", "what the next output must be: FILE.npy, or a tensor such as 4x4xf32=0.5; repeatable")
	keys.add("tolerance")
	s.Var(cli.List{List: &f.parameters, Kind: "name=value"}, "param", "NAME=VALUE[,VALUE…] for a runtime size or scalar; a list is swept; repeatable")
	keys.add("runtime")
	f.addOptions()
	s.StringVar(&f.python, "python", "", "interpreter or virtual environment that holds IREE's packages, instead of zonemark's own")
	s.StringVarP(&f.traceFile, "trace-file", "t", "", "keep the Tracy capture of the traced pass in this file")
	s.StringVarP(&f.dispatchFile, "dispatch-csv", "d", "", "write a row for each dispatch of each traced call to this file, as CSV; a profiler knows no single calls: its rows are medians")
	s.Var(cli.Choice[runtimes.Source]{Value: &f.dispatches, Words: runtimes.Sources()}, "dispatches",
		"where the times of dispatches come from: profile: the runtime's own profiler, in the executor (capi) or in a tool of IREE's; tracy: a capture; "+
			"auto: the profiler in the executor, else a capture, else the tool; off")
	s.StringVar(&f.group, "group", "", "compare variants: functions of equal signature, or of equal match of this regular expression (its first parenthesis, if any)")
	s.Lookup("group").NoOptDefVal = groupAuto
	s.StringVar(&f.filter, "filter", "", "keep only invocations whose name matches this regular expression")
	s.BoolVar(&f.dryRun, "dry-run", false, "show what would be measured, and stop")
	keys.add("check")
	s.StringVarP(&f.output, "output", "o", "", "write the journal to this file, one line for each result as it comes")
	s.BoolVar(&f.resume, "resume", false, "continue the journal of -o: measure only what it does not hold")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace the journal of -o if there is one")
	s.StringVar(&f.format, "format", "text", "report on standard output: "+strings.Join(p.Formats.Names(), ", "))
	keys.add("timeout", "memory")
	keys.add()
	s.Var(cli.Choice[sandbox.Mode]{Value: &f.sandbox, Words: []sandbox.Mode{sandbox.Auto, sandbox.Require, sandbox.Off}}, "sandbox",
		"auto: every layer that works here; require: fail when one is missing; off")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages but errors")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each result as it comes, and what the counters counted")
	return f
}

// groupAuto is the value of a --group without one.
const groupAuto = "signature"

// hosting says how executors are started that see certain variables and may write to the folder scratch.
func (f *measureFlags) hosting(v environ.Variables, scratch string) hosting.Options {
	return hosting.Options{
		Counters: f.counters, Sandbox: f.sandbox, MemoryBytes: f.inv.Limits.MemoryBytes, Scratch: scratch, Variables: v,
	}
}

// parse reads the arguments and checks what single flags cannot. It returns the paths; cli.ErrHelp when help was printed.
func (f *measureFlags) parse(s cli.Streams, args []string, intro string) ([]string, error) {
	if err := f.set.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(s.Out, intro, "\nFlags:\n", f.set.FlagUsagesWrapped(cli.TerminalWidth(s.Out)))
			return nil, cli.ErrHelp
		}
		return nil, cli.FlagError(err, f.set)
	}
	var err error
	if f.filterRE, err = cli.Compile("--filter", f.filter); err != nil {
		return nil, err
	}
	if _, err := f.program.Formats.Lookup(f.format); err != nil {
		return nil, fmt.Errorf("--format: %w", err)
	}
	switch {
	case f.resume && f.overwrite:
		return nil, errors.New("--resume continues a journal and --overwrite throws it away; give one of them")
	case (f.resume || f.overwrite) && f.output == "":
		return nil, errors.New("--resume and --overwrite need the journal: -o FILE")
	case f.inv.Measure.MaxTimeNS == 0:
		return nil, errors.New("--max-time: want more than 0")
	case f.inv.Measure.Launches > 10_000:
		return nil, errors.New("--launches: want at most 10000")
	}
	if err := f.settleTimes(); err != nil {
		return nil, err
	}
	if err := f.settleDispatches(); err != nil {
		return nil, err
	}
	if f.inv.Limits.TimeoutNS < 2*f.inv.Measure.MaxTimeNS && !f.set.Changed("timeout") {
		f.inv.Limits.TimeoutNS = 2*f.inv.Measure.MaxTimeNS + int64(defaultTimeout)
	}
	if f.set.Changed("input-sets-minimum-size-mb") && !f.set.Changed("mode") && f.inv.Measure.SetBytes > 0 {
		f.inv.Measure.Mode = invocations.Cold
	}
	if f.inv.Measure.SetBytes > 0 && f.inv.Measure.Mode != invocations.Cold {
		return nil, fmt.Errorf("--input-sets-minimum-size-mb means something in mode cold only, not in mode %s", f.inv.Measure.Mode)
	}
	return f.set.Args(), nil
}

// settleTimes lets a time that was given move the one that was not.
func (f *measureFlags) settleTimes() error {
	least, most := &f.inv.Measure.MinTimeNS, &f.inv.Measure.MaxTimeNS
	chosen := f.set.Changed("min-time") || f.set.Changed("min-time-in-sec")
	switch {
	case !f.set.Changed("max-time"):
		*most = max(*most, 2**least)
	case !chosen:
		*least = min(*least, *most)
	case *least > *most:
		return fmt.Errorf("--min-time %v is longer than --max-time %v", time.Duration(*least), time.Duration(*most))
	}
	return nil
}

// base is what the flags say of every invocation.
func (f *measureFlags) base() (invocations.Invocation, error) {
	inv := f.inv
	inv.Artifact.Options = maps.Clone(f.options)
	var err error
	if inv.Arguments, err = inputArguments(f.inputs); err != nil {
		return inv, err
	}
	if err := checkExpected(f.expected); err != nil {
		return inv, err
	}
	inv.Verify.Expected = f.expected
	return inv, nil
}

// override puts the flags that were given into an invocation of a suite: the command line wins over the file.
func (f *measureFlags) override(inv *invocations.Invocation) {
	overrideKeys(f.set, &f.inv, inv, suite.Keys())
	if f.set.Changed("input-sets-minimum-size-mb") { // which means mode cold
		inv.Measure.Mode = f.inv.Measure.Mode
	}
	for key, value := range f.options {
		inv.SetOption(key, value)
	}
}

// sweep expands NAME=V1,V2 parameters into their product, first name slowest. The names get a suffix when there is a choice.
func (f *measureFlags) sweep(base invocations.Invocation) ([]invocations.Invocation, error) {
	list := []invocations.Invocation{base}
	for _, text := range f.parameters {
		name, values, ok := strings.Cut(text, "=")
		if !ok || name == "" || values == "" {
			return nil, fmt.Errorf("--param %q: want NAME=VALUE, or NAME=VALUE,VALUE… to sweep", text)
		}
		points := strings.Split(values, ",")
		if len(list)*len(points) > 1_000_000 {
			return nil, fmt.Errorf("--param %s: more than a million combinations", name)
		}
		var next []invocations.Invocation
		for _, inv := range list {
			if _, twice := inv.Parameters[name]; twice {
				return nil, fmt.Errorf("--param %s is given twice; give all its values at once, separated by commas", name)
			}
			for _, value := range points {
				next = append(next, withParameter(inv, name, strings.TrimSpace(value), len(points) > 1))
			}
		}
		list = next
	}
	return list, nil
}

func withParameter(inv invocations.Invocation, name, value string, suffix bool) invocations.Invocation {
	ps := map[string]string{name: value}
	for k, v := range inv.Parameters {
		ps[k] = v
	}
	inv.Parameters = ps
	if suffix {
		inv.Name += "/" + name + "=" + value
	}
	return inv
}

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
	dryRun, checkOnly  bool
	quiet, verbose     bool
	runtime            string
	python             string
	counters           string
	traceFile          string
	dispatchFile       string
	dispatches         runtimes.Source
	functions          []string
	inputs, parameters []string
	options            map[string]string // of artifacts
	expected           []string
	tolerance          float64
	group              string
	sandbox            sandbox.Mode
	launches           int64
	measure            invocations.Measure
	limits             invocations.Limits
}

func newMeasureFlags(name string, p program.Program) *measureFlags {
	f := &measureFlags{
		program: p, set: pflag.NewFlagSet(name, pflag.ContinueOnError), sandbox: sandbox.Auto,
		dispatches: runtimes.SourceAuto, counters: hosting.CountersAuto,
	}
	f.measure = invocations.Measure{
		Mode: invocations.Warm, Precision: defaultPrecision, MinTimeNS: int64(defaultMinTime), MaxTimeNS: int64(defaultMaxTime),
		MinIterations: defaultMinIterations, Rounds: 1, CPU: -1,
	}
	f.limits.TimeoutNS = int64(defaultTimeout)
	s := f.set
	s.SortFlags = false
	s.SetOutput(io.Discard) // we print errors and help ourselves
	s.SetNormalizeFunc(cli.NormalizeFlag)
	m := &f.measure
	modes := []invocations.Mode{invocations.Warm, invocations.Cold, invocations.Flush, invocations.Serialized}
	usage := "warm: one argument set again and again; cold: shuffled sets beyond the last-level cache; " +
		"flush: lines evicted before each call; serialized: no overlap between calls"
	for _, mode := range p.Runtimes.Modes() {
		usage += "; " + mode.Name + ": " + mode.Usage + " (warm, or with a second --mode as that one says)"
	}
	s.Var(modeValue{cli.Choice[invocations.Mode]{Value: &m.Mode, Words: modes}, p.Runtimes.Modes(), f.setOption}, "mode", usage)
	s.Var(cli.Fraction{Value: &m.Precision}, "precision", "stop when launches agree so well that a second run would differ by no more than this fraction, 95 % confidence; 0: do not look")
	s.Var(cli.Duration{NS: &m.MinTimeNS}, "min-time", "measure at least this long, all launches together")
	s.Var(cli.Duration{NS: &m.MaxTimeNS}, "max-time", "stop measuring a function after this time, converged or not, when it has had its least number of launches")
	s.Var(cli.Count{N: &m.MinIterations}, "min-iterations", "measure at least this many calls")
	s.Var(cli.Count{N: &m.CallsPerBatch}, "calls-per-batch", "calls between two clock reads; 0: chosen to be long against the clock")
	s.Var(cli.Bytes{Bytes: &m.SetBytes, Unit: 1 << 20}, "input-sets-minimum-size-mb", "total size of the argument sets in mode cold; 0: twice the last-level cache")
	s.Var(cli.Count{N: &f.launches}, "launches", "measure each function in so many fresh executors; 0: as many as --precision needs, at least 5, of variants 10")
	s.Var(cli.Count{N: &f.launches}, "repetitions", "the same as --launches")
	s.BoolVar(&m.HugePages, "huge-pages", false, "arguments lie in huge pages, where the system has them")
	s.Var(hosting.CounterList{Text: &f.counters}, "counters", "events of the processor to count: auto, off, or a list such as instructions,branch_misses,cpu/r01c2/; auto counts them and shows them with -v")
	s.Var(cli.CPU{Number: &m.CPU}, "cpu", "pin the measuring thread to this CPU")
	s.Uint64Var(&m.Seed, "seed", 0, "seed of random contents and of the order of measuring")
	s.Var(cli.List{List: &f.functions, Kind: "name"}, "function", "measure only this function; repeatable")
	s.Var(cli.List{List: &f.inputs, Kind: "tensor"}, "input",
		"4x4xf32=0.5, 4xi32=1,2,3,4, 8xf32, FILE.npy: the next argument; ARG=CONTENTS for an argument's name or position: random[:SEED], zeros, iota, a number, FILE.npy; repeatable")
	s.Var(cli.List{List: &f.expected, Kind: "tensor"}, "expected-output", "what the next output must be: FILE.npy, or a tensor such as 4x4xf32=0.5; repeatable")
	s.Var(cli.Fraction{Value: &f.tolerance}, "tolerance", "relative tolerance of outputs; 0: the default of the element type")
	s.Var(cli.List{List: &f.parameters, Kind: "name=value"}, "param", "NAME=VALUE[,VALUE…] for a runtime size or scalar; a list is swept; repeatable")
	s.StringVar(&f.runtime, "runtime", "", "runtime of the artifacts, when their names do not tell: "+strings.Join(p.Runtimes.Names(), ", "))
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
	s.BoolVarP(&f.checkOnly, "check", "c", false, "call each function once and check its outputs; measure nothing")
	s.StringVarP(&f.output, "output", "o", "", "write the journal to this file, one line for each result as it comes")
	s.BoolVar(&f.resume, "resume", false, "continue the journal of -o: measure only what it does not hold")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace the journal of -o if there is one")
	s.StringVar(&f.format, "format", "text", "report on standard output: "+strings.Join(p.Formats.Names(), ", "))
	s.Var(cli.Duration{NS: &f.limits.TimeoutNS}, "timeout", "kill an invocation that takes longer, preparation included")
	s.Var(cli.Bytes{Bytes: &f.limits.MemoryBytes}, "memory", "data memory that an executor may take (default: three quarters of what is free)")
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
		Counters: f.counters, Sandbox: f.sandbox, MemoryBytes: f.limits.MemoryBytes, Scratch: scratch, Variables: v,
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
	case f.measure.MaxTimeNS == 0:
		return nil, errors.New("--max-time: want more than 0")
	case f.launches > 10_000:
		return nil, errors.New("--launches: want at most 10000")
	}
	if err := f.settleTimes(); err != nil {
		return nil, err
	}
	if err := f.settleDispatches(); err != nil {
		return nil, err
	}
	if f.limits.TimeoutNS < 2*f.measure.MaxTimeNS && !f.set.Changed("timeout") {
		f.limits.TimeoutNS = 2*f.measure.MaxTimeNS + int64(defaultTimeout)
	}
	if f.set.Changed("input-sets-minimum-size-mb") && !f.set.Changed("mode") && f.measure.SetBytes > 0 {
		f.measure.Mode = invocations.Cold
	}
	if f.measure.SetBytes > 0 && f.measure.Mode != invocations.Cold {
		return nil, fmt.Errorf("--input-sets-minimum-size-mb means something in mode cold only, not in mode %s", f.measure.Mode)
	}
	return f.set.Args(), nil
}

// settleTimes lets a time that was given move the one that was not.
func (f *measureFlags) settleTimes() error {
	least, most := &f.measure.MinTimeNS, &f.measure.MaxTimeNS
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
	inv := invocations.Invocation{Runtime: f.runtime, Measure: f.measure, Limits: f.limits}
	inv.Measure.CheckOnly = f.checkOnly
	inv.Measure.Launches = int(f.launches)
	inv.Artifact.Options = maps.Clone(f.options)
	var err error
	if inv.Arguments, err = inputArguments(f.inputs); err != nil {
		return inv, err
	}
	if err := checkExpected(f.expected); err != nil {
		return inv, err
	}
	inv.Verify = invocations.Verification{Expected: f.expected, Tolerance: f.tolerance}
	return inv, nil
}

// override puts the flags that were given into an invocation of a suite: the command line wins over the file.
func (f *measureFlags) override(inv *invocations.Invocation) {
	m := &inv.Measure
	for name, set := range map[string]func(){
		"mode":                       func() { m.Mode = f.measure.Mode },
		"precision":                  func() { m.Precision = f.measure.Precision },
		"min-time":                   func() { m.MinTimeNS = f.measure.MinTimeNS },
		"max-time":                   func() { m.MaxTimeNS = f.measure.MaxTimeNS },
		"min-iterations":             func() { m.MinIterations = f.measure.MinIterations },
		"calls-per-batch":            func() { m.CallsPerBatch = f.measure.CallsPerBatch },
		"input-sets-minimum-size-mb": func() { m.SetBytes, m.Mode = f.measure.SetBytes, f.measure.Mode },
		"launches":                   func() { m.Launches = int(f.launches) },
		"repetitions":                func() { m.Launches = int(f.launches) },
		"huge-pages":                 func() { m.HugePages = f.measure.HugePages },
		"cpu":                        func() { m.CPU = f.measure.CPU },
		"seed":                       func() { m.Seed = f.measure.Seed },
		"timeout":                    func() { inv.Limits.TimeoutNS = f.limits.TimeoutNS },
		"memory":                     func() { inv.Limits.MemoryBytes = f.limits.MemoryBytes },
		"runtime":                    func() { inv.Runtime = f.runtime },
		"check":                      func() { m.CheckOnly = f.checkOnly },
	} {
		if f.set.Changed(name) {
			set()
		}
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

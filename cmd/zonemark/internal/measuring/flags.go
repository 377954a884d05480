package measuring

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/report"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/environ"

	"github.com/spf13/pflag"
)

const (
	defaultMinTime       = 250 * time.Millisecond
	defaultMaxTime       = 2 * time.Second
	comparisonTime       = 10 * time.Second
	defaultMinIterations = 10
	defaultPrecision     = 0.01
	defaultTimeout       = 60 * time.Second
	groupLaunches        = 10 // of compared invocations, so that there are enough pairs of launches
)

// Flags are the flags of the verbs that measure, with their program.
type Flags struct {
	program.Program
	Set *pflag.FlagSet // flags may be added before Parse

	// Base holds what the flags of suite keys set for each invocation: the runtime, how calls are measured, limits.
	Base       invocations.Invocation
	Functions  []string // that are measured; empty: all
	Parameters []string // NAME=VALUE[,VALUE…] of --param
	Python     string   // interpreter or virtual environment with what runtimes need
	Quiet      bool
	Verbose    bool

	verb              string            // "run"
	arguments         []string          // of the command line behind the verb; nil before Parse
	origins           []origin          // of the requests that join has yielded last
	options           map[string]string // of artifacts
	inputs, expected  []string
	group             string
	filter            string
	filterRE          *regexp.Regexp
	dryRun            bool
	counters          string
	sandbox           sandbox.Mode
	sandboxRead       []string
	environment       []string // names of variables
	via               []string // commands that lead to the hosts that measure; empty: this machine does
	viaOf             string   // the suite that names them; empty: the user has given them
	spread            bool     // every host measures every invocation
	spreadOf          string   // the suite that says so; empty: the user has
	sandboxAllow      []string
	sandboxCache      string
	traceFile         string
	dispatchFile      string
	dispatches        runtimes.Source
	output            string
	resume, overwrite bool
	shards, shard     int64 // parts of the plan, 0: it stays whole; the part that is measured
	costs             string
	format            string
	pageFile          string
	bundleFile        string
	dispatchOrder     report.DispatchOrder
	dispatchLimit     int64
	plot              bool
}

// NewFlags returns the flags of a verb that measures.
func NewFlags(name string, p program.Program) *Flags {
	f := newFlags(name, p)
	f.addAll()
	return f.described()
}

// NewArtifactFlags returns the flags of a verb that only reads artifacts: their runtime, and the options of runtimes.
// Other settings have their defaults.
func NewArtifactFlags(name string, p program.Program) *Flags {
	f := newFlags(name, p)
	f.addArtifact()
	return f.described()
}

// NewMakerFlags returns the flags of a verb that makes what it measures: how calls are measured, the runtime with its
// options, and executors. The verb decides on all else: there are no paths, no journal, and no dispatches. addOwn adds
// the verb's own flags, which come first in the help text.
func NewMakerFlags(name string, p program.Program, addOwn func(*pflag.FlagSet)) *Flags {
	f := newFlags(name, p)
	f.dispatches = runtimes.SourceOff
	addOwn(f.Set)
	f.addMaker()
	return f.described()
}

// NewBenchmarkFlags returns the flags of a verb that makes what it measures, and that keeps and reports the results as
// run does: those of NewMakerFlags, with the sources of dispatches, the journal and the report.
func NewBenchmarkFlags(name string, p program.Program, addOwn func(*pflag.FlagSet)) *Flags {
	f := newFlags(name, p)
	addOwn(f.Set)
	f.addBenchmark()
	return f.described()
}

// NewComparisonFlags returns the flags of a verb that measures paths or commands against each other: what is measured
// and how, and executors. The verb keeps and reports the results. addOwn adds the verb's own flags, which come first in
// the help text.
func NewComparisonFlags(name string, p program.Program, addOwn func(*pflag.FlagSet)) *Flags {
	f := newFlags(name, p)
	f.Base.Measure.MaxTimeNS, f.Base.Measure.Precision = int64(comparisonTime), 0 // launches are of equal length
	addOwn(f.Set)
	f.addComparison()
	return f.described()
}

// NewReplayFlags returns the flags of a verb that measures what a plan from elsewhere describes: how executors are
// confined, and which counters are read. addOwn adds the verb's own flags, which come first in the help text.
func NewReplayFlags(name string, p program.Program, addOwn func(*pflag.FlagSet)) *Flags {
	f := newFlags(name, p)
	f.dispatches = runtimes.SourceOff
	addOwn(f.Set)
	f.addPython()
	f.Base.Limits.Profile = string(sandbox.Plain) // whatever a stranger's plan asks for
	f.keys().add("timeout", "memory", "threads", "sandbox-profile")
	f.addConfinement()
	return f.described()
}

// NewShardFlags returns the flags of a verb that has others measure paths in shards: what is measured and how, and
// executors. addOwn adds the verb's own flags, which come first in the help text.
func NewShardFlags(name string, p program.Program, addOwn func(*pflag.FlagSet)) *Flags {
	f := newFlags(name, p)
	addOwn(f.Set)
	f.addForShards()
	return f.described()
}

// NewFixedFlags returns the flags of a verb that always measures the same functions, and that keeps and reports the
// results as run does: how calls are measured, the journal, the report and executors.
func NewFixedFlags(name string, p program.Program, addOwn func(*pflag.FlagSet)) *Flags {
	f := newFlags(name, p)
	f.dispatches = runtimes.SourceOff
	addOwn(f.Set)
	f.addFixed()
	return f.described()
}

// described adds to the flags what their help and their errors need.
func (f *Flags) described() *Flags {
	nameElsewhere(f.Set)
	f.addTopics()
	return f
}

func newFlags(name string, p program.Program) *Flags {
	return &Flags{
		Program: p, verb: name, Set: cli.NewFlagSet(name), sandbox: sandbox.Auto, dispatches: runtimes.SourceAuto,
		counters: hosting.CountersAuto, format: "text",
		dispatchOrder: report.AutoOrder, dispatchLimit: report.FewDispatches,
		Base: invocations.Invocation{
			Measure: invocations.Measure{
				Mode: invocations.Warm, Restore: invocations.RestoreAuto, Placement: invocations.Vary,
				Precision: defaultPrecision, MinTimeNS: int64(defaultMinTime),
				MaxTimeNS: int64(defaultMaxTime), MinIterations: defaultMinIterations, CPU: -1,
			},
			Limits: invocations.Limits{TimeoutNS: int64(defaultTimeout), Threads: invocations.DefaultThreads},
		},
	}
}

// groupAuto is the value of --group if none is given.
const groupAuto = "signature"

// hosting returns the options for starting executors that see certain variables and may write to the folder scratch.
func (f *Flags) hosting(v environ.Variables, scratch string) hosting.Options {
	return hosting.Options{
		Counters: f.counters, Sandbox: f.sandbox, MemoryBytes: f.Base.Limits.MemoryBytes,
		Threads: f.Base.Limits.Threads, Scratch: scratch, Variables: v,
		Environment: f.environment, Read: f.sandboxRead, Allow: f.sandboxAllow, Home: f.sandboxCache,
	}
}

// Building returns what confines programs that build something in this process.
func (f *Flags) Building(v environ.Variables) building.Confine { return f.hosting(v, "").Building() }

// ParseAlone reads the arguments and checks each flag alone. It returns cli.ErrHelp if it has printed intro and the flags.
func (f *Flags) ParseAlone(args []string, intro string) error {
	f.arguments = args
	return cli.Parse(f.Set, f.Streams, args, intro)
}

// Parse reads the arguments, checks combinations of flags, and returns the paths. It returns cli.ErrHelp if it has
// printed intro and the flags.
func (f *Flags) Parse(args []string, intro string) ([]string, error) {
	err := f.ParseAlone(args, intro)
	if err != nil {
		return nil, err
	}
	if f.filterRE, err = cli.Compile("--filter", f.filter); err != nil {
		return nil, err
	}
	if _, err := f.Formats.Lookup(f.format); err != nil {
		return nil, fmt.Errorf("--format: %w", err)
	}
	switch {
	case f.plot && f.format != "text":
		return nil, fmt.Errorf("--histogram draws in the format text, not in %s", f.format)
	case f.resume && f.overwrite:
		return nil, errors.New("--resume continues a journal and --overwrite throws it away; give one of them")
	case (f.resume || f.overwrite) && f.output == "":
		return nil, errors.New("--resume and --overwrite need the journal: -o FILE")
	case f.Base.Measure.MaxTimeNS == 0:
		return nil, errors.New("--max-time: want more than 0")
	case f.Base.Measure.Launches > mostLaunches:
		return nil, fmt.Errorf("--launches: want at most %d", mostLaunches)
	}
	if err := f.checkShards(); err != nil {
		return nil, err
	}
	if err := f.settleTimes(); err != nil {
		return nil, err
	}
	if err := f.settleDispatches(); err != nil {
		return nil, err
	}
	if limits := &f.Base.Limits; f.Set.Changed("timeout") {
		limits.BuildNS = limits.TimeoutNS
	} else if limits.TimeoutNS < 2*f.Base.Measure.MaxTimeNS {
		limits.TimeoutNS = 2*f.Base.Measure.MaxTimeNS + int64(defaultTimeout)
	}
	if f.Set.Changed("input-sets-minimum-size-mb") && !f.Set.Changed("mode") && f.Base.Measure.SetBytes > 0 {
		f.Base.Measure.Mode = invocations.Cold
	}
	if err := f.checkVia(); err != nil {
		return nil, err
	}
	if f.Base.Measure.SetBytes > 0 && f.Base.Measure.Mode != invocations.Cold {
		return nil, fmt.Errorf("--input-sets-minimum-size-mb means something in mode cold only, not in mode %s",
			f.Base.Measure.Mode)
	}
	return f.Set.Args(), nil
}

// Format returns the name of the report's format.
func (f *Flags) Format() string { return f.format }

// shownDispatches returns how the report shows dispatches.
func (f *Flags) shownDispatches() report.DispatchOptions {
	o := report.DispatchOptions{Order: f.dispatchOrder}
	if f.Set.Changed("dispatch-limit") {
		if o.Limit = int(f.dispatchLimit); o.Limit == 0 {
			o.Limit = -1 // all
		}
	}
	return o
}

// settleTimes adapts the default of one time to the other one if only that was given.
func (f *Flags) settleTimes() error {
	least, most := &f.Base.Measure.MinTimeNS, &f.Base.Measure.MaxTimeNS
	chosen := f.Set.Changed("min-time") || f.Set.Changed("min-time-in-sec")
	switch {
	case !f.Set.Changed("max-time"):
		*most = max(*most, 2**least)
	case !chosen:
		*least = min(*least, *most)
	case *least > *most:
		return fmt.Errorf("--min-time %v is longer than --max-time %v", time.Duration(*least), time.Duration(*most))
	}
	return nil
}

// settleDispatches checks the flags about dispatches against each other.
func (f *Flags) settleDispatches() error {
	kept := ""
	switch {
	case f.traceFile != "":
		kept = "--trace-file"
		if f.dispatches == runtimes.SourceOff || f.dispatches == runtimes.SourceProfile {
			return fmt.Errorf("%s needs a capture; leave out --dispatches %s, or say --dispatches tracy", kept,
				f.dispatches)
		}
		f.dispatches = runtimes.SourceTracy
	case f.dispatchFile != "":
		kept = "--dispatch-csv"
		if f.dispatches == runtimes.SourceOff {
			return fmt.Errorf("%s needs dispatches; leave out --dispatches %s", kept, f.dispatches)
		}
	default:
		return nil
	}
	if f.Base.Measure.CheckOnly {
		return fmt.Errorf("%s and --check: a check measures nothing and traces nothing; leave one of them out", kept)
	}
	return nil
}

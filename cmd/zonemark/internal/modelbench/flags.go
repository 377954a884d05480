package modelbench

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/modelexports"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/remoting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/bench"
	"zonemark/executor/sandbox"
	"zonemark/executor/tt"

	"github.com/spf13/pflag"
)

const (
	defaultBenchTimeout = 10 * time.Minute
	formatRecord        = "json" // a format for benchmarks only: the records as -o writes them
	// pairedRepetitions is the number of repetitions of runtimes that are compared, if the user gives none. With few
	// pairs, the interval of a ratio is wide.
	pairedRepetitions = 10
)

// intro is the help above the flags.
func intro() string {
	return "Measure models end to end on PJRT devices and on IREE, with the flags of PyBuda's benchmark. " +
		"Models are exported as StableHLO with seeded random weights, checked against JAX's own\n" +
		"results, and measured in a sandboxed child process. " +
		"JAX and Keras are installed into zonemark's cache where they are missing." + `

Usage: zonemark bench -m MODEL [-c CONFIG] [flags]

` + cli.Wrapped("The time: "+bench.Definition+". Beside it, "+bench.SteadyDefinition+".", 160) + `

Examples:
  zonemark bench --list
  zonemark bench -m bert -c tiny -o perf.json
  zonemark bench -m bert -c base --layers 2 -t -df Fp16_b --chips 0
  zonemark bench -m bert -c tiny -df Bfp8_b --emulate-formats
  zonemark bench -m bert -c tiny --runtime tt,iree     both, in turns, with the ratio of their times
  zonemark bench -m bert -c tiny --via "ssh HOST"      on another host, which needs no JAX
  zonemark bench -m mlp -c small --own-models my_models/
`
}

// Flags are the flags of the verb bench. They fill the settings of a task, and what else only models have.
type Flags struct {
	measuring.Task
	Options bench.Options

	set           *pflag.FlagSet
	profile       sandbox.Profile // empty: by the device
	format        string
	python        string
	exportTimeout int64
	device        string
	runtimes      string
	backends      []backend // the runtimes that --runtime names
	// runtimeOptions are options of IREE modules that were given, by their names.
	runtimeOptions map[string]string
	runtimeParams  string
	deviceConfig   string
}

// NewFlags returns the flags of the verb bench.
func NewFlags(p program.Program) *Flags {
	s := measuring.DefaultSettings()
	s.Base.Limits.TimeoutNS = int64(defaultBenchTimeout)
	s.Dispatches = runtimes.SourceOff // --trace asks for profiled calls, module by module
	f := &Flags{
		Task: *measuring.NewTask(p, s), set: cli.NewFlagSet("bench"), Options: bench.DefaultOptions(),
		exportTimeout: int64(modelexports.DefaultTimeout), runtimeOptions: map[string]string{},
	}
	f.addModelFlags()
	f.addDeviceFlags()
	f.addOldFlags()
	f.addOwnFlags()
	cli.AddTopics(f.set, topics)
	cli.AddTopics(f.set, measureflags.Topics())
	return f
}

// topics are the flags that most people do not need, beside those of all verbs that measure.
var topics = []cli.Topic{
	{Name: "device", Summary: "the device, its compiler, and how a runtime runs the model", Flags: []string{
		"plugin", "chips", "compile-option", "math-fidelity", "backend-opt-level", "device", "provider", "task-threads",
		"compile-flags", "arch", "perf-analysis", "env", "emulate-formats",
	}},
	{Name: "pybuda", Summary: "flags of PyBuda's benchmark that are only recorded, or refused", Flags: []string{
		"device-config", "runtime-params-yaml", "balancer-policy", "recompute", "auto-transpose", "galaxy",
		"single-thread", "load-tti", "save-tti", "parallel-tti", "disable-output", "microbatch-count",
	}},
	{Name: "outputs", Summary: "how models are exported, and several hosts", Flags: []string{
		"python", "export-timeout", "own-models", "spread", "cpu", "seed", "layers",
	}},
}

// addModelFlags adds the flags for what is measured, and how often.
func (f *Flags) addModelFlags() {
	s, o := f.set, &f.Options
	s.StringVarP(&o.Model, "model", "m", "", "the model; --list shows all")
	s.StringVarP(&o.Config, "config", "c", "", "its configuration, where it has several")
	s.BoolVarP(&o.Training, "training", "t", false, "loss and gradients instead of inference")
	s.StringVar(&o.DataFormat, "dataformat", o.DataFormat,
		"-df: element type of weights and activations: "+strings.Join(bench.DataFormats(),
			", ")+"; without it, Fp32 on devices without block formats")
	s.BoolVar(&o.EmulateFormats, "emulate-formats", false, "on a device without block formats, round weights and "+
		"activations to the one of -df: shows its accuracy, not its speed")
	s.Int64Var(&o.LoopCount, "loop-count", 0, "executions of a repetition; 0: 5 for each chip")
	s.Var(cli.Count(&o.Repetitions), "repetitions",
		"how often loop_count executions are timed, each time in a fresh process; the median one counts")
	s.Int64Var(&o.Microbatch, "microbatch", 0, "-mb: batch dimension of an execution, where the model allows it; 0: "+
		"the model's own")
	s.Int64Var(&o.MicrobatchCount, "microbatch-count", o.MicrobatchCount,
		"must divide loop_count; executions follow each other one by one anyway")
	s.IntVar(&o.Layers, "layers", 0, "layers, where the model allows a choice; 0: as published")
	s.BoolVar(&o.Generative, "generative", false, "the whole decoding of a generative model, token by token; "+
		"samples are tokens then")
	s.Uint64Var(&o.Seed, "seed", 0, "seed of the weights")
	s.StringArrayVar(&o.Models, "own-models", nil, "folder, or file, with models of your own; repeatable")
	cli.Formerly(s, "own-models", "models")
	s.BoolVarP(&o.List, "list", "l", false, "show models, configurations, sizes and FLOP, and stop")
}

// addDeviceFlags adds the flags for the device.
func (f *Flags) addDeviceFlags() {
	s, o := f.set, &f.Options
	s.StringVar(&f.runtimes, "runtime", tt.Name, "runtimes that run the model, separated by commas: "+
		strings.Join(namesOf(backends()), ", ")+", or "+cli.All+"; several are compared, without transfers of inputs "+
		"and results")
	cli.Takes(s, "runtime", append(namesOf(backends()), cli.All))
	s.StringVar(&o.Plugin, "plugin", "", "PJRT plugin of the device: a path, tt (Tenstorrent's) or cpu (XLA's); "+
		"ZONEMARK_PJRT_PLUGIN when left out")
	s.IntVar(&o.Chips, "chips", o.Chips, "chips that run the model at once, each with the same inputs; 0: all")
	s.StringArrayVar(&o.CompileOptions, "compile-option", nil, "one option of the plugin's compiler, NAME=VALUE; "+
		"repeatable")
	s.StringVar(&o.MathFidelity, "math-fidelity", o.MathFidelity, "-mf: multiplication phases of Tenstorrent's "+
		"matrix units: "+strings.Join(bench.MathFidelities(), ", "))
	s.IntVar(&o.BackendOptLevel, "backend-opt-level", o.BackendOptLevel, "-opt: 0 to 4; on Tenstorrent's plugin its "+
		"optimization_level 0 to 2, on the CPU XLA's backend optimization level 0 to 3")
	s.StringVar(&f.device, "device", "", "of tt: silicon, the device of --plugin, or golden, the CPU; of iree: "+
		defaultIREEDevice+", local-sync, or another that the runtime has")
	f.addIREEFlags()
	s.StringVar(&o.Arch, "arch", "",
		"only recorded: the device tells its architecture ("+strings.Join(bench.Architectures(), ", ")+")")
	s.StringVar(&o.Trace, "trace", o.Trace, "where the time goes: none; light: by module, or by operation where the "+
		"device tells; verbose: by operation")
	s.BoolVar(&o.PerfAnalysis, "perf-analysis", false, "what the plugin's cost analysis tells")
	s.StringVarP(&o.Env, "env", "e", "", "NAME or NAME=VALUE, separated by spaces: set in the environment of the "+
		"exporter and of the device's process")
}

// addOldFlags adds the other flags of PyBuda's benchmark. bench.Options describes their effect.
func (f *Flags) addOldFlags() {
	s, o := f.set, &f.Options
	const kept = "of PyBuda's benchmark; recorded as not applied"
	const refused = "of PyBuda's benchmark; refused"
	s.StringVar(&f.deviceConfig, "device-config", "", kept)
	s.StringVar(&f.runtimeParams, "runtime-params-yaml", "", kept)
	s.StringVar(&o.BalancerPolicy, "balancer-policy", o.BalancerPolicy, "-bp: "+kept)
	s.BoolVar(&o.Recompute, "recompute", false, kept)
	s.BoolVar(&o.AutoTranspose, "auto-transpose", false, kept)
	s.BoolVar(&o.Galaxy, "galaxy", false, kept)
	s.BoolVar(&o.SingleThread, "single-thread", false, "of PyBuda's benchmark: one thread issues all work, which is "+
		"so in any case")
	s.StringVar(&o.LoadTTI, "load-tti", "", refused)
	s.StringVar(&o.SaveTTI, "save-tti", "", refused)
	s.StringVar(&o.ParallelTTI, "parallel-tti", "", refused)
}

// addOwnFlags adds the flags for where results go, and flags of other verbs.
func (f *Flags) addOwnFlags() {
	s, o := f.set, &f.Options
	s.StringVarP(&o.Output, "output", "o", "", "append a record to this JSON list; \".json\" is added when missing; "+
		"with a name that ends in "+journalExtension+", write the journal of the modules instead")
	s.BoolVar(&f.Resume, "resume", false, measureflags.ResumeUsage)
	s.BoolVar(&f.Overwrite, "overwrite", false, "replace the journal of -o if there is one")
	s.IntVar(&o.DisableOutput, "disable-output", 0, "1: write no record")
	formats := append(f.Formats.Names(), formatRecord)
	s.StringVar(&f.format, "format", "text", "report on standard output: "+strings.Join(formats, ", "))
	cli.Takes(s, "format", formats)
	s.StringVar(&f.python, "python", "", "interpreter or virtual environment with jax and keras, instead of "+
		"zonemark's own; ZONEMARK_MODELS_PYTHON when left out")
	s.Var(cli.Duration(&f.exportTimeout), "export-timeout", "end an export that takes longer")
	s.Var(cli.Duration(&f.Base.Limits.TimeoutNS), "timeout", "kill a repetition of a module that takes longer, "+
		"preparation included")
	s.Var(cli.CPU(&f.Base.Measure.CPU), "cpu", "pin the measuring thread to this CPU")
	s.Var(cli.Bytes(&f.Base.Limits.MemoryBytes), "memory", "memory that an executor may touch, shared memory and "+
		"temporary files included (default: three quarters of what is free)")
	s.Int64Var(&f.Base.Limits.Threads, "threads", f.Base.Limits.Threads, "threads that an executor may have")
	s.Var(hosting.SandboxFlag(&f.Sandbox), "sandbox",
		"auto: every layer that works here; require: fail when one is missing; off")
	s.Var(cli.Choice(&f.profile, sandbox.Profiles()), "sandbox-profile",
		hosting.ProfileUsage)
	s.Var(hosting.ReadFlag(&f.SandboxRead), "sandbox-read", hosting.ReadUsage)
	s.Var(cli.List(&f.Via, "command"), "via", remoting.Usage+"with --spread, on each of several hosts")
	s.BoolVar(&f.Spread, "spread", false, "with several hosts (--via), measure the model on all of them, and show how "+
		"much the hosts differ")
	s.Var(hosting.AllowFlag(&f.SandboxAllow), "sandbox-allow", hosting.AllowUsage)
	s.Var(hosting.CacheFlag(&f.SandboxCache), "sandbox-cache", hosting.CacheUsage)
	s.BoolVarP(&f.Quiet, "quiet", "q", false, "no progress and no messages but errors")
	s.BoolVarP(&f.Verbose, "verbose", "v", false, "show what the exporter says")
}

// oldShorthands returns the flags with one hyphen and several letters.
func oldShorthands() map[string]string {
	return map[string]string{"-df": "--dataformat", "-mf": "--math-fidelity", "-opt": "--backend-opt-level",
		"-mb": "--microbatch", "-bp": "--balancer-policy"}
}

// rewriteShorthands replaces flags with one hyphen and several letters by their full names.
func rewriteShorthands(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		name, value, hasValue := strings.Cut(arg, "=")
		if long := oldShorthands()[name]; long != "" {
			if args[i] = long; hasValue {
				args[i] += "=" + value
			}
		}
	}
	return args
}

// recordName returns the name of a flag in records.
func recordName(flag string) string {
	return strings.ReplaceAll(flag, "-", "_")
}

// Parse reads the arguments and checks all that does not depend on the device. It returns cli.ErrHelp if it has printed
// the help.
func (f *Flags) Parse(args []string) error {
	if err := cli.Parse(f.set, f.Streams, rewriteShorthands(args), intro()); err != nil {
		return err
	}
	if f.set.NArg() > 0 {
		if cli.Exists(f.set.Arg(0)) {
			return &cli.Signpost{Text: f.set.Arg(0) + " is no model of bench, which -m names; to measure a file:",
				Command: cli.CommandLine("run", f.set.Args()...)}
		}
		return &cli.Signpost{Text: fmt.Sprintf("bench takes no arguments, and %q is one; -m names the model:", f.set.Arg(0)),
			Command: cli.CommandLine("bench", slices.Insert(slices.Clone(args), slices.Index(args, f.set.Arg(0)), "-m")...)}
	}
	o := &f.Options
	o.Given = map[string]bool{}
	f.set.Visit(func(flag *pflag.Flag) { o.Given[recordName(flag.Name)] = true })
	given := func(name string, value *string, target **string) {
		if o.Given[name] {
			*target = value
		}
	}
	f.Base.Limits.Profile, f.Base.Measure.Seed = string(f.profile), o.Seed
	if err := f.settleRuntimes(); err != nil {
		return err
	}
	given("runtime_params_yaml", &f.runtimeParams, &o.RuntimeParams)
	given("device_config", &f.deviceConfig, &o.DeviceConfig)
	if _, err := f.Formats.Lookup(f.format); err != nil && f.format != formatRecord {
		return fmt.Errorf("--format: %w; bench has %s, too", err, formatRecord)
	}
	if err := f.checkVia(); err != nil {
		return err
	}
	if f.exportTimeout == 0 {
		return errors.New("--export-timeout: want more than 0")
	}
	for i, path := range o.Models { // the exporter runs in another folder
		abs, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("--own-models: %w", err)
		}
		o.Models[i] = abs
	}
	return f.settleOutput()
}

// settleOutput completes the name of the file of records. It returns an error if the file cannot exist.
func (f *Flags) settleOutput() error {
	o := &f.Options
	if strings.EqualFold(filepath.Ext(o.Output), journalExtension) {
		f.Output, o.Output = o.Output, ""
	}
	if err := f.checkJournal(); err != nil {
		return err
	}
	if o.Output == "" || o.DisableOutput == 1 {
		return nil
	}
	if extension := filepath.Ext(o.Output); slices.Contains([]string{".csv", ".tsv", ".html"}, extension) {
		return fmt.Errorf("-o %s: records are JSON; name the file %s, and for a table say --format csv", o.Output,
			strings.TrimSuffix(o.Output, extension)+".json")
	}
	if !strings.HasSuffix(o.Output, ".json") {
		o.Output += ".json"
	}
	return cli.Output{Flag: "-o", Path: o.Output}.Check()
}

// journalExtension is that of journals, by which -o tells them from records.
const journalExtension = ".ndjson"

// checkJournal checks the flags about the journal.
func (f *Flags) checkJournal() error {
	switch {
	case f.Output == "" && (f.Resume || f.Overwrite):
		return errors.New("--resume and --overwrite need the journal: -o FILE" + journalExtension)
	case f.Resume && f.Overwrite:
		return errors.New("--resume continues a journal and --overwrite throws it away; give one of them")
	case f.Resume && f.Spread:
		return errors.New("--resume with --spread: the journal has the results of all hosts together, and records are of " +
			"single hosts; leave out one of them")
	}
	return cli.Output{Flag: "-o", Path: f.Output}.Check()
}

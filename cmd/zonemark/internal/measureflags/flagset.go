package measureflags

import (
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/remoting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/report"
	"zonemark/invocations/suite"

	"github.com/spf13/pflag"
)

// addAll adds every flag, in the order of the help text.
func (f *Flags) addAll() {
	keys := f.keys()
	f.addMeasure(keys)
	f.addSubject(keys)
	f.addDispatches()
	f.addRun(keys)
	f.addExecutors(keys)
}

// addForShards adds the flags of a verb that has others measure paths in shards.
func (f *Flags) addForShards() {
	keys := f.keys()
	f.addDivision()
	f.addMeasure(keys)
	f.addSubject(keys)
	f.addDispatchSource()
	f.addGroup()
	f.addFilter()
	keys.add("check")
	f.addExecutors(keys)
}

// addMaker adds the flags of a verb that makes what it measures.
func (f *Flags) addMaker() {
	keys := f.keys()
	keys.add("runtime")
	f.addOptions()
	f.addPython()
	f.addMeasure(keys)
	keys.add("timeout", "memory", "threads", "sandbox-profile")
	f.addConfinement()
}

// addBenchmark adds the flags of a verb that makes what it measures, and keeps and reports the results.
func (f *Flags) addBenchmark() {
	keys := f.keys()
	f.addArguments(keys)
	f.addOptions()
	f.addPython()
	f.addMeasure(keys)
	f.addDispatches()
	f.addOutputs(keys)
	keys.add("timeout", "memory", "sandbox-profile")
	f.addConfinement()
}

// addComparison adds the flags of a verb that compares what it measures.
func (f *Flags) addComparison() {
	keys := f.keys()
	f.addMeasure(keys)
	f.addSubject(keys)
	f.addFilter()
	keys.add("timeout", "memory", "threads", "sandbox-profile")
	f.addConfinement()
	f.Set.Lookup("precision").Hidden = true // rows are measured until they are decided
}

// addSearch adds the flags of a verb that chooses what it measures, and keeps the results.
func (f *Flags) addSearch() {
	keys := f.keys()
	f.addJournal()
	f.addMeasure(keys)
	f.addSubject(keys)
	keys.add("timeout", "memory", "threads", "sandbox-profile")
	f.addConfinement()
}

// addReplay adds the flags of a verb that measures what a plan describes.
func (f *Flags) addReplay() {
	f.addPython()
	f.keys().add("timeout", "memory", "threads", "sandbox-profile")
	f.addConfinement()
}

// addFixed adds the flags of a verb that always measures the same functions.
func (f *Flags) addFixed() {
	keys := f.keys()
	keys.add("precision", "min-time", "max-time", "launches")
	f.addResults(func() {})
	keys.add("timeout", "memory", "sandbox-profile")
	f.addConfinement()
}

// keys returns what adds flags of suite keys.
func (f *Flags) keys() *keyFlags {
	return &keyFlags{set: f.Set, inv: &f.Base, runtimes: f.Runtimes, setOption: f.SetOption, left: suite.Keys()}
}

// addMeasure adds how calls are measured.
func (f *Flags) addMeasure(keys *keyFlags) {
	keys.add("mode", "precision", "min-time", "max-time", "min-iterations", "warmup", "calls-per-batch",
		"restore", "reorder", "input-sets-minimum-size-mb", "launches", "huge-pages", "placement")
	f.Set.Var(hosting.CountersFlag(&f.Counters), "counters", "events of the processor to count: auto, off, or a "+
		"list such as instructions,branch_misses,cpu/r01c2/; auto counts them and shows them with -v")
	keys.add("cpu", "seed")
}

// addSubject adds the flags for what is measured.
func (f *Flags) addSubject(keys *keyFlags) {
	f.Set.Var(cli.List(&f.Functions, "name"), "function", "measure only this "+
		"function; a prototype 'void f(long n, float x[n])' tells how a C function is called; repeatable")
	f.addArguments(keys)
	keys.add("runtime")
	f.addOptions()
	f.addPython()
}

// addArguments adds what functions are called with, and what their outputs must be.
func (f *Flags) addArguments(keys *keyFlags) {
	s := f.Set
	s.Var(cli.List(&f.Inputs, "tensor"), "input",
		"the next argument: 4x4xf32=0.5, 4xi32=1,2,3,4, 8xf32 (random), 4xf32=@FILE, FILE.npy, a number; ARG=CONTENTS, by its "+
			"name or position: random[:SEED], zeros, iota, a number, FILE.npy, FILE.png, @FILE; repeatable")
	s.Var(cli.List(&f.Expected, "tensor"), "expected-output",
		"what the next output must be: FILE.npy, a tensor such as 4x4xf32=0.5, or (ignored); repeatable")
	keys.add("tolerance")
	s.Var(cli.List(&f.Parameters, "name=value"), "param", "NAME=VALUE[,VALUE…] for a runtime size or "+
		"scalar; a list is swept; repeatable")
}

func (f *Flags) addPython() {
	f.Set.StringVar(&f.Python, "python", "", "interpreter or virtual environment that holds IREE's packages, instead "+
		"of zonemark's own")
}

// addArtifact adds the flags about artifacts: their runtime, and the options of runtimes.
func (f *Flags) addArtifact() {
	keys := f.keys()
	keys.add("runtime")
	f.addOptions()
}

// addDispatches adds the flags for the sources and the files of the times of dispatches.
func (f *Flags) addDispatches() {
	s := f.Set
	s.StringVarP(&f.TraceFile, "trace-file", "t", "", "keep the Tracy capture of the traced pass in this file")
	s.StringVarP(&f.DispatchFile, "dispatch-csv", "d", "", "write a row for each dispatch of each traced call to "+
		"this file, as CSV; a profiler has no single calls: its rows are medians")
	f.addDispatchSource()
}

func (f *Flags) addDispatchSource() {
	f.Set.Var(cli.Choice(&f.Dispatches, runtimes.Sources()), "dispatches",
		"where the times of dispatches come from: profile: the runtime's own profiler, in the executor (capi) or in "+
			"a tool of IREE's; tracy: a capture; "+
			"auto: the profiler in the executor, else a capture, else the tool; off")
}

// addRun adds the flags for how invocations are compared, which are measured, where results go, and in how many parts.
func (f *Flags) addRun(keys *keyFlags) {
	f.addGroup()
	f.addOutputs(keys)
	f.addShards()
}

func (f *Flags) addGroup() {
	f.Set.StringVar(&f.Group, "group", "", "compare variants: functions with the same signature or, with a regular "+
		"expression, with the same match (of its first parenthesis, if any)")
	f.Set.Lookup("group").NoOptDefVal = measuring.BySignature
	f.addRace()
}

// addOutputs adds which invocations are measured, and where results go.
func (f *Flags) addOutputs(keys *keyFlags) {
	f.addResults(func() { keys.add("check") })
	s := f.Set
	f.AddSpread(s)
	s.Var(cli.Choice(&f.DispatchOrder, report.DispatchOrders()), "dispatch-order",
		"rows of the text report: program: each dispatch in the order of the program; time: the hottest names first; "+
			"auto: by time if there are more than 20")
	s.Var(cli.Count(&f.DispatchLimit), "dispatch-limit", "show this many rows of dispatches, and one row for all "+
		"others; 0: all; in the order of the program, the default is all")
	s.BoolVar(&f.Plot, "histogram", false, "draw how the times are distributed, in format text")
	cli.Formerly(s, "histogram", "plot")
}

// AddSpread adds the flag for several hosts that each measure everything.
func (f *Flags) AddSpread(s *pflag.FlagSet) {
	s.BoolVar(&f.Spread, "spread", false, "with several hosts (--via), measure each function on all of them, and show "+
		"how much the hosts differ; intervals then hold for any of these hosts")
}

func (f *Flags) addFilter() {
	f.Set.StringVar(&f.Filter, "filter", "", "keep only invocations whose name matches this regular expression")
}

// ResumeUsage is the help of the flag --resume.
const ResumeUsage = "continue the journal of -o: measure only what it does not hold, or what had failed"

// addResults adds the flags of addOutputs that make sense for every function, and those that addCheck adds behind
// --dry-run.
func (f *Flags) addResults(addCheck func()) {
	s := f.Set
	f.addFilter()
	s.BoolVar(&f.DryRun, "dry-run", false, "show what would be measured, and stop")
	addCheck()
	f.addJournal()
	s.StringVar(&f.Format, "format", "text", "report on standard output: "+strings.Join(f.Formats.Names(), ", "))
	cli.Takes(s, "format", f.Formats.Names())
	s.StringVar(&f.PageFile, "html", "", "write a page (HTML) about the results to this file, which is replaced")
	cli.Formerly(s, "html", "report")
	s.StringVar(&f.BundleFile, "bundle", "", "keep the results in this file, with all that measuring them again needs; the file "+
		"is replaced; \"zonemark replay\" takes it")
}

// addJournal adds where the journal goes.
func (f *Flags) addJournal() {
	s := f.Set
	s.StringVarP(&f.Output, "output", "o", "", "write the journal to this file, result by result")
	s.BoolVar(&f.Resume, "resume", false, ResumeUsage)
	s.BoolVar(&f.Overwrite, "overwrite", false, "replace the journal of -o if there is one")
}

// addExecutors adds the flags for what executors may do, and for messages about them.
func (f *Flags) addExecutors(keys *keyFlags) {
	keys.add("timeout", "memory", "threads")
	keys.add() // those that have no place of their own
	f.addConfinement()
}

// addConfinement adds how executors are confined, and how much is said.
func (f *Flags) addConfinement() {
	s := f.Set
	s.Var(hosting.SandboxFlag(&f.Sandbox), "sandbox",
		"auto: every layer that works here; require: fail when one is missing; off")
	s.Var(hosting.ReadFlag(&f.SandboxRead), "sandbox-read", hosting.ReadUsage)
	s.Var(hosting.EnvironmentFlag(&f.VariableNames, f.Variables), "env", hosting.EnvironmentUsage)
	s.Var(cli.List(&f.Via, "command"), "via", remoting.Usage+"several hosts share the work")
	s.Var(hosting.AllowFlag(&f.SandboxAllow), "sandbox-allow", hosting.AllowUsage)
	s.Var(hosting.CacheFlag(&f.SandboxCache), "sandbox-cache", hosting.CacheUsage)
	s.BoolVarP(&f.Quiet, "quiet", "q", false, "no progress and no messages but errors")
	s.BoolVarP(&f.Verbose, "verbose", "v", false, "print a line for each result as it comes, all columns, and counters")
}

package measuring

import (
	"strings"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations"
)

// addAll adds every flag, in the order of the help text.
func (f *Flags) addAll() {
	f.addMode()
	f.addMeasure()
	f.addSubject()
	f.addDispatches()
	f.addRun()
	f.addLimits()
}

// addMode adds the ways of measuring.
func (f *Flags) addMode() {
	modes := []invocations.Mode{invocations.Warm, invocations.Cold, invocations.Flush, invocations.Serialized}
	usage := "warm: one argument set again and again; cold: shuffled sets beyond the last-level cache; " +
		"flush: lines evicted before each call; serialized: no overlap between calls"
	for _, mode := range f.Runtimes.Modes() {
		usage += "; " + mode.Name + ": " + mode.Usage + " (warm, or with a second --mode as that one says)"
	}
	f.Set.Var(modeValue{cli.Choice[invocations.Mode]{Value: &f.Measure.Mode, Words: modes}, f.Runtimes.Modes(),
		f.SetOption}, "mode", usage)
}

// addMeasure adds how calls are measured.
func (f *Flags) addMeasure() {
	s, m := f.Set, &f.Measure
	s.Var(cli.Fraction{Value: &m.Precision}, "precision", "stop when launches agree so well that a second run would "+
		"differ by no more than this fraction, 95 % confidence; 0: do not look")
	s.Var(cli.Duration{NS: &m.MinTimeNS}, "min-time", "measure at least this long, all launches together")
	s.Var(cli.Duration{NS: &m.MaxTimeNS}, "max-time", "stop measuring a function after this time, converged or not, "+
		"when it has had its least number of launches")
	s.Var(cli.Count{N: &m.MinIterations}, "min-iterations", "measure at least this many calls")
	s.Var(cli.Count{N: &m.CallsPerBatch}, "calls-per-batch", "calls between two clock reads; 0: chosen to be long "+
		"against the clock")
	s.Var(cli.Bytes{Bytes: &m.SetBytes, Unit: 1 << 20}, "input-sets-minimum-size-mb",
		"total size of the argument sets in mode cold; 0: twice the last-level cache")
	s.Var(cli.Count{N: &f.launches}, "launches", "measure each function in so many fresh executors; 0: as many as "+
		"--precision needs, at least 5, of variants 10")
	s.Var(cli.Count{N: &f.launches}, "repetitions", "the same as --launches")
	s.BoolVar(&m.HugePages, "huge-pages", false, "arguments lie in huge pages, where the system has them")
	s.Var(hosting.CounterList{Text: &f.counters}, "counters", "events of the processor to count: auto, off, or a "+
		"list such as instructions,branch_misses,cpu/r01c2/; auto counts them and shows them with -v")
	s.Var(cli.CPU{Number: &m.CPU}, "cpu", "pin the measuring thread to this CPU")
	s.Uint64Var(&m.Seed, "seed", 0, "seed of random contents and of the order of measuring")
}

// addSubject adds what is measured.
func (f *Flags) addSubject() {
	s := f.Set
	s.Var(cli.List{List: &f.Functions, Kind: "name"}, "function", "measure only this function; repeatable")
	s.Var(cli.List{List: &f.inputs, Kind: "tensor"}, "input",
		"4x4xf32=0.5, 4xi32=1,2,3,4, 8xf32, FILE.npy: the next argument; ARG=CONTENTS for an argument's name or "+
			"position: random[:SEED], zeros, iota, a number, FILE.npy; repeatable")
	s.Var(cli.List{List: &f.expected, Kind: "tensor"}, "expected-output",
		"what the next output must be: FILE.npy, or a tensor such as 4x4xf32=0.5; repeatable")
	s.Var(cli.Fraction{Value: &f.tolerance}, "tolerance", "relative tolerance of outputs; 0: the default of the "+
		"element type")
	s.Var(cli.List{List: &f.Parameters, Kind: "name=value"}, "param", "NAME=VALUE[,VALUE…] for a runtime size or "+
		"scalar; a list is swept; repeatable")
	f.addArtifact()
	s.StringVar(&f.Python, "python", "", "interpreter or virtual environment that holds IREE's packages, instead of "+
		"zonemark's own")
}

// addArtifact adds what tells of artifacts: their runtime, and the options of runtimes.
func (f *Flags) addArtifact() {
	f.Set.StringVar(&f.Runtime, "runtime", "",
		"runtime of the artifacts, when their names do not tell: "+strings.Join(f.Runtimes.Names(), ", "))
	f.addOptions()
}

// addDispatches adds where the times of dispatches come from and go to.
func (f *Flags) addDispatches() {
	s := f.Set
	s.StringVarP(&f.traceFile, "trace-file", "t", "", "keep the Tracy capture of the traced pass in this file")
	s.StringVarP(&f.dispatchFile, "dispatch-csv", "d", "", "write a row for each dispatch of each traced call to "+
		"this file, as CSV; a profiler knows no single calls: its rows are medians")
	s.Var(cli.Choice[runtimes.Source]{Value: &f.dispatches, Words: runtimes.Sources()}, "dispatches",
		"where the times of dispatches come from: profile: the runtime's own profiler, in the executor (capi) or in "+
			"a tool of IREE's; tracy: a capture; "+
			"auto: the profiler in the executor, else a capture, else the tool; off")
}

// addRun adds which invocations are measured, where results go, and how much is said.
func (f *Flags) addRun() {
	s := f.Set
	s.StringVar(&f.group, "group", "", "compare variants: functions of equal signature, or of equal match of this "+
		"regular expression (its first parenthesis, if any)")
	s.Lookup("group").NoOptDefVal = groupAuto
	s.StringVar(&f.filter, "filter", "", "keep only invocations whose name matches this regular expression")
	s.BoolVar(&f.dryRun, "dry-run", false, "show what would be measured, and stop")
	s.BoolVarP(&f.checkOnly, "check", "c", false, "call each function once and check its outputs; measure nothing")
	s.StringVarP(&f.output, "output", "o", "", "write the journal to this file, one line for each result as it comes")
	s.BoolVar(&f.resume, "resume", false, "continue the journal of -o: measure only what it does not hold")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace the journal of -o if there is one")
	s.StringVar(&f.format, "format", "text", "report on standard output: "+strings.Join(f.Formats.Names(), ", "))
}

// addLimits adds what invocations may take, and how much is said of them.
func (f *Flags) addLimits() {
	s := f.Set
	s.Var(cli.Duration{NS: &f.Limits.TimeoutNS}, "timeout",
		"kill an invocation that takes longer, preparation included")
	s.Var(cli.Bytes{Bytes: &f.Limits.MemoryBytes}, "memory", "data memory that an executor may take (default: three "+
		"quarters of what is free)")
	s.Var(hosting.SandboxFlag(&f.sandbox), "sandbox",
		"auto: every layer that works here; require: fail when one is missing; off")
	s.BoolVarP(&f.Quiet, "quiet", "q", false, "no progress and no messages but errors")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each result as it comes, and what the counters "+
		"counted")
}

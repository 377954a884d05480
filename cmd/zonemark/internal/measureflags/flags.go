// Package measureflags holds the flags of the verbs that measure. They fill the settings of package measuring, which
// knows no flags.
package measureflags

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations"

	"github.com/spf13/pflag"
)

// Flags are the flags of the verbs that measure. They fill the settings of a task.
type Flags struct {
	measuring.Task
	Set  *pflag.FlagSet // flags may be added before Parse
	verb string
}

// Own is what a verb has of its own beside the flags that it shares with others: it changes default settings, which
// the shared flags then show as theirs, and adds flags to Set, which come first in the help text. One with the name of
// a shared flag stands in its place. Nil: there is nothing.
type Own func(*Flags)

// New returns the flags of a verb that measures.
func New(name string, p program.Program, own Own) *Flags {
	return newFlags(name, p, own, (*Flags).addAll)
}

// NewArtifact returns the flags of a verb that only reads artifacts: their runtime, and the options of runtimes.
// Other settings have their defaults.
func NewArtifact(name string, p program.Program) *Flags {
	return newFlags(name, p, nil, (*Flags).addArtifact)
}

// NewMaker returns the flags of a verb that makes what it measures: how calls are measured, the runtime with its
// options, and executors. The verb decides on all else: there are no paths, no journal, and no dispatches.
func NewMaker(name string, p program.Program, own Own) *Flags {
	return newFlags(name, p, own.after(withoutDispatches), (*Flags).addMaker)
}

// NewBenchmark returns the flags of a verb that makes what it measures, and that keeps and reports the results as
// run does: those of NewMaker, with the sources of dispatches, the journal and the report.
func NewBenchmark(name string, p program.Program, own Own) *Flags {
	return newFlags(name, p, own, (*Flags).addBenchmark)
}

// NewComparison returns the flags of a verb that measures paths or commands against each other: what is measured
// and how, and executors. The verb keeps and reports the results.
func NewComparison(name string, p program.Program, own Own) *Flags {
	compared := func(f *Flags) {
		f.Base.Measure.MaxTimeNS, f.Base.Measure.Precision = int64(comparisonTime), 0 // launches are of equal length
	}
	return newFlags(name, p, own.after(compared), (*Flags).addComparison)
}

// NewSearch returns the flags of a verb that chooses among many variants which it measures, and keeps the results: what
// is measured and how, the journal, and executors.
func NewSearch(name string, p program.Program, own Own) *Flags {
	searched := func(f *Flags) { f.Settings = measuring.SearchSettings() }
	return newFlags(name, p, own.after(searched), (*Flags).addSearch)
}

// NewReplay returns the flags of a verb that measures what a plan from elsewhere describes: how executors are
// confined, and which counters are read.
func NewReplay(name string, p program.Program, own Own) *Flags {
	replayed := func(f *Flags) { f.Settings = measuring.ReplaySettings() }
	return newFlags(name, p, own.after(replayed), (*Flags).addReplay)
}

// NewShard returns the flags of a verb that has others measure paths in shards: what is measured and how, and
// executors.
func NewShard(name string, p program.Program, own Own) *Flags {
	return newFlags(name, p, own, (*Flags).addForShards)
}

// NewFixed returns the flags of a verb that always measures the same functions, and that keeps and reports the
// results as run does: how calls are measured, the journal, the report and executors.
func NewFixed(name string, p program.Program, own Own) *Flags {
	return newFlags(name, p, own.after(withoutDispatches), (*Flags).addFixed)
}

// after returns what a verb has after the defaults of its kind.
func (own Own) after(defaults Own) Own {
	return func(f *Flags) {
		defaults(f)
		if own != nil {
			own(f)
		}
	}
}

func withoutDispatches(f *Flags) { f.Dispatches = runtimes.SourceOff }

// newFlags returns the flags of a verb: its own, and those that addShared adds and that it does not have itself.
func newFlags(name string, p program.Program, own Own, addShared func(*Flags)) *Flags {
	f := &Flags{Task: *measuring.NewTask(p, measuring.DefaultSettings()), Set: cli.NewFlagSet(name)}
	f.verb = name
	f.AskedBy(name, nil)
	if own != nil {
		own(f)
	}
	all := f.Set
	f.Set = cli.NewFlagSet(name)
	addShared(f)
	all.AddFlagSet(f.Set)
	f.Set = all
	nameElsewhere(f.Set)
	f.addTopics()
	return f
}

// comparisonTime is how long the launches of a comparison take at most.
const comparisonTime = 10 * time.Second

// ParseAlone reads the arguments and checks each flag alone. It returns cli.ErrHelp if it has printed intro and the flags.
func (f *Flags) ParseAlone(args []string, intro string) error {
	f.AskedBy(f.verb, args)
	err := cli.Parse(f.Set, f.Streams, args, intro)
	f.Given = givenFlags(f.Set)
	return err
}

// givenFlags returns the names of the flags that the user has given.
func givenFlags(set *pflag.FlagSet) map[string]bool {
	names := map[string]bool{}
	set.Visit(func(flag *pflag.Flag) { names[flag.Name] = true })
	return names
}

// separated returns names of functions, of which several may stand in one word, separated by commas. Prototypes have commas
// of their own.
func separated(words []string) (names []string) {
	for _, word := range words {
		if strings.ContainsAny(word, "( ") {
			names = append(names, word)
			continue
		}
		names = append(names, strings.Split(word, ",")...)
	}
	return names
}

// Parse reads the arguments, checks combinations of flags, and returns the paths. It returns cli.ErrHelp if it has
// printed intro and the flags.
func (f *Flags) Parse(args []string, intro string) ([]string, error) {
	err := f.ParseAlone(args, intro)
	if err != nil {
		return nil, err
	}
	if _, err := cli.Compile("--filter", f.Filter); err != nil {
		return nil, err
	}
	f.Functions = separated(f.Functions)
	if _, err := f.Formats.Lookup(f.Format); err != nil {
		return nil, fmt.Errorf("--format: %w", err)
	}
	leaveOut := func(text, name string) error { return cli.LeaveOut(f.Set, args, text, name) }
	switch {
	case f.Plot && f.Format != "text":
		return nil, leaveOut(fmt.Sprintf("--histogram draws in the format text, not in %s:", f.Format), "format")
	case f.Resume && f.Overwrite:
		return nil, &cli.Signpost{Text: "--resume continues a journal and --overwrite throws it away; give one of them:",
			Command: cli.CommandLine(f.Set.Name(), slices.DeleteFunc(slices.Clone(args), func(w string) bool {
				return w == "--overwrite"
			})...)}
	case (f.Resume || f.Overwrite) && f.Output == "":
		return nil, &cli.Signpost{Text: "--resume and --overwrite need the journal:",
			Command: cli.CommandLine(f.Set.Name(), append([]string{"-o", "results.ndjson"}, args...)...)}
	case f.Base.Measure.MaxTimeNS == 0:
		return nil, leaveOut("--max-time: want more than 0; the default is:", "max-time")
	case f.Base.Measure.Launches > measuring.MostLaunches:
		return nil, leaveOut(fmt.Sprintf("--launches: want at most %d; the default is:", measuring.MostLaunches), "launches")
	}
	if err := f.checkShards(); err != nil {
		return nil, err
	}
	if err := f.checkRace(); err != nil {
		return nil, err
	}
	if err := f.settleTimes(leaveOut); err != nil {
		return nil, err
	}
	if err := f.settleDispatches(leaveOut); err != nil {
		return nil, err
	}
	if limits := &f.Base.Limits; f.Set.Changed("timeout") {
		limits.BuildNS = limits.TimeoutNS
	} else {
		f.AllowTime()
	}
	if f.Set.Changed("input-sets-minimum-size-mb") && !f.Set.Changed("mode") && f.Base.Measure.SetBytes > 0 {
		f.Base.Measure.Mode = invocations.Cold
	}
	if err := f.CheckVia(); err != nil {
		return nil, err
	}
	if f.Base.Measure.SetBytes > 0 && f.Base.Measure.Mode != invocations.Cold {
		return nil, leaveOut(fmt.Sprintf("--input-sets-minimum-size-mb is for mode cold only, not for mode %s:",
			f.Base.Measure.Mode), "mode")
	}
	return f.Set.Args(), nil
}

// settleTimes adapts the default of one time to the other one if only that was given. leaveOut makes the error about a
// flag.
func (f *Flags) settleTimes(leaveOut func(text, name string) error) error {
	least, most := &f.Base.Measure.MinTimeNS, &f.Base.Measure.MaxTimeNS
	chosen := f.Set.Changed("min-time") || f.Set.Changed("min-time-in-sec")
	switch {
	case !f.Set.Changed("max-time"):
		*most = max(*most, 2**least)
	case !chosen:
		*least = min(*least, *most)
	case *least > *most:
		return leaveOut(fmt.Sprintf("--min-time %v is longer than --max-time %v; leave one of them out:",
			time.Duration(*least), time.Duration(*most)), "max-time")
	}
	return nil
}

// settleDispatches checks the flags about dispatches against each other. leaveOut makes the error about one of them.
func (f *Flags) settleDispatches(leaveOut func(text, name string) error) error {
	kept := ""
	switch {
	case f.TraceFile != "":
		kept = "--trace-file"
		if f.Dispatches == runtimes.SourceOff || f.Dispatches == runtimes.SourceProfile {
			return leaveOut(fmt.Sprintf("%s needs a capture; leave out --dispatches %s:", kept, f.Dispatches), "dispatches")
		}
		f.Dispatches = runtimes.SourceTracy
	case f.DispatchFile != "":
		kept = "--dispatch-csv"
		if f.Dispatches == runtimes.SourceOff {
			return leaveOut(fmt.Sprintf("%s needs dispatches; leave out --dispatches %s:", kept, f.Dispatches), "dispatches")
		}
	default:
		return nil
	}
	if f.Base.Measure.CheckOnly {
		return leaveOut(kept+" and --check: a check measures nothing and traces nothing; leave one of them out:", "check")
	}
	return nil
}

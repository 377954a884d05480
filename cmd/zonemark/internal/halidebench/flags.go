package halidebench

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/tuning"
	"zonemark/driver/halide"
	"zonemark/driver/halide/adams2019"
	runtime "zonemark/executor/halide"
	"zonemark/executor/halide/generator"
	"zonemark/invocations/spelling"
)

// adams is the autoscheduler whose cost model can be trained.
const adams = "adams2019"

// tuned is the column of what training has made.
const tuned = "tuned"

// tunedFlag names the folder of a tuning.
const tunedFlag = "tuned"

// The parameters of autoschedulers that have flags of their own.
const (
	beamParameter        = "beam_size"
	parallelismParameter = "parallelism"
)

// everyScheduler stands for all schedulers that work on a CPU.
const everyScheduler = "all"

// forGPU makes no schedules for CPUs.
const forGPU = "anderson2021"

// flags are the flags of the verb and the benchmarks that it was given.
type flags struct {
	*measureflags.Flags
	benchmarks  []string
	all, list   bool
	schedulers  []string
	beam        int64
	parallelism int64
	timings     string
	tuned       string // folder of a tuning
	tuneNS      int64  // 0: nothing is tuned
}

func newFlags(p program.Program) *flags {
	f := &flags{schedulers: []string{generator.None, generator.Manual, adams}}
	f.Flags = measureflags.NewBenchmark("halide run", p, f.add)
	cli.Formerly(f.Set, "schedulers", runtime.OptionScheduler) // a list of one
	return f
}

func (f *flags) add(shared *measureflags.Flags) {
	shared.Base.Runtime = runtime.Name
	s := shared.Set
	s.BoolVar(&f.list, "list", false, "show the shipped benchmarks, and stop")
	s.BoolVar(&f.all, "all-benchmarks", false, "measure all shipped benchmarks")
	cli.Formerly(s, "all-benchmarks", "all")
	s.StringSliceVar(&f.schedulers, "schedulers", f.schedulers, "who schedules, separated by commas: "+
		strings.Join(generator.Schedulers(), ", ")+"; "+everyScheduler+": those for CPUs")
	s.Var(cli.Count(&f.beam), "beam", "schedules that the search of an autoscheduler keeps at a time")
	s.Var(cli.Count(&f.parallelism), "parallelism",
		"threads that autoschedulers schedule for (default: the CPUs that zonemark may use)")
	s.StringVar(&f.tuned, tunedFlag, tuning.DefaultOptions().Folder, "folder of \"zonemark halide pretrain\", whose best "+
		"schedules or weights get a column; the default folder may be absent")
	s.Var(cli.Duration(&f.tuneNS), "tune", "tune for this time first, in the folder of --"+tunedFlag)
	s.StringVar(&f.timings, "timings-csv", "", "write the medians, in seconds, to this file in the columns of the older "+
		"scripts: "+strings.Join(timingsColumns(), ","))
}

// parse reads the arguments. It returns cli.ErrHelp when it has printed the help text.
func (f *flags) parse(args []string) error {
	rest, err := f.Flags.Parse(args, intro)
	if err != nil || f.list {
		return err
	}
	if rest, err = f.takeNumbers(rest); err != nil {
		return err
	}
	switch {
	case f.all && len(rest) > 0:
		return fmt.Errorf("--all-benchmarks measures all shipped benchmarks, and %q names one; give one of both", rest[0])
	case !f.all && len(rest) == 0:
		return errors.New("name a benchmark, or say --all-benchmarks; --list shows them")
	case f.Set.Changed("beam") && f.beam < 1:
		return fmt.Errorf("--beam %d: want 1 or more", f.beam)
	case f.Set.Changed("parallelism") && f.parallelism < 1:
		return fmt.Errorf("--parallelism %d: want 1 or more", f.parallelism)
	}
	f.benchmarks = rest
	if err := f.settleSchedulers(); err != nil {
		return err
	}
	if err := f.checkParameters(); err != nil {
		return err
	}
	if err := f.checkEmulated(); err != nil {
		return err
	}
	if path := f.Options()[runtime.OptionWeights]; path != "" {
		if _, err := adams2019.ReadWeights(path); err != nil {
			return fmt.Errorf("--%s: %w", runtime.OptionWeights, err)
		}
	}
	return nil
}

// misspelt returns the error about a name that is nearly that of a shipped benchmark, with the whole command; nil if
// there is none.
func (f *flags) misspelt(args []string) error {
	for _, name := range f.benchmarks {
		if _, err := halide.Find(name); err != nil && !generator.IsSource(name) {
			var post *cli.Signpost
			if errors.As(cli.WithInstead(err, f.Set.Name(), args), &post) {
				return post
			}
		}
	}
	return nil
}

// takeNumbers takes the beam and the parallelism off the end of the arguments, where the older scripts have them.
func (f *flags) takeNumbers(args []string) (rest []string, err error) {
	n := len(args)
	for n > 0 && isNumber(args[n-1]) {
		n--
	}
	numbers := args[n:]
	if len(numbers) > 2 {
		return nil, fmt.Errorf("%q: at most two numbers follow the benchmarks, the beam and the parallelism", numbers)
	}
	for i, text := range numbers {
		name := []string{"beam", parallelismParameter}[i]
		if f.Set.Changed(name) {
			return nil, fmt.Errorf("the %s is given twice: as --%s and as %s; give it once", name, name, text)
		}
		if err := f.Set.Set(name, text); err != nil {
			return nil, err
		}
	}
	return args[:n], nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// settleSchedulers checks the names of the schedulers. --scheduler, which the runtime has, is the list of one.
func (f *flags) settleSchedulers() error {
	if one := f.Options()[runtime.OptionScheduler]; one != "" {
		if f.Set.Changed("schedulers") {
			return errors.New("--scheduler and --schedulers both say who schedules; give one of them")
		}
		f.schedulers = []string{one}
	}
	var all []string
	for _, name := range f.schedulers {
		switch known := generator.Schedulers(); {
		case name == everyScheduler:
			for _, one := range known {
				if one != forGPU {
					all = append(all, one)
				}
			}
		case !slices.Contains(known, name):
			return fmt.Errorf("--schedulers: no scheduler %q%s", name,
				spelling.SuggestOrList(name, append(known, everyScheduler)))
		default:
			all = append(all, name)
		}
	}
	f.schedulers = nil
	for _, name := range all {
		if !slices.Contains(f.schedulers, name) {
			f.schedulers = append(f.schedulers, name)
		}
	}
	if len(f.schedulers) == 0 {
		return errors.New("--schedulers: name at least one")
	}
	return nil
}

// given returns the parameters of schedulers as flags have set them, as NAME=VALUE words.
func (f *flags) given() (words []string) {
	if f.beam > 0 {
		words = append(words, fmt.Sprintf("%s=%d", beamParameter, f.beam))
	}
	if f.parallelism > 0 {
		words = append(words, fmt.Sprintf("%s=%d", parallelismParameter, f.parallelism))
	}
	return append(words, strings.Fields(f.Options()[runtime.OptionSchedulerParams])...)
}

// checkParameters refuses a parameter that no scheduler has.
func (f *flags) checkParameters() error {
	chosen := f.schedulers
	if f.Options()[runtime.OptionWeights] != "" && !slices.Contains(chosen, adams) {
		chosen = append(slices.Clone(chosen), adams)
	}
	var known []string
	for _, scheduler := range chosen {
		known = append(known, generator.Parameters(scheduler)...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, word := range f.given() {
		name, _, _ := strings.Cut(word, "=")
		if slices.Contains(known, name) {
			continue
		}
		list := strings.Join(chosen, ", ")
		if len(known) == 0 {
			return fmt.Errorf("%s is set, and the schedulers %s have no parameters; choose an autoscheduler", name, list)
		}
		return fmt.Errorf("the schedulers %s have no parameter %q%s", list, name, spelling.SuggestOrList(name, known))
	}
	return nil
}

// parameters returns those of the given parameters that a scheduler has.
func (f *flags) parameters(scheduler string) string {
	has := generator.Parameters(scheduler)
	return strings.Join(slices.DeleteFunc(f.given(), func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return !slices.Contains(has, name)
	}), " ")
}

// isPath reports whether a benchmark is meant as a file.
func isPath(name string) bool { return filepath.Ext(name) != "" || strings.ContainsAny(name, `/\`) }

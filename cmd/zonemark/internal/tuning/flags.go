package tuning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/halide/adams2019"
	"zonemark/driver/tune"
	"zonemark/executor/halide"
	"zonemark/executor/halide/hexagon"

	"github.com/spf13/pflag"
)

const intro = `Tune Halide's autoscheduler Adams2019 for pipelines and this machine: schedule each pipeline in many
ways, measure these samples, train the autoscheduler's cost model on them, schedule the next batch with what it has
learned, and keep the best schedule that was measured.

Usage: zonemark halide pretrain [flags] BENCHMARK|GENERATOR…

A BENCHMARK is one of "zonemark halide run --list", a GENERATOR a file (.py, .cpp). All results are in the folder
of --folder, FOLDER below. After an interruption, the same command continues; with more --batches, it tunes longer.

  FOLDER/updated.weights        weights for other pipelines, and for later: zonemark halide run --weights
  FOLDER/best/NAME.schedule.h   the best schedule of a pipeline, as C++ source; NAME.json says how it was made
  FOLDER/batch_0001/…           samples, journals and weights of the batches

Examples:
  zonemark halide pretrain gaussian5x5 sobel --batches 2 --samples 16
  zonemark halide pretrain mine.py --time-limit 10m --folder mine-tuned --html mine.html
  zonemark halide pretrain mine.py --folder mine-tuned --weights other/updated.weights
`

// Flags are the flags of the verb pretrain.
type Flags struct {
	*measureflags.Flags
	Options
	paths []string
}

// Options say how to tune.
type Options struct {
	Folder      string // of the tuning
	Weights     string // file of the weights to begin with; empty: those of Halide, or those that the folder has
	Batches     int64  // that there shall be, with those that are there; 0: as many as TimeLimit allows
	Samples     int64  // of each pipeline in a batch
	Epochs      int64  // of the training after a batch
	Beam        int64  // width of the search for untuned schedules and for the first sample of a batch
	Rate        float64
	TimeLimitNS int64 // for making and measuring samples; 0: none
	// BuildTimeoutNS limits how long the generator of one sample may take.
	BuildTimeoutNS int64
	Parallelism    int64 // that schedules are made for
	Cores          int64 // that the cost model counts in training; 0: Parallelism
	Plot           string
}

// The defaults, most of which are those of Halide's tuning script.
const (
	defaultFolder       = "halide-tuned"
	defaultBatches      = 2
	defaultSamples      = 32
	defaultEpochs       = 32
	defaultBeam         = 32
	defaultRate         = 0.0001
	defaultBuildTimeout = 2 * time.Minute
)

// A batch has many samples, and training averages over them: each is measured for less long than others.
const (
	sampleMinTime  = 30 * time.Millisecond
	sampleMaxTime  = 600 * time.Millisecond
	sampleLaunches = 3
)

// DefaultOptions returns the options that a user who gives none has.
func DefaultOptions() Options {
	return Options{
		Folder: defaultFolder, Batches: defaultBatches, Samples: defaultSamples, Epochs: defaultEpochs,
		Beam: defaultBeam, Rate: defaultRate, BuildTimeoutNS: int64(defaultBuildTimeout),
		Parallelism: int64(runtime.NumCPU()),
	}
}

// DefaultSettings returns how samples are measured if nobody says otherwise.
func DefaultSettings() measuring.Settings {
	s := measuring.DefaultSettings()
	s.Dispatches = runtimes.SourceOff
	s.Base.Runtime = halide.Name
	s.Base.Measure.MinTimeNS, s.Base.Measure.MaxTimeNS = int64(sampleMinTime), int64(sampleMaxTime)
	s.Base.Measure.Launches = sampleLaunches
	return s
}

// NewFlags returns the flags of the verb with their defaults.
func NewFlags(p program.Program) *Flags {
	f := &Flags{Options: DefaultOptions()}
	f.Flags = measureflags.NewMaker("halide pretrain", p, func(shared *measureflags.Flags) {
		shared.Settings = DefaultSettings()
		f.add(shared.Set)
	})
	return f
}

// add adds the flags that only tuning has.
func (f *Flags) add(s *pflag.FlagSet) {
	cli.Refuse(s, "spread", "halide pretrain learns from as many samples as it can, so hosts share them; measure the "+
		"best schedule on each host: zonemark halide run --spread --via COMMAND --via COMMAND")
	s.StringVar(&f.Folder, "folder", f.Folder, "folder of the tuning, which is continued if it is there")
	cli.FormerlyOutput(s, "folder")
	s.Var(cli.Count(&f.Batches), "batches", "total number of batches, with those that the folder has; with "+
		"--time-limit, as many as fit unless this is given")
	s.Var(cli.Count(&f.Samples), "samples", "samples of each pipeline in a batch")
	s.Var(cli.Count(&f.Epochs), "epochs", "epochs of the training after each batch, on all samples so far")
	s.Var(cli.Count(&f.Beam), "beam", "width of the search for the first sample of a batch and for the untuned "+
		"schedule")
	s.Float64Var(&f.Rate, "rate", f.Rate, "learning rate")
	s.Var(cli.Duration(&f.TimeLimitNS), "time-limit", "time for making and measuring samples; training and the "+
		"comparison at the end take additional time")
	s.Var(cli.Duration(&f.BuildTimeoutNS), "build-timeout", "time that the generator of a sample may take")
	s.Var(cli.Count(&f.Parallelism), "parallelism", "threads that schedules are made for (default: the CPUs of this "+
		"process)")
	s.Var(cli.Count(&f.Cores), "cores", fmt.Sprintf("cores that training counts (default: --parallelism); %d is what "+
		"Halide's own training program takes", adams2019.ProgramCores))
	s.StringVar(&f.Plot, "html", "", "write a page (HTML) with the learning curve and with predicted against measured "+
		"times to this file")
	cli.Formerly(s, "html", "plot")
}

// Parse reads the arguments and checks what needs no Halide. It returns cli.ErrHelp when it has printed the help text.
func (f *Flags) Parse(args []string) (err error) {
	if f.paths, err = f.Flags.Parse(args, intro); err != nil {
		return err
	}
	if f.TimeLimitNS > 0 && !f.Set.Changed("batches") {
		f.Batches = 0
	}
	f.Weights = f.ArtifactOptions[halide.OptionWeights]
	if err := checkOptions(f.ArtifactOptions); err != nil {
		return err
	}
	if len(f.paths) == 0 {
		return errors.New("name a benchmark or a generator's file")
	}
	if f.Base.Runtime != halide.Name {
		return fmt.Errorf("--runtime %s: only pipelines of Halide are tuned", f.Base.Runtime)
	}
	if err := (cli.Output{Flag: "--html", Path: f.Plot}).Check(); err != nil {
		return err
	}
	return f.Check()
}

// checkOptions returns an error for options of artifacts with which nothing can be tuned.
func checkOptions(given map[string]string) error {
	for _, name := range []string{halide.OptionScheduler, halide.OptionSchedulerParams, halide.OptionProfileBuild} {
		if given[name] != "" {
			return fmt.Errorf("--%s: samples are made with adams2019 and parameters of their own; leave it out", name)
		}
	}
	if hexagon.IsTarget(given[halide.OptionTarget]) {
		return fmt.Errorf("--%s %s: samples are measured, and pipelines for Hexagon are emulated, which tells no times; "+
			"tune for this machine", halide.OptionTarget, given[halide.OptionTarget])
	}
	return nil
}

// Check returns an error that names the first option that cannot be.
func (o Options) Check() error {
	most := func(name string, value, least, most int64) error {
		if value < least || value > most {
			return fmt.Errorf("--%s %d: want %d to %d", name, value, least, most)
		}
		return nil
	}
	least := int64(1)
	if o.TimeLimitNS > 0 {
		least = 0
	}
	switch {
	case !(o.Rate > 0) || math.IsInf(o.Rate, 0):
		return fmt.Errorf("--rate %v: want a number above 0, such as %v", o.Rate, defaultRate)
	case o.BuildTimeoutNS <= 0:
		return errors.New("--build-timeout: want more than 0")
	case o.Folder == "":
		return errors.New("--folder: want the name of a folder")
	}
	return firstOf(
		most("batches", o.Batches, least, tune.MostSamples),
		most("samples", o.Samples, 1, tune.MostSamples),
		most("epochs", o.Epochs, 1, 1_000_000),
		most("beam", o.Beam, 1, 100_000),
		most("parallelism", o.Parallelism, 1, 4096),
		most("cores", o.Cores, 0, 4096),
	)
}

// firstOf returns the first error.
func firstOf(list ...error) error {
	if i := slices.IndexFunc(list, func(err error) bool { return err != nil }); i >= 0 {
		return list[i]
	}
	return nil
}

// Run is the verb.
func Run(ctx context.Context, p program.Program, args []string) int {
	f := NewFlags(p)
	err := f.Parse(args)
	if err != nil {
		return p.Misused("halide pretrain --help", err)
	}
	outcome, err := Tune(ctx, &f.Task, f.Options, f.paths)
	switch {
	case err != nil && ctx.Err() != nil:
		return p.Fail("interrupted; the same command goes on from there")
	case err != nil:
		var post *cli.Signpost
		if err = cli.WithInstead(err, f.Set.Name(), args); errors.As(err, &post) {
			return p.Misused("halide pretrain --help", post)
		}
		return p.Fail("%v", err)
	}
	return outcome.status()
}

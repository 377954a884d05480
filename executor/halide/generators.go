package halide

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/compilerflags"
	"zonemark/executor/halide/generator"
	"zonemark/executor/halide/hexagon"
	"zonemark/executor/halide/metadata"
	"zonemark/invocations"
	"zonemark/invocations/building"
)

// The options of generators, which say how their pipelines are built. A finished library has none of them.
const (
	OptionTarget = "target" // default: host
	// OptionScheduler is one of generator.Schedulers; default: manual.
	OptionScheduler = "scheduler"
	// OptionSchedulerParams and OptionGeneratorParams hold NAME=VALUE words, separated by spaces.
	OptionSchedulerParams = "scheduler-params"
	OptionGenerator       = "generator" // default: all of the source
	OptionGeneratorParams = "generator-params"
	// OptionWeights is the path of the weights of an autoscheduler's cost model; default: those that it brings.
	OptionWeights = "weights"
	OptionSource  = "source" // paths of further sources, objects and archives
	OptionCFlags  = "cflags" // words
)

// weightsParameter is the parameter of autoschedulers that OptionWeights sets.
const weightsParameter = "weights_path"

func generatorOptions() []invocations.Option {
	return []invocations.Option{
		{Name: OptionTarget, Placeholder: "target",
			Usage: "Halide's text for the machine that generators build for: host, host-FEATURE, x86-64-linux-avx2"},
		{Name: OptionScheduler, Placeholder: "name",
			Usage: "who schedules the pipelines of generators: " + strings.Join(generator.Schedulers(), ", ")},
		{Name: OptionSchedulerParams, Placeholder: "words",
			Usage:      "parameters of the autoscheduler, NAME=VALUE, separated by spaces",
			Repeatable: "scheduler-param", RepeatableUsage: "one parameter of the autoscheduler, such as beam_size=32; " +
				"repeatable"},
		{Name: OptionWeights, Placeholder: "file", Kind: invocations.FileOption,
			Usage: "weights of the cost model of the autoschedulers adams2019 and anderson2021, instead of their own"},
		{Name: OptionGenerator, Placeholder: "name", Usage: "build only this generator of the source; several are separated by commas"},
		{Name: OptionGeneratorParams, Placeholder: "words",
			Usage:      "parameters of the generators, NAME=VALUE, separated by spaces",
			Repeatable: "generator-param", RepeatableUsage: "one parameter of the generators; repeatable"},
		{Name: OptionSource, Placeholder: "file", Kind: invocations.FilesOption,
			Usage: "for Halide: what a generator needs beside its source, and the functions that its pipelines call"},
		{Name: OptionCFlags, Placeholder: "words", Foreign: compilerflags.Check,
			Usage: "for Halide: flags for the sources of generators, such as -IFOLDER or -lNAME"},
	}
}

// FromGenerator reports whether a file's name is that of a generator's source, which is built with Halide.
func FromGenerator(path string) bool { return generator.IsSource(path) }

// ForProfile returns the artifact that carries Halide's profiler if a generator is built once more for it. It returns
// false for an artifact that needs no such build: it is no generator, it has the profiler, or it names a build with it.
// The build has the schedule of the artifact itself, or fails.
func ForProfile(a invocations.Artifact) (profile invocations.Artifact, needed bool) {
	target := cmp.Or(a.Options[OptionTarget], "host")
	if !FromGenerator(a.Path) || a.Options[OptionProfileBuild] != "" || parseTarget(target).has(profileFeature) {
		return a, false
	}
	inv := invocations.Invocation{Artifact: a}
	inv.SetOption(OptionTarget, target+"-"+profileFeature)
	return inv.Artifact, true
}

// CompleteGenerator completes the options of an invocation of a generator: the weights have one option, however the
// user named them, and an absolute path.
func CompleteGenerator(inv *invocations.Invocation) error {
	name, words := OptionWeights, strings.Fields(inv.Artifact.Options[OptionSchedulerParams])
	path := inv.Artifact.Options[OptionWeights]
	for _, word := range words {
		if value, found := strings.CutPrefix(word, weightsParameter+"="); found {
			if path != "" {
				return fmt.Errorf("--%s %s and %s: both name weights; give one of them", OptionWeights, path, word)
			}
			name, path = weightsParameter, value
		}
	}
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("--%s: %w; name a file of weights, or leave it out for those that Halide brings", name, err)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("--%s: %w", name, err)
	}
	inv.SetOption(OptionWeights, absolute)
	if name == weightsParameter {
		words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, weightsParameter+"=") })
		inv.SetOption(OptionSchedulerParams, strings.Join(words, " "))
	}
	return nil
}

// request returns what generator.Build makes of a source with these options.
func (o options) request(path string) (generator.Request, error) {
	r := generator.Request{
		Source: path, Target: o.given[OptionTarget], Scheduler: o.given[OptionScheduler],
		Outputs: generator.Outputs{Library: true},
		Further: invocations.SplitFiles(o.given[OptionSource]), Flags: strings.Fields(o.given[OptionCFlags]),
	}
	if names := o.given[OptionGenerator]; names != "" {
		r.Generators = strings.Split(names, ",")
	}
	var err error
	if r.SchedulerParams, err = Assignments(OptionSchedulerParams, o.given[OptionSchedulerParams]); err != nil {
		return r, err
	}
	if r.GeneratorParams, err = Assignments(OptionGeneratorParams, o.given[OptionGeneratorParams]); err != nil {
		return r, err
	}
	if weights := o.given[OptionWeights]; weights != "" {
		if r.SchedulerParams[weightsParameter] != "" {
			return r, fmt.Errorf("option %s and the parameter %s both name weights; give one of them", OptionWeights,
				weightsParameter)
		}
		if r.SchedulerParams == nil {
			r.SchedulerParams = map[string]string{}
		}
		r.SchedulerParams[weightsParameter] = weights
	}
	return r, nil
}

// Assignments reads the NAME=VALUE words of an option, which errors name. It returns nil for none.
func Assignments(option, text string) (values map[string]string, err error) {
	for _, word := range strings.Fields(text) {
		name, value, found := strings.Cut(word, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("option %s: %q: want NAME=VALUE", option, word)
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("option %s: %s is given twice; give one value", option, name)
		}
		if values == nil {
			values = map[string]string{}
		}
		values[name] = value
	}
	return values, nil
}

// build builds the pipelines of a generator into a library below the cache, or into a program for Hexagon.
func (r Runtime) build(ctx context.Context, path string, given map[string]string, w building.Workshop) (
	out generator.Output, err error,
) {
	o, err := parseOptions(path, given)
	if err != nil {
		return out, fmt.Errorf("%s: %w", path, err)
	}
	request, err := o.request(path)
	if err != nil {
		return out, fmt.Errorf("%s: %w", path, err)
	}
	tools, err := generator.Find(ctx, r.getenv, w.Confine)
	if err != nil {
		return out, fmt.Errorf("%s: %w", path, err)
	}
	if hexagon.IsTarget(request.Target) {
		return r.linkEmulated(ctx, tools, request, w)
	}
	return tools.Build(ctx, request, w.Cache)
}

// describeGenerators builds the generators of a source, since only the finished pipelines tell their arguments, and
// describes what was made. The hash is that of the library, which is what is measured.
func (r Runtime) describeGenerators(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	out, err := r.build(context.Background(), path, o.Options, building.Workshop{Cache: o.Cache, Confine: o.Confine})
	if err != nil {
		return nil, err
	}
	f, err := metadata.Read(out.Library)
	if err != nil {
		return nil, err
	}
	if len(f.Pipelines) == 0 {
		return nil, noPipelines(out.Library)
	}
	code, err := os.ReadFile(out.Library)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(code)
	d := describe(path, f)
	d.NeedsBuild, d.Artifact.SHA256 = true, hex.EncodeToString(sum[:])
	scheduled := "scheduled by " + out.Scheduler
	if words := sorted(out.SchedulerParams); len(words) > 0 {
		scheduled += " with " + strings.Join(words, " ")
	}
	d.Details = append(d.Details, scheduled)
	return []invocations.Description{d}, nil
}

// sorted returns the entries of a map as NAME=VALUE, in the order of their names.
func sorted(values map[string]string) (words []string) {
	for name, value := range values {
		words = append(words, name+"="+value)
	}
	slices.Sort(words)
	return words
}

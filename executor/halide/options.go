package halide

import (
	"fmt"
	"runtime"
	"strconv"

	"zonemark/invocations"
)

// These are the keys of invocations.Artifact.Options.
const (
	OptionTaskThreads = "task-threads" // default: the CPUs that this process may use
	// OptionProfileBuild is the path of a shared library with the same pipelines and Halide's profiler.
	OptionProfileBuild = "profile-build"
)

// Options returns the options of Halide pipelines.
func Options() []invocations.Option {
	return append([]invocations.Option{
		{Name: OptionTaskThreads, Placeholder: "n",
			Usage: "threads of Halide pipelines (default: the CPUs of the process)"},
		{Name: OptionProfileBuild, Placeholder: "file", Kind: invocations.FileOption,
			Usage: "shared library with the same Halide pipelines, built with the target feature profile: " +
				"it gives the times of single Funcs; zonemark makes such a build of generators itself"},
	}, generatorOptions()...)
}

// maxThreads is MAX_THREADS of Halide's thread pool (thread_pool_common.h of 14 to 21).
const maxThreads = 256

// options holds the parsed options of an artifact.
type options struct {
	threads      int    // 0: as many as there are CPUs
	profileBuild string // empty: the artifact itself, if it has the profiler
	given        map[string]string
}

// parseOptions reads the options of an artifact. It refuses those of generators for what is built.
func parseOptions(path string, given map[string]string) (o options, err error) {
	for _, option := range generatorOptions() {
		if given[option.Name] != "" && !FromGenerator(path) {
			return o, fmt.Errorf("option %s: the pipelines are built already; name the source of their generator (.py, "+
				".cpp), or leave the option out", option.Name)
		}
	}
	o.given, o.profileBuild = given, given[OptionProfileBuild]
	if value := given[OptionTaskThreads]; value != "" {
		if o.threads, err = strconv.Atoi(value); err != nil || o.threads < 1 || o.threads > maxThreads {
			return o, fmt.Errorf("option %s=%s: not a number from 1 to %d", OptionTaskThreads, value, maxThreads)
		}
	}
	return o, nil
}

// threadsFor returns the number of threads of a pipeline. Halide itself would take every CPU that is online. Threads
// inherit the CPU of the thread that starts them, so a pinned one gets no others.
func (o options) threadsFor(m invocations.Measure) int {
	switch {
	case o.threads > 0:
		return o.threads
	case m.CPU >= 0:
		return 1
	}
	return min(runtime.NumCPU(), maxThreads)
}

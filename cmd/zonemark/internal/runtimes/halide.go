package runtimes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"zonemark/executor"
	"zonemark/executor/halide"
	"zonemark/invocations"
)

func halideRow() Row {
	return Row{
		Name: halide.Name, Recognizes: halide.Recognizes, Pattern: "*.so, *.a, *.o",
		New:     func(getenv func(string) string) executor.Runtime { return halide.New(getenv) },
		Options: halide.Options(), Provide: provideProfileBuild,
		Dispatches: &Dispatches{
			Support:   halideDispatches,
			Artifacts: "Halide pipelines",
			Remedy:    "--profile-build names a build of Halide pipelines that has the target feature profile",
			Profiler:  "--profile-build names a build that has the target feature profile",
		},
	}
}

// halideDispatches says whether a pipeline, or the profile build that an invocation names, carries Halide's profiler.
func halideDispatches(inv *invocations.Invocation, _ func(string) string) Support {
	return Support{Profiler: halide.Profiled(inv.Artifact, inv.Function)}
}

// provideProfileBuild makes the paths of profile builds absolute, so that a wrong one is found before anything runs.
func provideProfileBuild(_ context.Context, r Request) ([]string, error) {
	for _, inv := range r.Invocations {
		path := inv.Artifact.Options[halide.OptionProfileBuild]
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("--%s: %w", halide.OptionProfileBuild, err)
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		inv.SetOption(halide.OptionProfileBuild, path)
	}
	return nil, nil
}

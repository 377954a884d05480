package runtimes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"zonemark/driver/setup"
	"zonemark/executor"
	"zonemark/executor/halide"
	"zonemark/invocations"
)

func halideRow() Row {
	return Row{
		Name: halide.Name, Recognizes: halide.Recognizes, Holds: halide.Holds, Pattern: "*.so, *.a, *.o, *.py, *.cpp",
		ReadAlone: func(path string) bool { return !halide.FromGenerator(path) },
		New:       func(getenv func(string) string) executor.Runtime { return halide.New(getenv) },
		Options:   halide.Options(), Provide: provideHalide,
		Dispatches: &Dispatches{
			Support: halideDispatches, ProfileBuild: halide.ForProfile,
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

// provideHalide finds Halide, or installs it, if an invocation is of a generator, and looks at the files that options
// name.
func provideHalide(ctx context.Context, r Request) ([]string, error) {
	if err := provideProfileBuilds(r); err != nil {
		return nil, err
	}
	generators := false
	for _, inv := range r.Invocations {
		if !halide.FromGenerator(inv.Artifact.Path) {
			continue
		}
		generators = true
		if err := halide.CompleteGenerator(inv); err != nil {
			return nil, err
		}
	}
	if !generators {
		return nil, nil
	}
	tools, err := provideHexagon(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := setup.InstallHalide(ctx, r.Setup)
	if err != nil {
		return nil, err
	}
	return append(found.Environment(), tools...), nil
}

// provideHexagon finds what links and runs pipelines for Hexagon, if an invocation is of one. It installs the compiler;
// the emulator is a package of the system.
func provideHexagon(ctx context.Context, r Request) (entries []string, err error) {
	if !slices.ContainsFunc(r.Invocations, func(v *invocations.Invocation) bool { return halide.Emulated(v.Artifact) }) {
		return nil, nil
	}
	emulator, err := setup.FindHexagonEmulator(r.Setup)
	if err != nil {
		return nil, err
	}
	compiler, err := setup.InstallHexagonCompiler(ctx, r.Setup)
	if err != nil {
		return nil, err
	}
	return []string{
		setup.HexagonEmulatorVariable + "=" + emulator, setup.HexagonCompilerVariable + "=" + compiler,
	}, nil
}

// provideProfileBuilds makes the paths of profile builds absolute, so that a wrong one is found before anything runs.
func provideProfileBuilds(r Request) error {
	for _, inv := range r.Invocations {
		path := inv.Artifact.Options[halide.OptionProfileBuild]
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("--%s: %w", halide.OptionProfileBuild, err)
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		inv.SetOption(halide.OptionProfileBuild, path)
	}
	return nil
}

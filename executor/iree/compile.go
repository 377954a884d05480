package iree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/targets"
	"zonemark/executor/toolchain"
	"zonemark/invocations/cpuinfo"
	"zonemark/invocations/files"
	"zonemark/invocations/remedy"
)

// compile compiles MLIR for the device that the options ask for; see compileFor.
func compile(ctx context.Context, path string, o executor.DescribeOptions, in Installation) (vmfb string, err error) {
	flagSets, err := in.targets(ctx, o.Options)
	if err != nil {
		return "", err
	}
	return compileFor(ctx, path, o.Cache, flagSets, in)
}

// component is IREE's name among those that zonemark installs.
const component = "iree"

// compileFor compiles MLIR, as text or bytecode, to a .vmfb below the cache and returns its path. Of the targets it
// takes the first that the compiler knows. The file is named after the hash of the source, the flags, the compiler's
// version and, if the code is made for this processor, the processor. It appears there in one step, so two processes
// may compile the same source at a time. The compiler's output is kept beside it: see compileWarnings.
func compileFor(
	ctx context.Context, path, cache string, flagSets []targets.Flags, in Installation,
) (vmfb string, err error) {
	switch {
	case in.Compile == "":
		return "", remedy.With(fmt.Errorf("%s: MLIR must be compiled, and IREE's compiler is not installed", path),
			remedy.Remedy{Kind: remedy.Install, Name: component},
			remedy.Remedy{Kind: remedy.Act, Value: "compile it elsewhere and name the .vmfb"})
	case cache == "":
		return "", fmt.Errorf("%s: MLIR must be compiled, and there is no cache to put the module into", path)
	}
	version, err := exec.CommandContext(ctx, in.Compile, "--version").Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: the compiler was stopped: %w", path, context.Cause(ctx))
	case err != nil:
		return "", remedy.With(fmt.Errorf("%s --version: %w", in.Compile, err),
			remedy.Remedy{Kind: remedy.Reinstall, Name: component, Value: "the compiler"})
	}
	for _, flags := range flagSets {
		name, err := compiledName(path, flags, version)
		if err != nil {
			return "", err
		}
		vmfb := filepath.Join(cache, "iree", name)
		if files.IsFile(unknownFile(vmfb)) && len(flagSets) > 1 {
			continue
		}
		err = toolchain.Keep(vmfb, 0o644, func(scratch string) (string, error) {
			return in.runCompiler(ctx, flags, path, vmfb, scratch)
		})
		if err == nil || !unknownTarget(err) || len(flagSets) == 1 {
			return vmfb, err
		}
		if err := files.Write(unknownFile(vmfb), 0o644, []byte(err.Error())); err != nil {
			return "", fmt.Errorf("cache for compiled modules: %w", err)
		}
	}
	return "", remedy.With(fmt.Errorf("%s: the compiler knows none of the targets %q", path, flagSets),
		remedy.Remedy{Kind: remedy.Say, Name: optionCompileFlags, Value: "FLAGS which one it shall be"})
}

// unknownFile returns the path of the file that says that the compiler does not know the target of a module.
func unknownFile(vmfb string) string { return vmfb + ".unknown" }

// compiledName returns the name of the file that a source is compiled to.
func compiledName(path string, flags targets.Flags, version []byte) (string, error) {
	h := sha256.New()
	if err := files.CopyTo(h, path); err != nil {
		return "", err
	}
	// The path is in the module, as the source of its dispatches.
	fmt.Fprintf(h, "\x00%q\x00%q\x00%q", path, flags, version)
	if flags.ForHost() {
		fmt.Fprintf(h, "\x00%q", runtime.GOARCH+cpuinfo.ProcessorKind())
	}
	return hex.EncodeToString(h.Sum(nil)) + moduleExtension, nil
}

// runCompiler compiles into a folder and returns where the module is. What the compiler says goes beside the module's
// final place.
func (in Installation) runCompiler(ctx context.Context, flags targets.Flags, path, vmfb, folder string) (string, error) {
	output := filepath.Join(folder, "module"+moduleExtension)
	said, err := in.run(ctx, toolchain.Program{
		Command: slices.Concat([]string{in.Compile}, flags, []string{path, "-o", output}),
	}, folder, path)
	if err != nil {
		return "", compileError(path, err)
	}
	if text := toolchain.Diagnostics(said); text != "" {
		if err := files.Write(warningsFile(vmfb), 0o644, []byte(text)); err != nil {
			return "", fmt.Errorf("cache for compiled modules: %w", err)
		}
	}
	return output, nil
}

// compileError returns why the compiler failed.
func compileError(path string, err error) error {
	var failed *toolchain.FailedError
	var exit *exec.ExitError
	if !errors.As(err, &failed) || !errors.As(err, &exit) {
		return fmt.Errorf("%s: the compiler: %w", path, err)
	}
	what := "does not compile"
	if !exit.Exited() {
		what = "the compiler ended by " + exit.String()
	}
	if strings.Contains(failed.Said, "does not contain a vm.module op") {
		return fmt.Errorf("%s: the module has no functions, so there is nothing to compile", path)
	}
	if text := toolchain.Diagnostics(failed.Said); text != "" {
		return fmt.Errorf("%s: %s:\n%s", path, what, text)
	}
	return fmt.Errorf("%s: %s: %w", path, what, failed.Err)
}

func warningsFile(vmfb string) string { return vmfb + ".warnings" }

// compileWarnings returns what the compiler printed when it made a module that compile has returned, now or earlier. It
// is empty if the compiler printed nothing.
func compileWarnings(vmfb string) (string, error) {
	b, err := os.ReadFile(warningsFile(vmfb))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return string(b), err
}

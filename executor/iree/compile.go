package iree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"zonemark/executor"
	"zonemark/executor/iree/targets"
	"zonemark/invocations/cpuinfo"
	"zonemark/invocations/files"
	"zonemark/invocations/remedy"
)

// compileAfterlife limits how long a compiler that was killed, or its linker, may keep its output open.
const compileAfterlife = 5 * time.Second

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
	folder := filepath.Join(cache, "iree")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", fmt.Errorf("cache for compiled modules: %w; choose another cache folder", err)
	}
	for _, flags := range flagSets {
		name, err := compiledName(path, flags, version)
		if err != nil {
			return "", err
		}
		vmfb := filepath.Join(folder, name)
		switch _, unknown := os.Stat(unknownFile(vmfb)); {
		case files.Intact(vmfb):
			return vmfb, nil
		case unknown == nil && len(flagSets) > 1:
			continue
		}
		err = in.runCompiler(ctx, flags, path, vmfb)
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

// runCompiler compiles into a folder of its own and moves the files into place, the module last.
func (in Installation) runCompiler(ctx context.Context, flags targets.Flags, path, vmfb string) error {
	folder, err := filepath.Abs(filepath.Dir(vmfb))
	if err == nil {
		folder, err = os.MkdirTemp(folder, "compiling-*")
	}
	if err != nil {
		return fmt.Errorf("cache for compiled modules: %w", err)
	}
	defer os.RemoveAll(folder)
	output := filepath.Join(folder, "module"+moduleExtension)
	said := &beginning{}
	cmd := exec.CommandContext(ctx, in.Compile, append(append([]string{}, flags...), path, "-o", output)...)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.WaitDelay = compileAfterlife
	if err := in.run(cmd, folder, path); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: the compiler was stopped: %w", path, context.Cause(ctx))
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return fmt.Errorf("%s: the compiler: %w", path, err)
		}
		what := "does not compile"
		if !exit.Exited() {
			what = "the compiler ended by " + exit.String()
		}
		if strings.Contains(said.String(), "does not contain a vm.module op") {
			return fmt.Errorf("%s: the module has no functions, so there is nothing to compile", path)
		}
		if text := diagnostics(said.String()); text != "" {
			return fmt.Errorf("%s: %s:\n%s", path, what, text)
		}
		return fmt.Errorf("%s: %s: %w", path, what, err)
	}
	if text := diagnostics(said.String()); text != "" {
		if err := files.Write(warningsFile(vmfb), 0o644, []byte(text)); err != nil {
			return fmt.Errorf("cache for compiled modules: %w", err)
		}
	}
	if err := files.PlaceSealed(output, vmfb, 0o644); err != nil {
		return fmt.Errorf("cache for compiled modules: %w", err)
	}
	return nil
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

// beginning keeps the first part of what is written to it.
type beginning struct{ bytes.Buffer }

func (b *beginning) Write(p []byte) (int, error) {
	const maxBytes = 1 << 20
	b.Buffer.Write(p[:min(len(p), max(0, maxBytes-b.Len()))])
	return len(p), nil
}

package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
)

// The pinned release of the compiler zig, and what its wheel for Linux on x86-64 is.
const (
	zigVersion       = "0.17.0"
	zigPackage       = "ziglang"
	zigProgram       = "zig"
	zigDownloadBytes = 101_000_000
	zigDiskBytes     = 420_000_000
)

// The variables by which executors, and a user's shell, learn where the tools for Hexagon are.
const (
	HexagonCompilerVariable = "ZONEMARK_HEXAGON_ZIG"  // the compiler zig
	HexagonEmulatorVariable = "ZONEMARK_HEXAGON_QEMU" // qemu-hexagon
)

// hexagonEmulators are the names that the emulator has in packages of qemu.
func hexagonEmulators() []string { return []string{"qemu-hexagon", "qemu-hexagon-static"} }

// zigPath is where the compiler is in the component's folder.
func zigPath() string { return filepath.Join(zigPackage, zigProgram) }

func hexagonComponent() Component {
	return Component{
		Name:    "halide-hexagon",
		Version: zigVersion,
		Summary: "the compiler zig, which links Halide's pipelines for Hexagon; qemu-hexagon runs them",
		Plan: fmt.Sprintf("installing %s %s (about %d MB to download, %d MB on disk)",
			zigPackage, zigVersion, zigDownloadBytes/1_000_000, zigDiskBytes/1_000_000),
		Install: installZig,
		Find: func(o Options) (Found, error) {
			path, err := FindHexagonCompiler(o)
			found := Found{Place: path, Environment: []string{HexagonCompilerVariable + "=" + path}}
			if err != nil {
				return found, err
			}
			emulator, err := FindHexagonEmulator(o)
			if err != nil {
				found.Notes = append(found.Notes, err.Error())
				return found, nil
			}
			found.Environment = append(found.Environment, HexagonEmulatorVariable+"="+emulator)
			return found, nil
		},
		Existing: namedLibrary("halide-hexagon", HexagonCompilerVariable, FindHexagonCompiler),
		Help: Help{
			Example: "Halide's pipelines for Hexagon",
			Places:  "tools for Hexagon",
		},
		Broken: func(folder string, m Manifest) string { return brokenLibrary(folder, zigPath(), m) },
	}
}

// FindHexagonCompiler returns the path of the compiler zig: $ZONEMARK_HEXAGON_ZIG, that on PATH, or the one that
// zonemark installed, in this order. It installs nothing: the error is a *NotInstalledError if there is none.
func FindHexagonCompiler(o Options) (string, error) {
	if o.getenv(HexagonCompilerVariable) == "" {
		if path, err := exec.LookPath(zigProgram); err == nil {
			return filepath.Abs(path)
		}
	}
	return findLibrary(o, hexagonComponent(), zigPath(), HexagonCompilerVariable)
}

// InstallHexagonCompiler finds the compiler as FindHexagonCompiler does, and installs it if it is not there.
func InstallHexagonCompiler(ctx context.Context, o Options) (string, error) {
	return installLibrary(ctx, o, hexagonComponent(), FindHexagonCompiler)
}

// FindHexagonEmulator returns the path of qemu's emulator of user programs for Hexagon: $ZONEMARK_HEXAGON_QEMU, or that
// on PATH. Zonemark does not install it, because systems have packages of it; the error says so.
func FindHexagonEmulator(o Options) (string, error) {
	if path := o.getenv(HexagonEmulatorVariable); path != "" {
		if !files.IsFile(path) {
			return "", fmt.Errorf("$%s: %s: there is no such file; take the variable out of the environment",
				HexagonEmulatorVariable, path)
		}
		return filepath.Abs(path)
	}
	for _, name := range hexagonEmulators() {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("pipelines for Hexagon are run by qemu-hexagon, which is not on PATH: install it (Debian, "+
		"Ubuntu: apt install qemu-user), or name it by $%s", HexagonEmulatorVariable)
}

// installZig unpacks the wheel in a separate environment and keeps only the compiler with its libraries, which need no
// Python.
func installZig(ctx context.Context, w *Work) (Manifest, error) {
	own := fmt.Sprintf("put zig %s on PATH, or name it by $%s", zigVersion, HexagonCompilerVariable)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Manifest{}, fmt.Errorf("pipelines for Hexagon are linked on Linux on x86-64 only, and this is %s on %s: %s",
			runtime.GOOS, runtime.GOARCH, own)
	}
	base, err := w.Options.baseFor(python.Newest)
	if err != nil {
		return Manifest{}, err
	}
	set := wheels{
		requirements: hexagonRequirements, downloadBytes: zigDownloadBytes, diskBytes: zigDiskBytes, yourself: "or " + own,
	}
	artifacts, err := set.install(ctx, w, base)
	if err != nil {
		return Manifest{}, err
	}
	venv := filepath.Join(w.Folder, environmentFolder)
	found, err := filepath.Glob(filepath.Join(venv, "lib", "python*", "site-packages", zigPath()))
	if err != nil || len(found) != 1 {
		return Manifest{}, errors.Join(
			fmt.Errorf("%s is not in %s, though pip installed it: %d places", zigProgram, venv, len(found)), err)
	}
	program, err := describeFile(found[0])
	if err != nil {
		return Manifest{}, err
	}
	program.Name = zigPath()
	folder := filepath.Join(w.Folder, zigPackage)
	if err := errors.Join(removeAll(folder), os.Rename(filepath.Dir(found[0]), folder)); err != nil {
		return Manifest{}, err
	}
	return Manifest{Artifacts: slices.Concat(artifacts, []Artifact{program})}, removeAll(venv)
}

package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"zonemark/driver/setup/command"
)

// The pinned release of the compiler zig.
const (
	zigVersion = "0.17.0"
	zigPackage = "ziglang"
	zigProgram = "zig"
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
	c := zig().component()
	find := c.Find
	c.Find = func(o Options) (Found, error) {
		found, err := find(o)
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
	}
	return c
}

func zig() library {
	return library{
		file: zigPath(), variable: HexagonCompilerVariable, onPATH: func() string { return command.LookUp(zigProgram) },
		row: Component{
			Name:    "halide-hexagon",
			Version: zigVersion,
			Summary: "the compiler zig, which links Halide's pipelines for Hexagon; qemu-hexagon runs them",
			Plan:    zigWheels().plan(),
			Install: installZig,
			Help: Help{
				Example: "Halide's pipelines for Hexagon",
				Places:  "tools for Hexagon",
			},
		},
	}
}

// FindHexagonCompiler returns the path of the compiler zig: $ZONEMARK_HEXAGON_ZIG, that on PATH, or the one that
// zonemark installed, in this order. It installs nothing: the error is a *NotInstalledError if there is none.
func FindHexagonCompiler(o Options) (string, error) { return zig().find(o) }

// InstallHexagonCompiler finds the compiler as FindHexagonCompiler does, and installs it if it is not there.
func InstallHexagonCompiler(ctx context.Context, o Options) (string, error) {
	found, err := zig().component().Ensure(ctx, o)
	return found.Place, err
}

// FindHexagonEmulator returns the path of qemu's emulator of user programs for Hexagon: $ZONEMARK_HEXAGON_QEMU, or that
// on PATH. Zonemark does not install it, because systems have packages of it; the error says so.
func FindHexagonEmulator(o Options) (string, error) {
	if path, err := o.named(HexagonEmulatorVariable); path != "" || err != nil {
		return path, err
	}
	if path := command.LookUp(hexagonEmulators()...); path != "" {
		return filepath.Abs(path)
	}
	return "", fmt.Errorf("pipelines for Hexagon are run by qemu-hexagon, which is not on PATH: install it (Debian, "+
		"Ubuntu: apt install qemu-user), or name it by $%s", HexagonEmulatorVariable)
}

// zigWheels has the compiler. The sizes are those of the wheel for Linux on x86-64.
func zigWheels() wheels {
	return wheels{
		names: zigPackage + " " + zigVersion, requirements: hexagonRequirements,
		downloadBytes: 101_000_000, diskBytes: 420_000_000,
		yourself: fmt.Sprintf("put zig %s on PATH, or name it by $%s", zigVersion, HexagonCompilerVariable),
	}
}

// installZig keeps only the compiler with its libraries, which need no Python.
func installZig(ctx context.Context, w *Work) (Manifest, error) {
	set := zigWheels()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Manifest{}, fmt.Errorf("pipelines for Hexagon are linked on Linux on x86-64 only, and this is %s on %s: %s",
			runtime.GOOS, runtime.GOARCH, set.yourself)
	}
	set.yourself = "or " + set.yourself
	return set.installFile(ctx, w, zigPath(), zigPath(), func(found string) error {
		folder := filepath.Join(w.Folder, zigPackage)
		return errors.Join(removeAll(folder), os.Rename(filepath.Dir(found), folder))
	})
}

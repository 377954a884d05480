package hexagon

import (
	"fmt"
	"os"

	"zonemark/invocations/remedy"
)

// The variables that name the tools. The driver sets them for executors; package setup has the same names.
const (
	compilerVariable = "ZONEMARK_HEXAGON_ZIG"
	emulatorVariable = "ZONEMARK_HEXAGON_QEMU"
)

// FindCompiler returns the path of the program zig, which compiles and links the harness.
func FindCompiler(getenv func(name string) string) (string, error) {
	return find(getenv, compilerVariable, "linked with a harness by zig",
		remedy.Remedy{Kind: remedy.Install, Name: "halide-hexagon"},
		remedy.Remedy{Kind: remedy.Act, Value: "put zig on PATH"})
}

// FindEmulator returns the path of the program qemu-hexagon.
func FindEmulator(getenv func(name string) string) (string, error) {
	return find(getenv, emulatorVariable, "run by qemu-hexagon",
		remedy.Remedy{Kind: remedy.Package, Name: "qemu-user"},
		remedy.Remedy{Kind: remedy.File, Variable: emulatorVariable, Value: "it"})
}

func find(getenv func(name string) string, variable, use string, remedies ...remedy.Remedy) (string, error) {
	path := getenv(variable)
	if path == "" {
		return "", remedy.With(fmt.Errorf("pipelines for Hexagon are %s, which is not installed", use), remedies...)
	}
	if _, err := os.Stat(path); err != nil {
		return "", remedy.With(fmt.Errorf("%s: %w", variable, err), remedies...)
	}
	return path, nil
}

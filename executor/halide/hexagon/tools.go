package hexagon

import (
	"fmt"
	"os"
)

// The variables that name the tools. The driver sets them for executors; package setup has the same names.
const (
	compilerVariable = "ZONEMARK_HEXAGON_ZIG"
	emulatorVariable = "ZONEMARK_HEXAGON_QEMU"
)

// FindCompiler returns the path of the program zig, which compiles and links the harness.
func FindCompiler(getenv func(name string) string) (string, error) {
	return find(getenv, compilerVariable, "linked with a harness by zig",
		"run \"zonemark setup halide-hexagon\", or put zig on PATH")
}

// FindEmulator returns the path of the program qemu-hexagon.
func FindEmulator(getenv func(name string) string) (string, error) {
	return find(getenv, emulatorVariable, "run by qemu-hexagon",
		"install it (Debian, Ubuntu: apt install qemu-user), or name it by "+emulatorVariable)
}

func find(getenv func(name string) string, variable, use, remedy string) (string, error) {
	path := getenv(variable)
	if path == "" {
		return "", fmt.Errorf("pipelines for Hexagon are %s, which is not installed: %s", use, remedy)
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s: %w; %s", variable, err, remedy)
	}
	return path, nil
}

package setuptest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/driver/setup"
	"zonemark/invocations/testneeds"
)

// Halide returns the Python environment with Halide.
func Halide(t testing.TB) setup.Halide {
	t.Helper()
	halide, err := found.halide()
	testneeds.Missing(t, err)
	return halide
}

// HalidePipelines returns a folder with what the generators of a Python script make of command lines, which the script
// reads from its standard input: object files. Halide takes seconds for them, so they are kept for the next run.
func HalidePipelines(t testing.TB, script string, lines ...string) string {
	t.Helper()
	halide := Halide(t)
	source, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	host, err := exec.Command(filepath.Join(halide.Folder, "bin", "get_host_target")).Output()
	if err != nil {
		t.Fatal(err)
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", halide.Interpreter, host, source, lines))
	folder, err := testneeds.Kept(t, fmt.Sprintf("pipelines/%x", key[:16]), func(folder string) error {
		var input strings.Builder
		for _, line := range lines {
			fmt.Fprintf(&input, "%s -e object -o '%s'\n", line, folder)
		}
		cmd := exec.Command(halide.Interpreter, script)
		cmd.Stdin = strings.NewReader(input.String())
		return run(cmd)
	})
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// run runs a command. Its error has what the command printed.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// Hexagon returns the variables, NAME=VALUE, that name what links and runs pipelines for Hexagon. Other machines than
// those with Linux on x86-64 have no such tools, so that the test is skipped there.
func Hexagon(t testing.TB) []string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("pipelines for Hexagon are linked on Linux on x86-64 only, and this is %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	compiler, err := setup.FindHexagonCompiler(options())
	testneeds.Missing(t, err)
	emulator, err := setup.FindHexagonEmulator(options())
	testneeds.Missing(t, err)
	return []string{setup.HexagonCompilerVariable + "=" + compiler, setup.HexagonEmulatorVariable + "=" + emulator}
}

package release

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"

	"github.com/google/go-cmp/cmp"
)

// TestPython installs the Python package into a fresh virtual environment and runs its driver and its tests there. In the
// large size, installing builds the program, as it does for users, and the page of the documentation is run.
func TestPython(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("installs a Python package")
	}
	venv := newVirtualEnvironment(t)
	source := e2e.Top(t, "driver", "python")
	install := venv.command(t, "python", "-m", "pip", "install", "-q", "--no-build-isolation", source)
	if !testsize.Large() {
		install.Env = append(install.Env, "ZONEMARK_BINARY="+e2e.Program(t))
	}
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("wheel", venv.testWheel)
	t.Run("driver", venv.testDriver)
	t.Run("dispatches", venv.testDispatches)
	t.Run("fields", venv.testFields)
	if testsize.Large() {
		t.Run("outside", venv.testOutsideOfRepository)
		t.Run("page", venv.testPage)
	}
	t.Run("unittest", func(t *testing.T) {
		cmd := venv.command(t, "python", "-m", "unittest")
		// In the package's folder, Python would import the sources instead of the installed package.
		cmd.Dir = filepath.Join(source, "tests")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "OK") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// virtualEnvironment is the folder with the programs of a Python virtual environment.
type virtualEnvironment string

// newVirtualEnvironment makes one that can build the package without the network. If that fails, it skips the test, or
// fails it in CI.
func newVirtualEnvironment(t *testing.T) virtualEnvironment {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("executors do not start on Windows")
	}
	packages := []string{"pip", "hatchling"}
	if os.Getenv("CI") == "true" { // they are large, and elsewhere the tests that need them are skipped
		packages = append(packages, "pandas", "pyarrow", "cffi", "cloudpickle", "numba", "mypy==2.4.1", "pandas-stubs")
	}
	shared := setuptest.PythonPackages(t, "python3", packages...)
	folder := t.TempDir()
	if out, err := exec.Command("python3", "-m", "venv", "--without-pip", folder).CombinedOutput(); err != nil {
		testneeds.Missing(t, fmt.Errorf("python3 makes no virtual environment: %w\n%s", err, out))
	}
	venv := virtualEnvironment(filepath.Join(folder, "bin"))
	site := strings.TrimSpace(venv.must(t, "python", "-c", "import sysconfig as s; print(s.get_path('purelib'))"))
	if err := os.WriteFile(filepath.Join(site, "shared.pth"), []byte(shared+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return venv
}

// command is one of the programs of the environment, with the cache of the tests.
func (v virtualEnvironment) command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(string(v), program), args...)
	cmd.Env = append(e2e.Environment(), "PYTHONDONTWRITEBYTECODE=1", "CGO_ENABLED=0", "ZONEMARK_BINARY=",
		"ZONEMARK_EXAMPLE="+e2e.Example(t), "ZONEMARK_HOME="+e2e.Cache(t))
	return cmd
}

// must runs a program, which must succeed, and returns its standard output.
func (v virtualEnvironment) must(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := v.command(t, program, args...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, e2e.StderrOf(err))
	}
	return string(out)
}

// The wheel is for this platform and any Python, and the script of the package is the binary.
func (v virtualEnvironment) testWheel(t *testing.T) {
	wheel := v.must(t, "python", "-c",
		"import importlib.metadata as m; print(m.distribution('zonemark').read_text('WHEEL'))")
	if !strings.Contains(wheel, "Tag: py3-none-") || strings.Contains(wheel, "none-any") {
		t.Errorf("the wheel says\n%s", wheel)
	}
	if got := v.must(t, "zonemark", "version"); !strings.Contains(got, runtime.GOOS+"/"+runtime.GOARCH) {
		t.Errorf("zonemark version: %s", got)
	}
}

// The three flags of the driver do what they say, and its exit status is that of zonemark run.
func (v virtualEnvironment) testDriver(t *testing.T) {
	suite := e2e.Example(t, "sizes.toml")
	for _, test := range []struct {
		args   []string
		status int
		out    string
	}{
		{[]string{"-c", suite}, 0, "6 invocations: 6 ok"},
		{[]string{"--only-check-correctness", suite, "--filter", "16x8"}, 0, "1 invocation: 1 ok"},
		{[]string{suite, "--filter=16x8", "--max-time=20ms", "--launches=2", "--format=csv"}, 0, "product 16x8"},
		{[]string{"-c", e2e.Example(t, "sizes.hat"), "--function", "product", "--param", "M=-1"}, 2,
			"1 failed"},
		{[]string{"no-such-suite.toml"}, 1, ""},
		{[]string{"--trace-fil", "x"}, 1, ""},
	} {
		cmd := v.command(t, "python", append([]string{"-m", "zonemark.driver"}, test.args...)...)
		out, err := cmd.Output()
		if status := cmd.ProcessState.ExitCode(); status != test.status || !strings.Contains(string(out), test.out) {
			t.Errorf("%v: status %d, want %d, and %q in\n%s%s", test.args, status, test.status, test.out, out,
				e2e.StderrOf(err))
		}
	}
}

// The driver keeps the capture and the dispatches of a module of IREE, and the function run returns the dispatches.
func (v virtualEnvironment) testDispatches(t *testing.T) {
	e2e.NeedsIREE(t)
	module := e2e.Example(t, "softmax.mlir")
	capture, table := filepath.Join(t.TempDir(), "micro.tracy"), filepath.Join(t.TempDir(), "micro.csv")
	v.must(t, "python", "-m", "zonemark.driver", "--max-time=20ms", "--launches=2", "-t", capture,
		"--dataframe-csv-file", table, module)
	if zones, _ := e2e.ReadZones(t, capture); len(zones) == 0 {
		t.Error("the capture holds no zones")
	}
	rows, err := os.ReadFile(table)
	if err != nil || strings.Count(string(rows), "softmax_f32_dispatch_0") == 0 {
		t.Errorf("%v; the table of dispatches is\n%.500s", err, rows)
	}
	out := v.must(t, "python", "-c", `
import sys, zonemark
run = zonemark.run(sys.argv[1], max_time="20ms", launches=2, dispatches="tracy")
print(run.ok, [(d.name, d.median_ns > 0) for r in run.results for d in r.dispatches])`, module)
	if !strings.HasPrefix(out, "True [('softmax_f32_dispatch_0") || !strings.Contains(out, "True)]") {
		t.Errorf("from Python, the dispatches are %s", out)
	}
}

// The examples of docs/python.md run and print what the page shows.
func (v virtualEnvironment) testPage(t *testing.T) {
	if err := v.command(t, "python", "-c", "import numpy, numba, cffi, pandas").Run(); err != nil {
		testneeds.Missing(t, fmt.Errorf("NumPy, numba, cffi or pandas is not installed: %w", err))
	}
	e2e.NeedsIREE(t)
	p := e2e.ReadPage(t, e2e.Top(t, "docs", "python.md"))
	if len(p.Commands) < 8 || len(p.Files) < 8 {
		t.Fatalf("the page shows %d commands and %d files", len(p.Commands), len(p.Files))
	}
	programs := string(v) + string(filepath.ListSeparator) + os.Getenv("PATH")
	p.Run(t, append(v.command(t, "python").Env, "PATH="+programs))
}

// The records of the package have the fields of the journal's lines, so that no value counts as unknown.
func (v virtualEnvironment) testFields(t *testing.T) {
	out := v.must(t, "python", "-c", `
import dataclasses, json, zonemark
records = [zonemark.Header, zonemark.Result, zonemark.Argument, zonemark.Crash, zonemark.Dispatch, zonemark.End]
print(json.dumps([sorted(f.name for f in dataclasses.fields(r) if f.name != "extra") for r in records]))`)
	var got, want [][]string
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for _, line := range []any{
		invocations.Header{}, invocations.Record{}, invocations.ArgumentRecord{}, invocations.CrashRecord{},
		invocations.DispatchRecord{}, invocations.End{},
	} {
		var keys []string
		for _, field := range reflect.VisibleFields(reflect.TypeOf(line)) {
			if key, _, _ := strings.Cut(field.Tag.Get("json"), ","); key != "kind" && !field.Anonymous {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		want = append(want, keys)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys of the journal (-) and fields of the package (+):\n%s", diff)
	}
}

// The package distinguishes sources outside of the repository from those in it, and accepts a prebuilt binary.
func (v virtualEnvironment) testOutsideOfRepository(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "python")
	if err := os.CopyFS(alone, os.DirFS(e2e.Top(t, "driver", "python"))); err != nil {
		t.Fatal(err)
	}
	wheels := t.TempDir()
	build := func(environment ...string) (string, error) {
		cmd := v.command(t, "python", "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", wheels, alone)
		cmd.Env = append(cmd.Env, environment...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const reason = "not inside zonemark's repository"
	if out, err := build(); err == nil || !strings.Contains(out, reason) ||
		!strings.Contains(out, "set ZONEMARK_BINARY") {
		t.Errorf("%v, want %q in\n%s", err, reason, out)
	}
	if out, err := build("ZONEMARK_BINARY=/bin/sh"); err == nil || !strings.Contains(out, "ZONEMARK_BINARY: /bin/sh") {
		t.Errorf("/bin/sh as the binary: %v\n%s", err, out)
	}
	prebuilt := strings.TrimSpace(v.must(t, "python", "-c", "import zonemark.binary as b; print(b.find())"))
	if out, err := build("ZONEMARK_BINARY=" + prebuilt); err != nil {
		t.Fatalf("with a prebuilt binary: %v\n%s", err, out)
	}
	if found, err := filepath.Glob(filepath.Join(wheels, "zonemark-*-py3-none-*.whl")); err != nil || len(found) != 1 {
		t.Errorf("wheels %v, %v; want one", found, err)
	}
}

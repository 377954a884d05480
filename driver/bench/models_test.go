package bench_test

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/bench"
	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// program is the path of zonemark, built from the sources around this package.
type program struct {
	path        string
	environment []string
}

// zonemark returns the program, prepared for benchmarks on XLA's CPU with the environment that has JAX and Keras. Under
// CI both must be installed. Exports are kept for the next run of the tests.
func zonemark(t *testing.T) program {
	t.Helper()
	if testing.Short() {
		t.Skip("exports and compiles models")
	}
	models, cpu := setuptest.Models(t), setuptest.PJRTCPU(t)
	path, err := setuptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	return program{path, append(os.Environ(),
		setup.PJRTCPUVariable+"="+cpu, setup.PJRTPluginVariable+"=cpu",
		setup.ModelsPythonVariable+"="+models.Interpreter, "ZONEMARK_HOME="+testneeds.Cache(t, ""), "TT_METAL_PROFILER_DIR=")}
}

// bench runs zonemark bench and returns its output.
func (p program) bench(t *testing.T, status int, args ...string) string {
	t.Helper()
	return p.run(t, status, append([]string{"bench"}, args...)...)
}

// run runs zonemark and returns its output.
func (p program) run(t *testing.T, status int, args ...string) string {
	t.Helper()
	cmd := exec.Command(p.path, args...)
	cmd.Env = p.environment
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Fatalf("zonemark %s: exit status %d instead of %d (%v)\n%s", strings.Join(args, " "), got, status, err, out)
	}
	return string(out)
}

// performance reads a file of records.
func performance(t *testing.T, path string) []bench.RunRecord {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []bench.RunRecord
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return list
}

// checkRecord checks that every module was verified and timed with transfers, and that the numbers of a record are
// consistent.
func checkRecord(t *testing.T, r bench.RunRecord, modules int) {
	t.Helper()
	checkTimed(t, r, modules)
	for _, m := range r.Zonemark.Modules {
		if m.Options["transfers"] != "included" {
			t.Errorf("module %s: options %v", m.Role, m.Options)
		}
	}
}

// checkTimed checks that every module was verified and timed and that the numbers of a record are consistent.
func checkTimed(t *testing.T, r bench.RunRecord, modules int) {
	t.Helper()
	z := r.Zonemark
	if r.Error != "" || len(z.Modules) != modules || z.Iteration == nil ||
		int64(z.Iteration.N) != r.Args.Repetitions*r.Args.LoopCount {
		t.Fatalf("%+v", r)
	}
	want := r.Args.LoopCount * r.Args.Microbatch * int64(r.Args.Chips)
	if r.TotalSamples != want ||
		math.Abs(r.SamplesPerSec*r.TotalTime-float64(want)) > 1e-6*float64(want) {
		t.Errorf("%d samples in %g s, %g a second; want %d", r.TotalSamples, r.TotalTime, r.SamplesPerSec, want)
	}
	for _, m := range z.Modules {
		if m.Status != invocations.OK {
			t.Errorf("module %s: %s %s", m.Role, m.Status, m.Record.Error)
		}
	}
}

// TestBERT measures the smallest shipped model with each of the flags, several at a time. Every result is compared with
// JAX's own. It is in the large size; TestRuntimes and TestRuntimeFails measure models with fewer flags in the small one.
func TestBERT(t *testing.T) {
	t.Parallel()
	if !testsize.Large() {
		t.Skip("it exports and compiles four models: the large size")
	}
	z := zonemark(t)
	file := filepath.Join(t.TempDir(), "perf.json")
	for _, args := range [][]string{
		{"-opt", "1", "--trace", "light", "--perf_analysis"},
		{"-t"},
		{"-df", "Fp16_b", "--chips", "0"},
		{"-df", "Bfp8_b", "--emulate-formats"},
	} {
		z.bench(t, 0, append([]string{"-m", "bert", "-c", "tiny", "--repetitions", "2", "-o", file, "-q"}, args...)...)
	}
	out := z.bench(t, 1, "-m", "bert", "-c", "tiny", "-df", "Bfp8_b")
	if !strings.Contains(out, "cpu has no block formats") {
		t.Errorf("%s", out)
	}
	list := performance(t, file)
	if len(list) != 4 {
		t.Fatalf("%d records, want 4", len(list))
	}
	for _, r := range list {
		checkRecord(t, r, len(list[0].Zonemark.Modules))
		z := r.Zonemark
		if z.Model.Parameters < 1_000_000 || z.FLOPPerSec <= 0 || z.CompileMS <= 0 || z.Model.Generator["jax"] == "" ||
			r.Arch != "cpu" || z.Device.Platform != "cpu" {
			t.Errorf("%+v %+v", z.Model, z.Device)
		}
	}
	inference, training, half, emulated := list[0], list[1], list[2], list[3]
	if !training.Args.Training || training.Zonemark.Model.FLOP < 2*inference.Zonemark.Model.FLOP {
		t.Errorf("training takes %g FLOP, inference %g", training.Zonemark.Model.FLOP, inference.Zonemark.Model.FLOP)
	}
	if half.Zonemark.Model.DType != "bfloat16" ||
		2*half.Zonemark.Model.WeightsBytes != inference.Zonemark.Model.WeightsBytes {
		t.Errorf("%+v", half.Zonemark.Model)
	}
	if n := half.Zonemark.Device.Available; n < 2 || half.Args.Chips != n || half.Args.LoopCount != 5*int64(n) {
		t.Errorf("%+v", half.Args)
	}
	if a := emulated.Zonemark.Model.Accuracy; a == nil || a.Cosine < 0.9 || a.MaxAbs == 0 ||
		emulated.Zonemark.Model.EmulatedFormat != "Bfp8_b" {
		t.Errorf("%+v", emulated.Zonemark.Model)
	}
	if z := inference.Zonemark; z.Trace == nil || len(z.Trace.Rows) != len(z.Modules) || len(z.Notes) == 0 ||
		z.NotApplied["perf_analysis"] == "" || z.NotApplied["backend_opt_level"] != "" ||
		!strings.Contains(z.Modules[len(z.Modules)-1].Options["compile-options"], "xla_backend_optimization_level=1") {
		t.Errorf("%+v", z)
	}
}

// ownModel is a model in a user's own folder.
const ownModel = `import jax.numpy as jnp
from zonemark.models import Module, Parameter, benchmark_model

@benchmark_model(configs=["small", "large"])
def own(training: bool, config: str, force_num_layers: int = 0):
    width = {"small": 64, "large": 256}[config]
    params = [Parameter((width, width)) for _ in range(force_num_layers or 3)]
    def forward(params, x):
        return sum(jnp.tanh(x @ w) for w in params)
    return [Module(forward, params)], [jnp.ones((2, width))]
`

// writeModel writes a model into a user's folder, and returns the path of its file.
func writeModel(t *testing.T, folder, text string) string {
	t.Helper()
	path := filepath.Join(folder, "mine.py")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOwnModel measures a model of ten lines, in which mistakes are reported by file and line. It is in the large size:
// each run imports JAX and Keras for seconds. In the small one, TestRuntimeFails measures it, tests of driver/python look
// at all mistakes in one process, and TestBenchFails at how they are told.
func TestOwnModel(t *testing.T) {
	t.Parallel()
	if !testsize.Large() {
		t.Skip("it exports a model five times: the large size")
	}
	z := zonemark(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "perf.json")
	path := writeModel(t, folder, ownModel)
	z.bench(t, 0, "-m", "own", "-c", "small", "--layers", "2", "--models", folder, "--repetitions", "2", "-o",
		file, "-q")
	r := performance(t, file)[0]
	checkRecord(t, r, 1)
	if r.Zonemark.Model.Parameters != 2*64*64 || r.Args.Microbatch != 2 {
		t.Errorf("%+v", r.Zonemark.Model)
	}
	for _, c := range []struct{ old, new, want string }{
		{"jnp.ones((2, width))", "jnp.ones((2, 7))", path + ":9: "},
		{"    width =", "    raise KeyError(config)\n    width =", path + ":6: "},
		{"return [Module(forward, params)], [jnp.ones((2, width))]", "return forward", path + ":"},
		{"def own(", "def own(:", path + ":5: "},
	} {
		writeModel(t, folder, strings.Replace(ownModel, c.old, c.new, 1))
		if out := z.bench(t, 1, "-m", "own", "-c", "small", "--models", folder); !strings.Contains(out, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.new, c.want, out)
		}
	}
}

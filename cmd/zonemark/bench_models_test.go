package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup"
)

// modelsForTests sets benchmarks on XLA's CPU up with the environment that holds JAX and Keras; in CI it must be there. Exports are kept in the cache of all tests.
func modelsForTests(t *testing.T) {
	t.Helper()
	found, err := setup.FindModels(setup.Options{})
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Setenv(setup.PJRTCPUVariable, pjrtCPU(t))
	t.Setenv(setup.PJRTPluginVariable, "cpu")
	t.Setenv(setup.ModelsPythonVariable, found.Interpreter)
	t.Setenv("ZONEMARK_HOME", cacheForTests(t))
	t.Setenv("TT_METAL_PROFILER_DIR", "")
}

// TestBenchBERT measures the smallest of the shipped models in every way that the flags offer; every result is held against JAX's own.
func TestBenchBERT(t *testing.T) {
	modelsForTests(t)
	file := filepath.Join(t.TempDir(), "perf.json")
	for _, args := range [][]string{nil, {"-t"}, {"-df", "Fp16_b"}, {"--chips", "0"}, {"-df", "Bfp8_b", "--emulate-formats"}, {"-opt", "1", "--trace", "light", "--perf_analysis"}} {
		benchmarks(t, exitOK, append([]string{"-m", "bert", "-c", "tiny", "-o", file, "-q"}, args...)...)
	}
	if out := benchmarks(t, exitError, "-m", "bert", "-c", "tiny", "-df", "Bfp8_b"); !strings.Contains(out, "cpu has no block formats") {
		t.Errorf("%s", out)
	}
	list := performance(t, file)
	if len(list) != 6 {
		t.Fatalf("%d records, want 6", len(list))
	}
	for _, r := range list {
		checkRecord(t, r, len(list[0].Zonemark.Modules))
		z := r.Zonemark
		if z.Model.Parameters < 1_000_000 || z.FLOPPerSec <= 0 || z.CompileMS <= 0 || z.Model.Generator["jax"] == "" || r.Arch != "cpu" || z.Device.Platform != "cpu" {
			t.Errorf("%+v %+v", z.Model, z.Device)
		}
	}
	inference, training, half, all, emulated, analysed := list[0], list[1], list[2], list[3], list[4], list[5]
	if !training.Args.Training || training.Zonemark.Model.FLOP < 2*inference.Zonemark.Model.FLOP {
		t.Errorf("training takes %g FLOP, inference %g", training.Zonemark.Model.FLOP, inference.Zonemark.Model.FLOP)
	}
	if half.Zonemark.Model.DType != "bfloat16" || 2*half.Zonemark.Model.WeightsBytes != inference.Zonemark.Model.WeightsBytes {
		t.Errorf("%+v", half.Zonemark.Model)
	}
	if n := all.Zonemark.Device.Available; n < 2 || all.Args.Chips != n || all.Args.LoopCount != 5*int64(n) {
		t.Errorf("%+v", all.Args)
	}
	if a := emulated.Zonemark.Model.Accuracy; a == nil || a.Cosine < 0.9 || a.MaxAbs == 0 || emulated.Zonemark.Model.EmulatedFormat != "Bfp8_b" {
		t.Errorf("%+v", emulated.Zonemark.Model)
	}
	if z := analysed.Zonemark; z.Trace == nil || len(z.Trace.Rows) != len(z.Modules) || len(z.Notes) == 0 || z.NotApplied["perf_analysis"] == "" || z.NotApplied["backend_opt_level"] != "" ||
		!strings.Contains(z.Modules[len(z.Modules)-1].Options["compile-options"], "xla_backend_optimization_level=1") {
		t.Errorf("%+v", z)
	}
}

// ownModel is a model that somebody writes in a folder of theirs.
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

// TestBenchOwnModel measures a model of ten lines, and has its mistakes told by file and line.
func TestBenchOwnModel(t *testing.T) {
	modelsForTests(t)
	folder := t.TempDir()
	path, file := filepath.Join(folder, "mine.py"), filepath.Join(folder, "perf.json")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(ownModel)
	benchmarks(t, exitOK, "-m", "own", "-c", "small", "--layers", "2", "--models", folder, "-o", file, "-q")
	r := performance(t, file)[0]
	checkRecord(t, r, 1)
	if r.Zonemark.Model.Parameters != 2*64*64 || r.Args.Microbatch != 2 {
		t.Errorf("%+v", r.Zonemark.Model)
	}
	for _, c := range []struct{ old, new, want string }{
		{"    width =", "    raise KeyError(config)\n    width =", path + ":6: "},
		{"return [Module(forward, params)], [jnp.ones((2, width))]", "return forward", path + ":"},
		{"jnp.ones((2, width))", "jnp.ones((2, 7))", path + ":9: "},
		{"def own(", "def own(:", path + ":5: "},
	} {
		write(strings.Replace(ownModel, c.old, c.new, 1))
		if out := benchmarks(t, exitError, "-m", "own", "-c", "small", "--models", folder); !strings.Contains(out, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.new, c.want, out)
		}
	}
}

package bench_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/bench"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
	"zonemark/invocations/testsize"
)

// withIREE prepares benchmarks on IREE, too.
func withIREE(t *testing.T) program {
	t.Helper()
	z := zonemark(t)
	z.environment = append(z.environment, setuptest.IREE(t).Environment()...)
	return z
}

// TestHosts measures a model on XLA and on IREE on each of two hosts, which are this machine. It is in the large size;
// TestRuntimes measures on this machine in the small one, and models on hosts have tests with a stand-in plugin.
func TestHosts(t *testing.T) {
	t.Parallel()
	if !testsize.Large() {
		t.Skip("measures a model on two runtimes on two hosts")
	}
	z := withIREE(t)
	setuptest.CAPI(t) // IREE's Python packages are not brought to hosts
	file := filepath.Join(t.TempDir(), "perf.json")
	out := z.bench(t, 0, "-m", "bert", "-c", "tiny", "--runtime", "all", "--loop-count", "2", "--repetitions", "3", "-o",
		file, "--via", "env", "--via", "nice -n 1", "--spread")
	for _, want := range []string{"end to end with tt, on each host: inputs and results on the device",
		"end to end with iree, on each host", "-2, beside each other: inputs", "\ntt: not applied\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	list := performance(t, file)
	if len(list) != 4 {
		t.Fatalf("%d records, want 4", len(list))
	}
	for i, r := range list {
		checkTimed(t, r, 2)
		first := list[i/2*2]
		if r.Zonemark.Runtime != []string{"tt", "iree"}[i/2] || r.Zonemark.Beside == nil ||
			r.Zonemark.Hosts == nil || r.MachineName != []string{first.MachineName, first.MachineName + "-2"}[i%2] {
			t.Errorf("%s on %s: %+v", r.Zonemark.Runtime, r.MachineName, r.Zonemark.Hosts)
		}
	}
}

// TestRuntimes measures a model on XLA and on IREE, in turns, with all results compared with JAX's own.
func TestRuntimes(t *testing.T) {
	t.Parallel()
	z := withIREE(t)
	file := filepath.Join(t.TempDir(), "perf.json")
	out := z.bench(t, 0, "-m", "bert", "-c", "tiny", "--runtime", "tt,iree", "--loop-count", "2", "--repetitions", "3",
		"-o", file)
	for _, want := range []string{
		"local-task (IREE ", "bert/tiny/device: 2 variants, by 3 paired launches",
		"end to end, beside each other: inputs and results on the device, by 3 paired repetitions",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	list := performance(t, file)
	if len(list) != 2 {
		t.Fatalf("%d records, want 2", len(list))
	}
	for i, r := range list {
		checkTimed(t, r, 2)
		beside := r.Zonemark.Beside
		if r.Zonemark.Runtime != []string{"tt", "iree"}[i] || beside == nil || beside.Pairs != 3 || len(beside.Rows) != 2 ||
			!strings.HasPrefix(r.Zonemark.Definition, bench.OnDeviceDefinition) {
			t.Fatalf("%+v", r.Zonemark)
		}
		for _, m := range r.Zonemark.Modules {
			if m.Options["transfers"] != "" || m.Group == "" {
				t.Errorf("module %s of group %q: options %v", m.Role, m.Group, m.Options)
			}
		}
		// The parts hand samples on where they are: on IREE's device, and on PJRT by way of the host, which has no part in
		// these times.
		p := r.Zonemark.Pipelined
		if (p != nil) != (r.Zonemark.Runtime == "iree") || p != nil && (p.Error != "" || p.TotalTime <= 0 ||
			len(p.TotalTimes) != 3 || p.Definition != bench.OnDevicePipelinedDefinition) {
			t.Errorf("%s: pipelined %+v, notes %q", r.Zonemark.Runtime, p, r.Zonemark.Notes)
		}
		best, other := beside.Rows[0], beside.Rows[1]
		if best.Ratio != 1 || other.Ratio < other.Low || other.Ratio > other.High || !(other.Low > 0) {
			t.Errorf("%+v", beside)
		}
	}
}

// A runtime that cannot be used or build the model, which is a user's own, has the reason in its record, and the other
// one is measured.
func TestRuntimeFails(t *testing.T) {
	t.Parallel()
	z := withIREE(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "perf.json")
	writeModel(t, folder, ownModel)
	out := z.bench(t, 2, "-m", "own", "-c", "small", "--layers", "2", "--models", folder, "--runtime", "iree,tt",
		"--loop-count", "1", "--repetitions", "2", "--compile-flags=--iree-no-such-flag", "-o", file)
	if !strings.Contains(out, "zonemark: iree: the device cannot be used: does not compile:\n") ||
		!strings.Contains(out, "--iree-no-such-flag") {
		t.Errorf("%s", out)
	}
	list := performance(t, file)
	if len(list) != 2 || !strings.Contains(list[0].Error, "does not compile") || list[0].TotalTime != 0 {
		t.Fatalf("%+v", list)
	}
	checkTimed(t, list[1], 1)
	if model := list[1].Zonemark.Model; model.Parameters != 2*64*64 || list[1].Args.Microbatch != 2 {
		t.Errorf("%+v", model)
	}
}

// A program that IREE does not compile is told with what the compiler lacks.
func TestUncompiledModel(t *testing.T) {
	t.Parallel()
	if !testsize.Large() {
		t.Skip("it exports a model for one message: the large size")
	}
	z := withIREE(t)
	folder := t.TempDir()
	const model = `import jax.numpy as jnp
from zonemark.models import Module, benchmark_model

@benchmark_model(configs=["only"])
def solver(config: str):
    return [Module(lambda params, x: jnp.linalg.cholesky(x), {})], [jnp.eye(8)]
`
	if err := os.WriteFile(filepath.Join(folder, "solver.py"), []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	out := z.bench(t, 2, "-m", "solver", "--models", folder, "--runtime", "iree", "-q")
	for _, want := range []string{"zonemark: the model cannot be built: ", "lapack_spotrf", "--compile-flags hands"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestSuiteOfModels measures a model of a suite on both runtimes. Its results are compared with JAX's own.
func TestSuiteOfModels(t *testing.T) {
	t.Parallel()
	z := withIREE(t)
	folder := t.TempDir()
	suite, journal := filepath.Join(folder, "models.toml"), filepath.Join(folder, "run.ndjson")
	const text = `[[invocation]]
model = "bert:tiny"
group = "bert"
launches = 1
params.layers = 1
axes.runtime = ["tt", "iree"]

[[invocation]]
name = "exactly"
model = "bert:tiny"
runtime = "iree"
check_only = true
verify.tolerance = 1e-12
`
	if err := os.WriteFile(suite, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := z.run(t, 0, "list", suite); !strings.Contains(out, "bert:tiny/runtime=iree  iree") {
		t.Errorf("the list is\n%s", out)
	}
	z.run(t, 2, "run", suite, "-o", journal, "--max-time", "50ms", "--dispatches", "off", "-q")
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]invocations.Status{
		"bert:tiny/runtime=tt": invocations.OK, "bert:tiny/runtime=iree": invocations.OK,
		"exactly": invocations.Mismatch, // since the expected results are JAX's, and not IREE's
	}
	for line := range bytes.Lines(data) {
		var r invocations.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind != invocations.ResultKind {
			continue
		}
		model := "bert:tiny layers=1"
		if r.Name == "exactly" {
			model = "bert:tiny"
		}
		if r.Status != want[r.Name] || r.Model != model || len(r.Arguments) < 10 {
			t.Errorf("%s: %s %s, model %q, %d arguments", r.Name, r.Status, r.Error, r.Model, len(r.Arguments))
		}
		delete(want, r.Name)
	}
	if len(want) > 0 {
		t.Errorf("no results of %v", want)
	}
}

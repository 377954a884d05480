package e2e

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/driver/bench"
	"zonemark/driver/setup"
	"zonemark/invocations"
)

// WriteNPY writes a .npy file of eight float32 numbers.
func WriteNPY(t *testing.T, path string, value float32) {
	t.Helper()
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }"
	header += strings.Repeat(" ", 64-(10+len(header)+1)%64) + "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(header)))...)
	data = append(data, header...)
	for range 8 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(value))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// PretendModel is an export for the pretended plugin, whose results are copies of the first argument, here the weights.
func PretendModel(t *testing.T, folder, comment string, expected float32) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	array := func(name, kind, file string) bench.Array {
		return bench.Array{Name: name, Kind: kind, DType: "float32", Shape: []int64{8}, File: file}
	}
	module := func(role string) bench.Module {
		return bench.Module{Role: role, Program: role + ".mlir", Function: "main", FLOP: 16,
			Tolerance: bench.Tolerance{Relative: 1e-3},
			Inputs: []bench.Array{array("params/w", bench.KindWeight, "w.npy"),
				array("x", bench.KindInput, "x.npy")},
			Outputs: []bench.Array{array("y", "", "y.npy")}}
	}
	device := module(bench.RoleDevice)
	device.Inputs[1].Kind = bench.KindPrevious
	m := bench.Manifest{Version: 1, Model: filepath.Base(folder), Config: "only", DType: "float32", Microbatch: 4,
		Parameters: 8, WeightsBytes: 32, FLOP: 16,
		NotApplied: map[string]string{"layers": "it has none"},
		Modules:    []bench.Module{module(bench.RolePre), device}}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	WriteNPY(t, filepath.Join(folder, "w.npy"), 1)
	WriteNPY(t, filepath.Join(folder, "x.npy"), 2)
	WriteNPY(t, filepath.Join(folder, "y.npy"), expected)
	program := "func.func @main(%w: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32>\n"
	for name, text := range map[string]string{"manifest.json": string(text), "cpu-pre.mlir": program,
		"device.mlir": "// " + comment + "\n" + program} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Exporting is the name of the file that PretendBench's exporter leaves in the cache when it begins an export.
const Exporting = "exporting"

// PretendBench prepares an environment for benchmarks without JAX: a stand-in for a plugin, and an exporter that copies
// existing files.
func PretendBench(t *testing.T) (plugin string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Python is a shell script")
	}
	plugin = PretendPlugin(t)
	models := t.TempDir()
	PretendModel(t, filepath.Join(models, "good"), "good", 1)
	PretendModel(t, filepath.Join(models, "wrong"), "good", 1.5)
	PretendModel(t, filepath.Join(models, "crashing"), "crash in execute", 1)
	python := filepath.Join(models, "python")
	script := `#!/bin/sh
if [ "$1" = -E ]; then
	echo '{"version":"3.11.7","implementation":"cpython","executable":"` + python +
		`","site":"/s","jax":{"version":"0.6.2","site":"/s"},"keras":{"version":"3.12.0","site":"/s"}}'
	exit
fi
for a in "$@"; do case $a in --out=*) out=${a#--out=};; --model=*) model=${a#--model=};; esac; done
case $3/$model in
list/*) echo '{"version":1,"models":[{"name":"good","configs":["only"],"training":true,"layers":true},` +
		`{"name":"wrong","configs":["only"]},{"name":"crashing","configs":["only"]}` +
		`,{"name":"broken","configs":[]}],"mistakes":[]}';;
*/none) echo '{"version":1,"error":"no model is called none","kind":"unknown-model"}'; exit 1;;
*/broken) echo '{"version":1,"error":"KeyError: 3","file":"/models/broken.py","line":12,"kind":"exception"}'; exit 1;;
describe/*) cat '` + models + `'/$model/manifest.json;;
*) touch "$(dirname "$out")/` + Exporting + `"; while [ -e '` + models + `/hold' ]; do sleep 0.1; done
	cp -r '` + models + `'/$model "$out" && echo "{\"version\":1,\"manifest\":\"$out/manifest.json\"}";;
esac
`
	if err := os.WriteFile(python, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ZONEMARK_HOME", t.TempDir())
	t.Setenv("TT_METAL_PROFILER_DIR", "")
	t.Setenv(setup.ModelsPythonVariable, python)
	t.Setenv(setup.PJRTPluginVariable, plugin)
	t.Setenv(setup.PJRTCPUVariable, plugin)
	return plugin
}

// Benchmarks runs zonemark bench with the cache of the environment and returns its output.
func Benchmarks(t *testing.T, status int, args ...string) string {
	t.Helper()
	cmd := Command(t, append([]string{"bench"}, args...)...)
	cmd.Env = Environment()
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Fatalf("bench %s: exit status %d instead of %d (%v)\n%s", strings.Join(args, " "), got, status, err, out)
	}
	return string(out)
}

// Performance reads a file of records.
func Performance(t *testing.T, path string) []bench.RunRecord {
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

// CheckRecord checks that the numbers of a record fit together.
func CheckRecord(t *testing.T, r bench.RunRecord, modules int) {
	t.Helper()
	z := r.Zonemark
	if r.Error != "" || len(z.Modules) != modules || z.Iteration == nil || r.Date == "" || r.MachineName == "" ||
		r.Arch == "" || z.Definition == "" {
		t.Fatalf("%+v", r)
	}
	if want := r.Args.LoopCount * r.Args.Microbatch * int64(r.Args.Chips) *
		max(1, z.Model.Tokens); r.TotalSamples != want {
		t.Errorf("%d samples, want %d", r.TotalSamples, want)
	}
	if !(r.TotalTime > 0) ||
		math.Abs(r.SamplesPerSec*r.TotalTime-float64(r.TotalSamples)) > 1e-6*float64(r.TotalSamples) {
		t.Errorf("%d samples in %g s are %g a second", r.TotalSamples, r.TotalTime, r.SamplesPerSec)
	}
	if int64(len(z.TotalTimes)) != r.Args.Repetitions || int64(z.Iteration.N) != r.Args.Repetitions*r.Args.LoopCount {
		t.Errorf("%d repetitions of %d iterations: %d times of repetitions, %d of iterations", r.Args.Repetitions,
			r.Args.LoopCount, len(z.TotalTimes), z.Iteration.N)
	}
	for _, m := range z.Modules {
		sum, wall := 0.0, 0.0
		for _, ns := range m.SamplesNS {
			sum += ns
		}
		for _, ns := range m.WallNS {
			wall += ns
		}
		if m.Status != invocations.OK || sum > wall*(1+1e-4) ||
			int64(len(m.SamplesNS)) != r.Args.Repetitions*r.Args.LoopCount || m.Options["transfers"] != "included" ||
			*m.WarmupCalls == 0 {
			t.Errorf("module %s: %s, iterations of %g ns in repetitions of %g ns, options %v", m.Role, m.Status, sum,
				wall, m.Options)
		}
	}
}

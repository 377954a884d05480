package iree

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
)

const (
	benchBatches = 200
	benchCalls   = 500 // calls in a batch
)

// highLevelSource calls a function as users of the Python package do.
const highLevelSource = `
import json, time
import numpy as np
import iree.runtime as rt

def medians(request, data):
    r = json.loads(request)
    config = rt.Config("local-sync")
    module = rt.VmModule.mmap(config.vm_instance, r["path"])
    context = rt.SystemContext(config=config)
    context.add_vm_module(module)
    f = context.modules[module.name][r["function"]]
    a = [rt.asdevicearray(config.device, np.ones(4, np.float32)) for _ in range(r["inputs"])]
    batches = []
    for _ in range(r["batches"]):
        start = time.perf_counter_ns()
        for _ in range(r["calls"]):
            f(*a)
        batches.append((time.perf_counter_ns() - start) / r["calls"])
    batches.sort()
    return json.dumps(batches), []
`

// BenchmarkPythonCall measures what a call costs: ours, "f(*args)" of the Python package in the same process, and
// iree-benchmark-module right after. It reports medians and minima of batches, in ns a call. On a machine that has
// other work, compare the minima.
func BenchmarkPythonCall(b *testing.B) {
	in := InstallationFrom(setuptest.Getenv)
	if err := (pythonProvider{in}).unusable(defaultDevice); err != nil || in.Compile == "" || in.Tools == "" {
		b.Skipf("needs IREE's runtime, compiler and tools: %v", err)
	}
	dir := b.TempDir()
	source := filepath.Join(dir, "tiny.mlir")
	if err := os.WriteFile(source, []byte(tinyModule), 0o644); err != nil {
		b.Fatal(err)
	}
	path, err := compile(b.Context(), source, executor.DescribeOptions{Cache: dir}, in)
	if err != nil {
		b.Fatal(err)
	}
	ones := of(invocations.Float32, []int64{4}, []float32{1, 1, 1, 1})
	for _, c := range []struct {
		function string
		inputs   []tensor.Tensor
	}{{"nothing", nil}, {"tiny", []tensor.Tensor{ones, ones}}} {
		b.Run(c.function, func(b *testing.B) {
			for b.Loop() {
				var ours, high []float64
				done := make(chan error)
				pythonThread() <- func() {
					var err error
					ours, high, err = pythonCosts(in, path, c.function, c.inputs)
					done <- err
				}
				if err := <-done; err != nil {
					b.Fatal(err)
				}
				tool, err := toolCosts(in, path, c.function, len(c.inputs))
				if err != nil {
					b.Fatal(err)
				}
				for _, m := range []struct {
					name  string
					costs []float64
				}{{"invoke", ours}, {"f(*args)", high}, {"benchmark-module", tool}} {
					b.ReportMetric(m.costs[0], m.name+"-min-ns")
					b.ReportMetric(m.costs[len(m.costs)/2], m.name+"-median-ns")
				}
				b.ReportMetric(ours[0]/tool[0], "ours/benchmark-module")
				b.ReportMetric(high[0]/ours[0], "f(*args)/ours")
			}
		})
	}
}

// pythonCosts returns sorted batches of our calls and of the high-level ones.
func pythonCosts(in Installation, path, function string, inputs []tensor.Tensor) (ours, high []float64, err error) {
	s, err := openArtifact(pythonProvider{in}, artifact(path))
	if err != nil {
		return nil, nil, err
	}
	defer s.close()
	bound, err := s.bind(function, inputs)
	if err != nil {
		return nil, nil, err
	}
	defer bound.close()
	for range benchBatches {
		start := time.Now()
		for range benchCalls {
			if err := bound.invoke(); err != nil {
				return nil, nil, err
			}
		}
		ours = append(ours, float64(time.Since(start))/benchCalls)
	}
	slices.Sort(ours)
	python := s.(*pythonSession).python
	if err := python.Run("high_level", highLevelSource); err != nil {
		return nil, nil, err
	}
	medians, err := python.Get("high_level", "medians")
	if err != nil {
		return nil, nil, err
	}
	defer medians.Close()
	request, err := json.Marshal(map[string]any{"path": path, "function": function, "inputs": len(inputs),
		"batches": benchBatches, "calls": benchCalls})
	if err != nil {
		return nil, nil, err
	}
	reply, _, err := medians.Exchange(string(request))
	if err != nil {
		return nil, nil, err
	}
	err = json.Unmarshal([]byte(reply), &high)
	return ours, high, err
}

// toolCosts returns sorted repetitions of iree-benchmark-module, wall time.
func toolCosts(in Installation, path, function string, inputs int) ([]float64, error) {
	args := []string{
		"--module=" + path,
		"--function=" + function,
		"--device=local-sync",
		"--benchmark_repetitions=20",
		"--benchmark_min_time=0.05s",
		"--benchmark_format=json",
	}
	args = append(args, slices.Repeat([]string{"--input=4xf32=1"}, inputs)...)
	out, err := exec.Command(filepath.Join(in.Tools, "iree-benchmark-module"), args...).Output()
	if err != nil {
		return nil, fmt.Errorf("iree-benchmark-module: %w", err)
	}
	var report struct {
		Benchmarks []struct {
			RunType  string  `json:"run_type"`
			RealTime float64 `json:"real_time"`
			TimeUnit string  `json:"time_unit"`
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, fmt.Errorf("iree-benchmark-module: %w", err)
	}
	var costs []float64
	for _, r := range report.Benchmarks {
		unit, err := time.ParseDuration("1" + r.TimeUnit)
		if err != nil {
			return nil, err
		}
		if r.RunType == "iteration" {
			costs = append(costs, r.RealTime*float64(unit))
		}
	}
	slices.Sort(costs)
	return costs, nil
}

package capi

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor/iree/tensor"
)

// rounds is how often both programs measure in turns, so that the machine's moods meet both.
const rounds = 7

// BenchmarkAgainstIREE compares a call of a module with one dispatch with iree-benchmark-module of the installed wheels: it reports the
// ratios of the shortest and of the median round.
func BenchmarkAgainstIREE(b *testing.B) {
	tools := setuptest.IREE(b).Tools
	for _, c := range []struct {
		module string
		inputs []string
		data   []tensor.Tensor
	}{
		{"tiny", []string{"4xf32=1", "4xf32=1"}, []tensor.Tensor{floats([]int64{4}, 1), floats([]int64{4}, 1)}},
		{"mlp", []string{"64x256xf32=0.01", "256x512xf32=0.01", "512x128xf32=0.01"},
			[]tensor.Tensor{floats([]int64{64, 256}, 0.01), floats([]int64{256, 512}, 0.01), floats([]int64{512, 128}, 0.01)}},
	} {
		b.Run(c.module, func(b *testing.B) {
			call := call(b, load(b, device(b, DeviceOptions{Driver: "local-sync"}), c.module), c.module, c.data...)
			for b.Loop() {
				var ours, theirs []float64
				for range rounds {
					theirs = append(theirs, benchmarkModule(b, tools, c.module, c.inputs))
					ours = append(ours, perCall(b, call, 300*time.Millisecond))
				}
				slices.Sort(ours)
				slices.Sort(theirs)
				b.ReportMetric(ours[0]/theirs[0], "min-ratio")
				b.ReportMetric(ours[rounds/2]/theirs[rounds/2], "median-ratio")
				b.ReportMetric(ours[rounds/2], "ours-ns")
				b.ReportMetric(theirs[rounds/2], "theirs-ns")
			}
		})
	}
}

// perCall is the mean time of a call in nanoseconds over about d.
func perCall(b *testing.B, c *Call, d time.Duration) float64 {
	const batch = 100
	n := 0
	start := time.Now()
	for time.Since(start) < d {
		for range batch {
			if err := c.Invoke(); err != nil {
				b.Fatal(err)
			}
		}
		n += batch
	}
	return float64(time.Since(start)) / float64(n)
}

// benchmarkModule is the time of a call in nanoseconds as iree-benchmark-module measures it.
func benchmarkModule(b *testing.B, tools, module string, inputs []string) float64 {
	arguments := []string{"--module=" + modulePath(module), "--device=local-sync", "--function=" + module,
		"--benchmark_format=json", "--benchmark_min_time=0.3s", "--time_unit=ns"}
	for _, input := range inputs {
		arguments = append(arguments, "--input="+input)
	}
	command := exec.Command(filepath.Join(tools, "iree-benchmark-module"), arguments...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		b.Fatalf("%v: %s", err, stderr.Bytes())
	}
	var report struct {
		Benchmarks []struct {
			RealTime float64 `json:"real_time"`
			Unit     string  `json:"time_unit"`
		}
	}
	if err := json.Unmarshal(out, &report); err != nil || len(report.Benchmarks) == 0 || report.Benchmarks[0].Unit != "ns" {
		b.Fatalf("iree-benchmark-module says %.200s (%v)", out, err)
	}
	return report.Benchmarks[0].RealTime
}

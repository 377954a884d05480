package adams2019

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
)

// plugin returns the path of the autoscheduler's library.
func plugin(t testing.TB) string {
	return filepath.Join(setuptest.Halide(t).Folder, "lib64", "libautoschedule_adams2019.so")
}

// baseline returns Halide's own weights.
func baseline(t testing.TB) *Weights {
	t.Helper()
	w, err := Baseline(plugin(t))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// retrained is what the training program made of samples.
type retrained struct {
	weights *Weights
	output  string
}

// retrain runs the training program. It hands it another number of cores, which the program ignores.
func retrain(t *testing.T, start *Weights, paths []string, epochs int, rates ...float32) retrained {
	t.Helper()
	program := filepath.Join(setuptest.Halide(t).Folder, "bin", "adams2019_retrain_cost_model")
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.weights"), filepath.Join(folder, "out.weights")
	if err := start.Write(in); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, fmt.Sprintf("--epochs=%d", epochs), "--rates="+strings.Trim(fmt.Sprint(rates), "[]"),
		"--num_cores=3", "--initial_weights="+in, "--weights_out="+out,
		"--best_benchmark="+filepath.Join(folder, "best"), "--best_schedule="+filepath.Join(folder, "best.schedule.h"))
	c.Stdin = strings.NewReader(strings.Join(paths, "\n") + "\n")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, stdout.Bytes(), stderr.Bytes())
	}
	weights, err := ReadWeights(out)
	if err != nil {
		t.Fatal(err)
	}
	return retrained{weights, stdout.String()}
}

// number returns a number that the program printed.
func (r retrained) number(t *testing.T, pattern string) float64 {
	t.Helper()
	all := regexp.MustCompile(pattern).FindAllStringSubmatch(r.output, -1)
	if all == nil {
		t.Fatalf("no %s in\n%s", pattern, r.output)
	}
	v, err := strconv.ParseFloat(all[len(all)-1][1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// written writes samples to files.
func written(t *testing.T, samples []Sample) []string {
	t.Helper()
	folder := t.TempDir()
	var paths []string
	for i, s := range samples {
		path := filepath.Join(folder, fmt.Sprintf("%05d.sample", i))
		if err := os.WriteFile(path, s.Append(nil), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// read reads samples into a set and expects a number of problems.
func read(t *testing.T, paths []string, problems int) Set {
	t.Helper()
	samples, damaged := ReadSamples(paths)
	set, mixed := NewSet(samples)
	if len(damaged)+len(mixed) != problems {
		t.Fatalf("problems %v %v; %d were expected", damaged, mixed, problems)
	}
	return set
}

// difference returns the largest difference of weights. Where 32-bit floats are less dense than 1e-6, the next one is
// as near as weights can be, so a difference of one does not count.
func difference(a, b *Weights) float64 {
	var largest float64
	others := b.buffers()
	for i, buffer := range a.buffers() {
		for j, row := range buffer.rows {
			for k, v := range row {
				other := others[i].rows[j][k]
				if math.Abs(float64(v)) > 8 && math.Nextafter32(v, other) == other {
					continue
				}
				largest = max(largest, math.Abs(float64(v)-float64(other)))
			}
		}
	}
	return largest
}

// TestTrainAsTheProgram trains side by side with the program of the installed package.
func TestTrainAsTheProgram(t *testing.T) {
	setuptest.Halide(t)
	two := append(made(3, 2, 20, 4), made(4, 3, 7, 3)[14:]...) // the third pipeline has too few schedules
	damaged := written(t, made(5, 1, 12, 3))
	if err := os.Truncate(damaged[3], 1000); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name                           string
		paths                          []string
		epochs, problems               int
		pipelines, trained, validation int
		rates                          []float32
	}{
		{"200 epochs", gauss5(t), 200, 0, 1, 1, 0, []float32{0.0001}},
		{"three pipelines, one too small", written(t, two), 50, 0, 3, 2, 0, []float32{0.0001}},
		{"validation", written(t, made(6, 24, 10, 4)), 30, 0, 24, 19, 5, []float32{0.0001}},
		{"two rates", written(t, made(7, 2, 16, 3)), 20, 0, 2, 2, 0, []float32{0.0005, 0.00002}},
		{"a damaged sample", damaged, 30, 1, 1, 1, 0, []float32{0.0001}},
		{"too few samples", gauss5(t)[:5], 3, 0, 1, 0, 0, []float32{0.0001}},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := retrain(t, baseline(t), test.paths, test.epochs, test.rates...)
			set := read(t, test.paths, test.problems)
			if len(set.Pipelines) != test.pipelines {
				t.Errorf("%d pipelines", len(set.Pipelines))
			}
			var last Epoch
			ours, err := Train(t.Context(), baseline(t), set, Training{Epochs: test.epochs, Rates: test.rates,
				Cores: ProgramCores, Progress: func(e Epoch) { last = e }})
			if err != nil {
				t.Fatal(err)
			}
			if d := difference(ours, program.weights); d > 1e-6 {
				t.Errorf("weights differ by %v", d)
			}
			if last.Pipelines != test.trained || last.Validated != test.validation {
				t.Errorf("trained on %d pipelines and validated with %d", last.Pipelines, last.Validated)
			}
			if test.trained == 0 {
				return // the program prints that the loss is no number
			}
			printed := program.number(t, `Loss: ([0-9.]+)`)
			if math.Abs(printed-float64(last.Smoothed)) > 1e-4*printed+1e-4 {
				t.Errorf("loss %v; the program prints %v", last.Smoothed, printed)
			}
		})
	}
}

// TestTrainChoosesAsTheProgram: of more than 1,024 schedules, both choose the same ones from one seed.
func TestTrainChoosesAsTheProgram(t *testing.T) {
	setuptest.Halide(t)
	paths := written(t, made(8, 1, 1200, 1))
	program := retrain(t, baseline(t), paths, 5, 0.0001)
	ours, err := Train(t.Context(), baseline(t), read(t, paths, 0), Training{Epochs: 5, Rates: []float32{0.0001},
		Cores: ProgramCores, Seed: uint32(program.number(t, `seed = (\d+)`))})
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(ours, program.weights); d > 1e-6 {
		t.Errorf("weights differ by %v", d)
	}
}

// TestTrainContinuesAsTheProgram: both go on from weights that the other one has trained.
func TestTrainContinuesAsTheProgram(t *testing.T) {
	setuptest.Halide(t)
	paths := gauss5(t)
	set := read(t, paths, 0)
	train := func(start *Weights) *Weights {
		w, err := Train(t.Context(), start, set, Training{Epochs: 20, Rates: []float32{0.0002}, Cores: ProgramCores})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	ours := train(retrain(t, baseline(t), paths, 20, 0.0002).weights)
	theirs := retrain(t, train(baseline(t)), paths, 20, 0.0002).weights
	if d := difference(ours, theirs); d > 2e-6 {
		t.Errorf("weights differ by %v", d)
	}
}

// TestSetIsInTheProgramsOrder: the program prints the unique samples in the order of their hashes, each with its
// fastest run time.
func TestSetIsInTheProgramsOrder(t *testing.T) {
	paths := append(gauss5(t), written(t, made(9, 3, 9, 2))...)
	program := retrain(t, startingWeights(), paths, 1, 0.0001)
	var printed, ours []string
	for _, m := range regexp.MustCompile(`Unique sample: (\S+) : (\S+)`).FindAllStringSubmatch(program.output, -1) {
		printed = append(printed, m[1]+" "+m[2])
	}
	for _, p := range read(t, paths, 0).Pipelines {
		for _, s := range p.Schedules {
			ours = append(ours, filepath.Base(s.File)+" "+strconv.FormatFloat(float64(s.RuntimeMS), 'g', 6, 64))
		}
	}
	if len(printed) == 0 || !slices.Equal(printed, ours) {
		t.Errorf("%s\nand not as the program has it\n%s", strings.Join(ours, "\n"), strings.Join(printed, "\n"))
	}
}

func TestBaselineOfAnotherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libautoschedule_adams2019.so")
	// other weights than the baseline, and the head of weights at the end of the file
	data := startingWeights().Append([]byte("\x7fELF"))
	if err := os.WriteFile(path, append(data, data[4:60]...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Baseline(path); err == nil || !strings.Contains(err.Error(), path+": the baseline weights") {
		t.Errorf("%v", err)
	}
	if _, err := Baseline(path + "x"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}

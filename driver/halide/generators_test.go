package halide_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/halide"
	"zonemark/driver/python"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/testsize"
)

// The messages of testdata/realize.py.
type (
	realization struct {
		File       string            `json:"file"`
		Generator  string            `json:"generator"`
		Schedule   string            `json:"schedule"`
		Parameters map[string]string `json:"parameters"`
		Calls      [][]argument      `json:"calls"`

		want      []halide.Array // of each call
		tolerance float64
	}
	argument struct {
		Name    string      `json:"name"`
		Value   *float64    `json:"value,omitempty"`
		Type    halide.Type `json:"type,omitempty"`
		Extents []int       `json:"extents,omitempty"`
		Path    string      `json:"path,omitempty"`
		Output  bool        `json:"output"`
	}
)

// Every generator computes what its reference says, with both of its schedules and with that of an autoscheduler. Its
// own schedules take other sizes, too. That of an autoscheduler is made for the size that is measured. The small size of
// the test has one generator of each source, with its own schedule, which is ours; the first one has the others, too.
func TestGenerators(t *testing.T) {
	interpreter := setuptest.Halide(t).Interpreter
	folder := t.TempDir()
	var cases []realization
	seen := map[string]bool{} // sources
	for _, b := range halide.Benchmarks() {
		if seen[b.Source] && !testsize.Large() {
			continue
		}
		seen[b.Source] = true
		full, odd := newSample(t, b, folder, 1), newSample(t, smaller(b), folder, 2)
		add := func(schedule string, parameters map[string]string, samples ...sample) {
			c := realization{File: path.Base(b.Source), Generator: b.Name, Schedule: schedule, Parameters: parameters}
			for i, s := range samples {
				output := argument{
					Name: b.Outputs[0].Name, Type: s.want.Type, Extents: s.want.Extents, Output: true,
					Path: filepath.Join(folder, fmt.Sprintf("%s-%s-%d", b.Name, schedule, i)),
				}
				c.Calls = append(c.Calls, append(slices.Clone(s.arguments), output))
				c.want = append(c.want, s.want)
			}
			c.tolerance = b.Tolerance
			cases = append(cases, c)
		}
		add("manual", nil, full, odd)
		if len(seen) > 1 && !testsize.Large() {
			continue
		}
		add("none", nil, full, odd)
		add("Adams2019", map[string]string{"parallelism": "4", "beam_size": "1"}, full)
	}
	for i, problem := range realize(t, interpreter, cases) {
		c := cases[i]
		t.Run(c.Generator+"/"+c.Schedule, func(t *testing.T) {
			if problem != "" {
				t.Fatal(problem)
			}
			for i, call := range c.Calls {
				got, err := os.ReadFile(call[len(call)-1].Path)
				if err != nil {
					t.Fatal(err)
				}
				if err := differs(got, c.want[i], c.tolerance); err != nil {
					t.Errorf("%s with extents %v: %v", call[0].Name, call[0].Extents, err)
				}
			}
		})
	}
}

// sample is contents for the inputs of a benchmark.
type sample struct {
	arguments []argument // without the output
	want      halide.Array
}

// newSample makes random contents and writes them into a folder.
func newSample(t *testing.T, b halide.Benchmark, folder string, seed uint64) sample {
	t.Helper()
	inputs := b.Random(seed)
	var s sample
	for i, in := range inputs {
		name := b.Inputs[i].Name
		file := filepath.Join(folder, fmt.Sprintf("%s-%d-%s", b.Name, seed, name))
		if err := os.WriteFile(file, in.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		s.arguments = append(s.arguments, argument{Name: name, Type: in.Type, Extents: in.Extents, Path: file})
	}
	for _, scalar := range b.Scalars {
		s.arguments = append(s.arguments, argument{Name: scalar.Name, Value: &scalar.Value})
	}
	want, err := b.Reference(inputs)
	if err != nil {
		t.Fatal(err)
	}
	s.want = want[0]
	return s
}

// smaller returns the benchmark with inputs of other extents, which are still at least those of the vectors and tiles.
func smaller(b halide.Benchmark) halide.Benchmark {
	other := map[string][][]int{
		"conv_nn":         {{19, 41, 37, 2}, {67, 19, 3, 3}, {67}},
		"depthwise_conv":  {{67, 21, 13, 2}, {67, 3, 3}, {67}},
		"matmul":          {{45, 39}, {101, 45}},
		"batched_matmul":  {{45, 39, 3}, {101, 45, 3}},
		"fully_connected": {{301, 7}, {203, 301}, {203}},
		"average_pool":    {{133, 23, 31, 2}},
		"max_pool":        {{133, 23, 31, 2}},
		"l2norm":          {{203, 37}},
		"softmax":         {{203, 37}},
	}[b.Name]
	if other == nil {
		other = [][]int{{333, 97}, {333, 97}}
	}
	b.Inputs = slices.Clone(b.Inputs)
	for i := range b.Inputs {
		if b.Inputs[i].Name != "taps" {
			b.Inputs[i].Extents = other[i]
		}
	}
	return b
}

// realize returns the error of each case, empty for none.
func realize(t *testing.T, interpreter string, cases []realization) []string {
	t.Helper()
	script, err := filepath.Abs("testdata/realize.py")
	if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), interpreter, script, generators(t))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	var problems []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var answer struct{ Error string }
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		problems = append(problems, answer.Error)
	}
	if err != nil || len(problems) != len(cases) {
		t.Fatalf("realize.py ended in case %d of %d: %v\n%s", len(problems)+1, len(cases), err, stderr.String())
	}
	return problems
}

// generators returns a folder with the files of the generators.
func generators(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, python.Files()); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "zonemark", "halide")
}

// differs returns an error with the first element whose relative difference is above the tolerance.
func differs(got []byte, want halide.Array, tolerance float64) error {
	if len(got) != len(want.Data) {
		return fmt.Errorf("%d bytes of output, not %d", len(got), len(want.Data))
	}
	for i := 0; i < len(got); i += want.Type.Size() {
		g, w := element(want.Type, got[i:]), element(want.Type, want.Data[i:])
		if !(math.Abs(g-w) <= tolerance*math.Abs(w)) { // also if it is no number
			return fmt.Errorf("element %d of %v is %v, the reference %v", i/want.Type.Size(), want.Extents, g, w)
		}
	}
	return nil
}

func element(t halide.Type, data []byte) float64 {
	switch t {
	case halide.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	case halide.Int32:
		return float64(int32(binary.LittleEndian.Uint32(data)))
	case halide.Int8:
		return float64(int8(data[0]))
	}
	return float64(data[0])
}

// Every file is a program that knows the generators of its benchmarks. Their arguments and estimates are those of the
// table.
func TestGeneratorPrograms(t *testing.T) {
	interpreter := setuptest.Halide(t).Interpreter
	folder := generators(t)
	var commands [][]string
	for _, b := range halide.Benchmarks() {
		commands = append(commands, []string{filepath.Join(folder, path.Base(b.Source)),
			"-g", b.Name, "-o", folder, "-e", "c_source", "target=x86-64-linux", "schedule=none"})
	}
	input, err := json.Marshal(commands)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), interpreter, filepath.Join("testdata", "programs.py"))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	statuses := strings.Fields(string(out))
	if err != nil || len(statuses) != len(commands) {
		t.Fatalf("programs.py ended in program %d of %d: %v\n%s", len(statuses)+1, len(commands), err, stderr.String())
	}
	for i, b := range halide.Benchmarks() {
		t.Run(b.Name, func(t *testing.T) {
			if statuses[i] != "0" {
				t.Fatalf("exit status %s; all programs print\n%s", statuses[i], stderr.String())
			}
			source, err := os.ReadFile(filepath.Join(folder, b.Name+".halide_generated.cpp"))
			if err != nil {
				t.Fatal(err)
			}
			got, want := declared(string(source)), estimates(b)
			if !slices.Equal(got, want) {
				t.Errorf("arguments\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// An unknown schedule is refused.
func TestUnknownSchedule(t *testing.T) {
	interpreter := setuptest.Halide(t).Interpreter
	out, err := exec.CommandContext(t.Context(), interpreter, filepath.Join(generators(t), "mul.py"),
		"-g", "mul", "-o", t.TempDir(), "-e", "c_header", "target=host", "schedule=other").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "schedule=other: there are manual and none") {
		t.Errorf("%v\n%s", err, out)
	}
}

// estimates returns a line for each argument of a benchmark, in their order: its name, and the estimates that the
// metadata of the pipeline must hold.
func estimates(b halide.Benchmark) (lines []string) {
	buffer := func(buffer halide.Buffer) {
		line := buffer.Name
		for _, extent := range buffer.Extents {
			line += fmt.Sprintf(" 0 %d", extent)
		}
		lines = append(lines, line)
	}
	for _, in := range b.Inputs {
		buffer(in)
	}
	for _, s := range b.Scalars {
		lines = append(lines, fmt.Sprintf("%s %.0f", s.Name, s.Value))
	}
	for _, out := range b.Outputs {
		buffer(out)
	}
	return lines
}

var (
	// What C source holds of an argument that is a buffer, or a scalar: the first element of the array is its value.
	bufferEstimate = `\* const buffer_estimates__(\w+)\[\d+\] = \{([^}]*)\}`
	scalarEstimate = `halide_scalar_value_\d+\[\d+\] = \{(\d+)[^}]*\};(?:\n.*){3}\n.*scalar_estimate__(\w+) = \(`
	estimate       = regexp.MustCompile(bufferEstimate + "|" + scalarEstimate)
	constant       = regexp.MustCompile(`&const_(\d+)`)
)

// declared returns the lines of estimates that the metadata in a pipeline's C source has.
func declared(source string) (lines []string) {
	for _, m := range estimate.FindAllStringSubmatch(source, -1) {
		line := m[1]
		for _, c := range constant.FindAllStringSubmatch(m[2], -1) {
			line += " " + c[1]
		}
		if m[4] != "" {
			line = m[4] + " " + m[3]
		}
		lines = append(lines, line)
	}
	return lines
}

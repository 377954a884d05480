package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// truthScript runs testdata/bench/truth.sh, which needs Python and a C compiler, and returns what it prints.
func truthScript(t *testing.T, flag string) string {
	for _, program := range []string{"python3", "cc"} {
		_, err := exec.LookPath(program)
		testneeds.Missing(t, err)
	}
	script := filepath.Join("testdata", "bench", "truth.sh")
	out, err := exec.CommandContext(t.Context(), "sh", script, flag).CombinedOutput()
	if err != nil {
		t.Fatalf("truth.sh %s: %v\n%s", flag, err, out)
	}
	return string(out)
}

// TestTruthTable holds what the table of truth.sh promises: enough functions, each with a name of its own, PolyBench's
// thirty among them, and for each one the reasons that are right.
func TestTruthTable(t *testing.T) {
	const least, polybench = 60, 30
	var names []string
	kernels := 0
	for line := range strings.Lines(truthScript(t, "--list")) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 || fields[0] == "" || !strings.Contains(fields[1], "(") {
			t.Errorf("%q: want name, prototype and reasons", line)
			continue
		}
		for reason := range strings.SplitSeq(fields[2], "; ") {
			if _, err := regexp.Compile(reason); err != nil {
				t.Errorf("%s: %v", fields[0], err)
			}
		}
		if strings.HasPrefix(fields[0], "polybench ") {
			kernels++
		}
		names = append(names, fields[0])
	}
	if len(names) < least || kernels != polybench {
		t.Errorf("%d functions, %d of them PolyBench's; want at least %d, and %d", len(names), kernels, least, polybench)
	}
	slices.Sort(names)
	if once := slices.Compact(slices.Clone(names)); len(once) != len(names) {
		t.Errorf("names are not unique: %q", names)
	}
}

// TestTruthCalls builds what truth.sh measures and calls each function once by its prototype in the table.
func TestTruthCalls(t *testing.T) {
	if !testsize.Large() {
		t.Skip("it compiles a hundred functions of a script that only contributors start: the large size")
	}
	if out := truthScript(t, "--check"); !strings.Contains(out, " functions can be called") {
		t.Error(out)
	}
}

// TestBenchScripts holds that the benchmarks are listed where contributors look for them, and that they are shell.
func TestBenchScripts(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join("testdata", "bench", "*.sh"))
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	for _, script := range scripts {
		if name := filepath.Base(script); !strings.Contains(string(page), name) {
			t.Errorf("CONTRIBUTING.md does not mention %s", name)
		}
		if out, err := exec.CommandContext(t.Context(), "bash", "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}

package iree

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
	"zonemark/invocations/testsize"
	"zonemark/trace/dispatchcsv"

	gocmp "github.com/google/go-cmp/cmp"
)

// dispatchMedians returns the medians of a record's dispatches, by name, in ns.
func dispatchMedians(r invocations.Record) map[string]float64 {
	medians := map[string]float64{}
	for _, d := range r.Dispatches {
		if d.MedianNS != nil {
			medians[d.Name] += *d.MedianNS
		}
	}
	return medians
}

// TestIREEDispatchSources runs one module through every source of dispatch times: they name the same dispatches, and
// their times have one unit and one meaning: they agree within a factor of ten. The script dispatch.sh shows how closely.
func TestIREEDispatchSources(t *testing.T) {
	e2e.NeedsIREE(t, setup.CAPIVariable, setup.ToolsVariable)
	const attempts, near = 3, 0.9
	dir := t.TempDir()
	module, inputs := compiled(t, e2e.Example(t, "mlp.mlir")),
		[]string{"64x256xf32", "256x512xf32", "512x128xf32"}
	var apart string
	// Other work on the machine lengthens some times, so of each source the least of several attempts counts.
	sources := map[string]map[string]float64{}
	missed := map[string]float64{} // by source, the share of a call that its parts do not sum to
	found := func(source string, times map[string]float64) {
		if sources[source] == nil {
			sources[source] = times
		}
		for name, ns := range times {
			sources[source][name] = min(ns, cmp.Or(sources[source][name], ns))
		}
	}
	for attempt := range attempts {
		for source, flags := range map[string][]string{
			"profile by capi":  {"--provider", "capi", "--dispatches", "profile"},
			"profile by tools": {"--provider", "python", "--dispatches", "profile"},
			"tracy": {"--dispatches", "tracy", "-t", filepath.Join(dir, "mlp.tracy"),
				"-d", filepath.Join(dir, "mlp.csv")},
		} {
			path := filepath.Join(dir, fmt.Sprintf("%s-%d.ndjson", source, attempt))
			e2e.Runs(t, cli.ExitOK, slices.Concat([]string{"run", e2e.Example(t, "mlp.mlir"), "-o", path,
				"--min-time", "20ms", "--max-time", "200ms"}, flags)...)
			for _, r := range e2e.Journal(t, path) {
				if want, _, _ := strings.Cut(source, " "); string(r.DispatchSource) != want || len(r.Dispatches) != 3 {
					t.Fatalf("%s: source %q with %d dispatches; notes %q", source, r.DispatchSource,
						len(r.Dispatches), r.Notes)
				}
				if byTool := slices.ContainsFunc(r.Notes, func(note string) bool {
					return strings.Contains(note, "iree-benchmark-module")
				}); byTool != (source == "profile by tools") {
					t.Errorf("%s: notes %q", source, r.Notes)
				}
				missed[source] = min(unexplained(t, r), cmp.Or(missed[source], 1))
				found(source, dispatchMedians(r))
			}
		}
		for range testsize.Of(3, 10) { // it reports only means, and a short run is rarely interrupted
			found("iree-benchmark-module", benchmarkModule(t, module, "mlp", inputs...))
		}
		found("an .ireeprof file", profiledModule(t, module, "mlp", inputs...))
		apart = disagreement(sources, near)
		for source, share := range missed {
			if share > near {
				apart += fmt.Sprintf("; %s: the parts of a call miss it by %.0f %%", source, 100*share)
			}
		}
		if apart == "" {
			return
		}
	}
	t.Errorf("after %d attempts: %s", attempts, apart)
}

// benchmarkModule returns the mean times of a module's dispatches by IREE's own benchmark tool, by name, in ns.
func benchmarkModule(t testing.TB, module, function string, inputs ...string) map[string]float64 {
	t.Helper()
	out := benchmarkTool(t, module, function, inputs, "--dispatch_statistics", "--benchmark_format=json",
		"--benchmark_min_time=20x")
	var document struct {
		Benchmarks []struct {
			Name     string
			RealTime float64 `json:"real_time"`
			TimeUnit string  `json:"time_unit"`
		}
	}
	if err := json.Unmarshal(out, &document); err != nil {
		t.Fatalf("iree-benchmark-module: %v\n%s", err, out)
	}
	units := map[string]float64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
	times := map[string]float64{}
	for _, b := range document.Benchmarks {
		if name, ok := strings.CutPrefix(b.Name, "BM_"+function+"/"+function+"_dispatch"); ok {
			times[function+"_dispatch"+name] = b.RealTime * units[b.TimeUnit]
		}
	}
	return times
}

// profiledModule returns the medians of a module's dispatches in the file that IREE's profiler writes, by name, in ns.
func profiledModule(t testing.TB, module, function string, inputs ...string) map[string]float64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "module.ireeprof")
	benchmarkTool(t, module, function, inputs, "--device_profiling_mode=host-execution,executable-metadata",
		"--device_profiling_output="+path, "--benchmark_min_time=200x")
	rows, err := csv.NewReader(strings.NewReader(e2e.Runs(t, cli.ExitOK, "trace", "dispatches", path,
		"--format", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]float64{}
	for _, row := range rows[1:] { // ordinal, dispatch, count, median_ns, …
		if times[row[1]], err = strconv.ParseFloat(row[3], 64); err != nil {
			t.Fatal(err)
		}
	}
	return times
}

// compiled returns a module for this machine in a folder of the test.
func compiled(t testing.TB, source string) string {
	t.Helper()
	module := filepath.Join(t.TempDir(), "module.vmfb")
	compile := exec.Command(setuptest.Getenv("ZONEMARK_IREE_COMPILE"), "--iree-hal-target-device=local",
		"--iree-hal-local-target-device-backends=llvm-cpu",
		"--iree-llvmcpu-target-cpu=host", source, "-o", module)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return module
}

// benchmarkTool returns what iree-benchmark-module prints.
func benchmarkTool(t testing.TB, module, function string, inputs []string, flags ...string) []byte {
	t.Helper()
	args := append([]string{"--module=" + module, "--function=" + function, "--device=local-sync"}, flags...)
	for _, input := range inputs {
		args = append(args, "--input="+input)
	}
	var complaint strings.Builder
	cmd := exec.Command(filepath.Join(setuptest.Getenv("ZONEMARK_IREE_TOOLS"), "iree-benchmark-module"), args...)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("iree-benchmark-module: %v\n%s", err, complaint.String())
	}
	return out
}

// TestIREETraceAgreesWithRun reads the capture that a run kept with another command: it has the same dispatches at the
// same times.
func TestIREETraceAgreesWithRun(t *testing.T) {
	t.Parallel()
	e2e.NeedsIREE(t)
	dir := t.TempDir()
	captured, ofRun, ofTrace := filepath.Join(dir, "t.tracy"), filepath.Join(dir, "run.csv"),
		filepath.Join(dir, "trace.csv")
	e2e.Runs(t, cli.ExitOK, "run", e2e.Example(t, "mlp.mlir"), e2e.Example(t, "softmax.mlir"),
		"-t", captured, "-d", ofRun, "--max-time", "50ms", "--min-time", "10ms")
	e2e.Runs(t, cli.ExitOK, "trace", "dispatches", captured, "--format", "csv", "-o", ofTrace)
	rows := func(path string) []dispatchcsv.Row {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		list, err := dispatchcsv.Read(path, f)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if diff := gocmp.Diff(rows(ofRun), rows(ofTrace)); diff != "" {
		t.Errorf("the dispatch CSV of the run and that of its capture differ (-run +trace):\n%.2000s", diff)
	}
	// Nothing that the runtime or its Tracy client sets up is blamed on an invocation, so that one executor is enough.
	if captures, err := filepath.Glob(filepath.Join(dir, "*.tracy")); err != nil || len(captures) != 1 {
		t.Errorf("the two modules have the captures %v, want one (%v)", captures, err)
	}
}

// disagreement names two sources whose times differ by more than the fraction.
func disagreement(sources map[string]map[string]float64, near float64) string {
	for a, times := range sources {
		for b, others := range sources {
			for name, ns := range times {
				other, ok := others[name]
				if !ok {
					return fmt.Sprintf("%s has no dispatch %s", b, name)
				}
				if math.Abs(ns-other) > near*max(ns, other) {
					return fmt.Sprintf("%s: %.0f ns by %s and %.0f ns by %s", name, ns, a, other, b)
				}
			}
		}
	}
	return ""
}

// unexplained returns the share of a call by which its dispatches, gaps, host time and unexplained time miss it. The parts
// of each call sum to it exactly. But a sum of medians is not the median of sums, above all on a busy machine.
func unexplained(t testing.TB, r invocations.Record) float64 {
	t.Helper()
	if r.TracedNS == nil || r.HostNS == nil || r.GapNS == nil {
		t.Fatalf("%s: %+v", r.Name, r)
	}
	sum := *r.HostNS + *r.GapNS
	if r.UnexplainedNS != nil {
		sum += *r.UnexplainedNS
	}
	for _, ns := range dispatchMedians(r) {
		sum += ns
	}
	return math.Abs(sum / *r.TracedNS - 1)
}

// TestIREEMany runs many invocations of several modules, shapes and names repeating, with one that crashes and one that
// hangs in between. Each module is run by several executors one after the other: in the small size, two for each
// invocation.
func TestIREEMany(t *testing.T) {
	t.Parallel()
	e2e.NeedsIREE(t)
	if testing.Short() {
		t.Skip("waits for a call that never ends")
	}
	count := testsize.Of(10, 300)
	dir := t.TempDir()
	var suite strings.Builder
	fmt.Fprint(&suite, "[defaults]\nmin_time = \"0s\"\nmax_time = \"2ms\"\n"+
		"min_iterations = 3\nprecision = 0\ntimeout = \"20s\"\n")
	if !testsize.Large() {
		fmt.Fprint(&suite, "launches = 2\n")
	}
	entry := func(name, artifact, function string, more ...string) {
		fmt.Fprintf(&suite, "[[invocation]]\nname = %q\nartifact = %q\nfunction = %q\n%s\n", name, artifact, function,
			strings.Join(more, "\n"))
	}
	seeds := func(from, to int) string {
		return fmt.Sprintf("[invocation.axes]\nseed = { from = %d, to = %d, step = 1 }", from, to)
	}
	matmul, mlp, hang := e2e.Example(t, "matmul.mlir"), e2e.Example(t, "mlp.mlir"), e2e.Testdata(t, "iree", "hang.mlir")
	e2e.Runs(t, cli.ExitOK, "list", hang) // compiles it, which the short timeout is not for
	entry("matmul {seed}", matmul, "matmul_64_f32", seeds(1, count*3/10))
	entry("divides by zero", e2e.Testdata(t, "iree", "crash.mlir"), "divide", "arguments = { 1 = 0 }")
	entry("mlp {seed}", mlp, "mlp", seeds(count*3/10+1, count*6/10))
	entry("never ends", hang, "forever", "timeout = \"1s\"")
	entry("matmul again {seed}", matmul, "matmul_64_f32", seeds(count*6/10+1, count))
	path, results, captured, dispatches := filepath.Join(dir, "s.toml"), filepath.Join(dir, "r.ndjson"),
		filepath.Join(dir, "t.tracy"), filepath.Join(dir, "d.csv")
	if err := os.WriteFile(path, []byte(suite.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	e2e.Runs(t, cli.ExitNotOK, "run", path, "-o", results, "-t", captured, "-d", dispatches, "-q")
	records := e2e.Journal(t, results)
	if len(records) != count+2 {
		t.Errorf("%d results, want %d", len(records), count+2)
	}
	known := map[string]int{} // dispatches by id
	for name, r := range records {
		switch {
		case name == "divides by zero":
			if r.Status != invocations.Crashed || r.Crash == nil || r.Crash.Signal != "SIGFPE" {
				t.Errorf("%s: %s: %s", name, r.Status, r.Error)
			}
			continue
		case name == "never ends":
			if r.Status != invocations.Timeout {
				t.Errorf("%s: %s: %s", name, r.Status, r.Error)
			}
			continue
		}
		want := 1
		if strings.HasPrefix(name, "mlp") {
			want = 3
		}
		known[r.ID] = want
		if r.Status != invocations.OK || r.DispatchSource != invocations.ByTracy || len(r.Dispatches) != want {
			t.Fatalf("%s: %s %s, %d dispatches by %q, notes %q", name, r.Status, r.Error, len(r.Dispatches),
				r.DispatchSource, r.Notes)
		}
		if slices.Contains(r.Verdicts, invocations.PartialTrace) {
			t.Errorf("%s: verdicts %v, notes %q", name, r.Verdicts, r.Notes)
		}
	}
	f, err := os.Open(dispatches)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := dispatchcsv.Read(dispatches, f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]map[int]int{} // dispatches by iteration, by id
	for _, row := range rows {
		if seen[row.Invocation] == nil {
			seen[row.Invocation] = map[int]int{}
		}
		seen[row.Invocation][row.Iteration]++
	}
	for id, want := range known {
		if len(seen[id]) == 0 {
			t.Errorf("%s: no rows in the dispatch CSV", id)
		}
		for iteration, n := range seen[id] {
			if n != want {
				t.Errorf("%s: iteration %d has %d dispatches, want %d", id, iteration, n, want)
			}
		}
	}
}

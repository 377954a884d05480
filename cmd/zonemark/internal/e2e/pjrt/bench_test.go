package pjrt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
)

func TestBench(t *testing.T) {
	e2e.PretendBench(t)
	file := filepath.Join(t.TempDir(), "perf")
	out := e2e.Benchmarks(t, cli.ExitOK, "-m", "good", "-o", file, "-mf", "HiFi4", "--layers=2", "--trace", "verbose",
		"--perf_analysis", "-df=Fp16_b")
	for _, want := range []string{
		"not applied: math_fidelity: pretend multiplies", "not applied: layers: it has none",
		"not applied: trace: plugin.so has no profiler", "not applied: perf_analysis: plugin.so has no cost analysis",
		"end to end: 5 repetitions of 5 iterations", "trace by modules", "samples_per_sec",
		" of total_time, ", " samples/s; cpu-pre, device at work at the same time",
		"the record is in " + file + ".json",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	e2e.Benchmarks(t, cli.ExitOK, "-m", "good", "-o", file, "--chips", "0", "--repetitions", "2", "-q")
	e2e.Benchmarks(t, cli.ExitOK, "-m", "good", "-o", file, "--loop_count", "8", "--microbatch_count", "2", "-e", "A B=2",
		"--device", "golden", "--arch", "grayskull", "--repetitions", "2")
	e2e.Benchmarks(t, cli.ExitOK, "-m", "good", "-o", file+".json", "--disable_output", "1", "--repetitions", "1")
	list := e2e.Performance(t, file+".json")
	if len(list) != 3 {
		t.Fatalf("%d records, want 3", len(list))
	}
	for _, r := range list {
		e2e.CheckRecord(t, r, 2)
	}
	if r := list[0]; r.Args.MathFidelity != "HiFi4" || r.Args.LoopCount != 5 || r.Args.Microbatch != 4 ||
		r.Zonemark.NotApplied["backend_opt_level"] == "" || r.Zonemark.Trace.Source != "modules" ||
		r.Zonemark.ExportCached {
		t.Errorf("%+v", r)
	}
	for i, r := range list {
		p := r.Zonemark.Pipelined
		if single := r.Args.Chips == 1; (p != nil) != single || single && (p.Error != "" || p.TotalTime <= 0 || len(p.TotalTimes) != len(r.Zonemark.TotalTimes)) {
			t.Errorf("record %d: pipelined %+v, notes %q", i, p, r.Zonemark.Notes)
		}
	}
	if r := list[1]; r.Args.Chips != 3 || r.Args.LoopCount != 15 || r.TotalSamples != 15*4*3 ||
		r.Zonemark.NotApplied["dataformat"] == "" || r.Args.DataFormat != "Fp32" {
		t.Errorf("%+v", r)
	}
	if r := list[2]; r.Args.LoopCount != 8 || r.Zonemark.NotApplied["microbatch_count"] == "" ||
		r.Zonemark.NotApplied["arch"] == "" || *r.Args.Device != "golden" || r.Args.Env != "A B=2" {
		t.Errorf("%+v", r)
	}
	for format, want := range map[string]string{"json": `"samples_per_sec": `, "csv": "good/only/device,",
		"ndjson": `"name":"good/only/cpu-pre"`} {
		if out := e2e.Benchmarks(t, cli.ExitOK, "-m", "good", "--format", format, "--repetitions", "1", "-q"); !strings.Contains(out, want) {
			t.Errorf("--format %s: %q is not in\n%s", format, want, out)
		}
	}
	if out := e2e.Benchmarks(t, cli.ExitOK, "--list"); !strings.HasPrefix(out, "shipped models: bert, ") ||
		!strings.Contains(out, "good      only") || !strings.Contains(out, "-t --layers") {
		t.Errorf("the list is\n%s", out)
	}
	if out := e2e.Benchmarks(t, cli.ExitOK, "-l", "-m", "good", "--format", "json"); !strings.Contains(out,
		`"parameters": 8`) || strings.Contains(out, "wrong") {
		t.Errorf("the list is\n%s", out)
	}
}

// A journal keeps what was measured of a model: the same command with --resume measures what it lacks, and has the
// figures of all modules.
func TestBenchJournal(t *testing.T) {
	e2e.PretendBench(t)
	file := filepath.Join(t.TempDir(), "perf.ndjson")
	arguments := []string{"-m", "good", "-o", file, "--repetitions", "1"}
	e2e.Benchmarks(t, cli.ExitOK, arguments...)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	if len(lines) != 6 || !strings.Contains(string(whole), `"name":"good/only/pipelined"`) { // the last one is empty
		t.Fatalf("the journal is\n%s", whole)
	}
	if out := e2e.Benchmarks(t, cli.ExitError, arguments...); !strings.Contains(out, "--overwrite") {
		t.Errorf("a second run says nothing of the journal that is there:\n%s", out)
	}
	if err := os.WriteFile(file, []byte(lines[0]+lines[1]), 0o666); err != nil { // as a kill leaves it
		t.Fatal(err)
	}
	for _, want := range []string{"1 of 3 invocations are done; measuring 2", "3 of 3 invocations are done; measuring 0"} {
		out := e2e.Benchmarks(t, cli.ExitOK, append(arguments, "--resume")...)
		for _, want := range []string{want, "good/only/cpu-pre", "good/only/device", "pipelined", "end to end: 1 repetition"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in\n%s", want, out)
			}
		}
	}
}

// A failure after the flags were read leaves a record with the reason and zeros. An earlier failure leaves none.
func TestBenchFails(t *testing.T) {
	e2e.PretendBench(t)
	dir := t.TempDir()
	for i, c := range []struct {
		args   []string
		status int
		want   string
		record bool
	}{
		{[]string{"-m", "good", "--nonsense"}, cli.ExitError, "unknown flag: --nonsense", false},
		{[]string{"-m", "good", "more"}, cli.ExitError, `"more" is one; -m names the model`, false},
		{[]string{"-m", "good", "--format", "xml"}, cli.ExitError, `unknown format "xml"`, false},
		{[]string{"-m", "good", "--loop_count", "some"}, cli.ExitError, "want a whole number; the default is:", false},
		{nil, cli.ExitError, "no model is named", true},
		{[]string{"-m", "none"}, cli.ExitError, `no model is called "none"; there are good, wrong, crashing, broken`, true},
		{[]string{"-m", "god", "--plugin", "nowhere.so"}, cli.ExitError, `no model is called "god"; did you mean "good"`,
			true},
		{[]string{"-m", "broken"}, cli.ExitError, "/models/broken.py:12: KeyError: 3", true},
		{[]string{"-m", "good", "-df", "Bfp8_b"}, cli.ExitError, "pretend has no block formats; --emulate-formats",
			true},
		{[]string{"-m", "good", "-df", "Bfp9"}, cli.ExitError, "--dataformat Bfp9: want one of", true},
		{[]string{"-m", "good", "-opt", "5"}, cli.ExitError, "--backend_opt_level 5: want 0 to 4", true},
		{[]string{"-m", "good", "-mb", "-1"}, cli.ExitError, "--microbatch -1", true},
		{[]string{"-m", "good", "-bp", "None"}, cli.ExitError, "--balancer-policy None", true},
		{[]string{"-m", "good", "--save_tti", "x"}, cli.ExitError, "compiled image of PyBuda's", true},
		{[]string{"-m", "good", "--chips", "4"}, cli.ExitError, "--chips 4: plugin.so has 3", true},
		{[]string{"-m", "good", "--plugin", "nowhere.so"}, cli.ExitError, "there is no such file", true},
		{[]string{"-m", "good", "--models", "nowhere"}, cli.ExitError, "there is no such folder or file", true},
		{[]string{"-m", "wrong"}, cli.ExitNotOK, "module cpu-pre: mismatch", true},
		{[]string{"-m", "crashing"}, cli.ExitNotOK, "module device: crashed: ", true},
		{[]string{"-m", "good", "--plugin", e2e.Top(t, "go.mod")}, cli.ExitNotOK,
			"the device cannot be used: failed: ", true},
	} {
		file := filepath.Join(dir, fmt.Sprintf("%d.json", i))
		out := e2e.Benchmarks(t, c.status, append(c.args, "-o", file)...)
		if !strings.Contains(out, c.want) {
			t.Errorf("%q: %q is not in\n%s", c.args, c.want, out)
		}
		if !c.record {
			if _, err := os.Stat(file); err == nil {
				t.Errorf("%q: there is a record", c.args)
			}
			continue
		}
		r := e2e.Performance(t, file)[0]
		if !strings.Contains(r.Error, c.want) || r.TotalTime != 0 || r.TotalSamples != 0 || r.SamplesPerSec != 0 ||
			r.Date == "" {
			t.Errorf("%q: %+v", c.args, r)
		}
	}
	if out := e2e.Benchmarks(t, cli.ExitError, "-m", "good",
		"-o", filepath.Join(dir, "no", "perf.json")); !strings.Contains(out, "there is no folder") {
		t.Errorf("%s", out)
	}
	if out := e2e.Benchmarks(t, cli.ExitError, "--list", "-m", "god"); !strings.Contains(out,
		`no model is called "god"; did you mean "good"?`) {
		t.Errorf("%s", out)
	}
}

// The record is kept although nobody reads the report, or the messages.
func TestBenchWithoutReader(t *testing.T) {
	e2e.PretendBench(t)
	file := filepath.Join(t.TempDir(), "perf.json")
	for i, messages := range []bool{false, true} {
		cmd := e2e.Command(t, "bench", "-m", "good", "--repetitions", "1", "-o", file)
		cmd.Env = e2e.Environment()
		var err error
		if cmd.Stdout, err = closedPipe(t); err != nil {
			t.Fatal(err)
		}
		if messages {
			cmd.Stderr = cmd.Stdout
		}
		if err := cmd.Run(); err != nil {
			t.Errorf("%v", err)
		}
		if list := e2e.Performance(t, file); len(list) != i+1 {
			t.Errorf("%d records, want %d", len(list), i+1)
		}
	}
}

// closedPipe returns a pipe that nobody reads.
func closedPipe(t *testing.T) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { write.Close() })
	return write, read.Close()
}

// What a verb keeps beside the report is kept although nobody reads the report.
func TestKeepWithoutReader(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the compiler of the test's package is that of POSIX systems")
	}
	file := filepath.Join(t.TempDir(), "results.csv")
	cmd := e2e.Command(t, "hat", "-q", "--function", "product", "--max-time", "20ms", "--min-time", "1ms",
		"--results-file", file, e2e.Example(t, "sizes.hat"))
	var err error
	if cmd.Stdout, err = closedPipe(t); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Run(); err == nil {
		t.Error("nobody reads the report, and the status is 0")
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "product") {
		t.Errorf("%q, %v", text, err)
	}
}

// Two benchmarks at once keep both records beside an old one, and a file that cannot be read is not changed.
func TestBenchRecords(t *testing.T) {
	e2e.PretendBench(t)
	dir := t.TempDir()
	file, unreadable := filepath.Join(dir, "perf.json"), filepath.Join(dir, "notes.json")
	const old = `{"total_time": 1.0, "total_samples": 16384, "samples_per_sec": 16384.0, "args": ` +
		`{"dataformat":"Bfp8_b","further":[1,2]}, "further": null}`
	for path, text := range map[string]string{file: "[" + old + "]", unreadable: "shopping: milk"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			cmd := e2e.Command(t, "bench", "-m", "good", "--repetitions", "1", "-o", file, "-q")
			cmd.Env = e2e.Environment()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	if list := e2e.Performance(t, file); len(list) != 3 {
		t.Errorf("%d records, want 3", len(list))
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), old) {
		t.Errorf("the old record is not what it was, error %v:\n%s", err, text)
	}
	if out := e2e.Benchmarks(t, cli.ExitOK, "-m", "good", "--repetitions", "1", "-o", unreadable); !strings.Contains(out,
		"WARNING: "+unreadable+": not a JSON list") || !strings.Contains(out, "post_error_notes.json") {
		t.Errorf("%s", out)
	}
	if text, err := os.ReadFile(unreadable); err != nil || string(text) != "shopping: milk" {
		t.Errorf("%q, %v", text, err)
	}
	if list := e2e.Performance(t, filepath.Join(dir, "post_error_notes.json")); len(list) != 1 || list[0].Error != "" {
		t.Errorf("%+v", list)
	}
}

// Tables that tt-metal's profiler writes while a model runs are joined to its iterations; older ones are not.
func TestBenchReadsTTMetal(t *testing.T) {
	e2e.PretendBench(t)
	folder := t.TempDir()
	t.Setenv("TT_METAL_PROFILER_DIR", folder)
	table, err := os.ReadFile(e2e.Top(t, "trace", "testdata", "tt_ops_perf_results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	path, file := filepath.Join(folder, "reports", "ops_perf_results_now.csv"), filepath.Join(t.TempDir(), "perf.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, table, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, written := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
		e2e.Benchmarks(t, cli.ExitOK, "-m", "good", "--trace", "verbose", "--repetitions", "2", "-o", file)
	}
	list := e2e.Performance(t, file)
	old, now := list[0].Zonemark, list[1].Zonemark
	if old.Trace.Source != "modules" ||
		!strings.Contains(old.NotApplied["trace"], "no new tables of tt-metal in "+folder) {
		t.Errorf("tables from before: %+v, %q", old.Trace, old.NotApplied)
	}
	if now.Trace.Source != "tt-metal" || len(now.Trace.Rows) == 0 || now.NotApplied["trace"] != "" {
		t.Fatalf("new tables: %+v, %q", now.Trace, now.NotApplied)
	}
	var calls int64
	for _, row := range now.Trace.Rows {
		calls += row.Calls
		if row.Name == "" || !(row.PerLoop > 0) || !(row.TotalNS >= row.MedianNS) {
			t.Errorf("%+v", row)
		}
	}
	if want := int64(strings.Count(strings.TrimSpace(string(table)), "\n")); calls > want || calls == 0 {
		t.Errorf("%d calls of a table of %d", calls, want)
	}
}

// The profiler of a plugin reports the operations of an iteration.
func TestBenchProfile(t *testing.T) {
	e2e.PretendBench(t)
	recorded := e2e.Top(t, "executor", "tt", "testdata", "mlp.xplane.pb")
	file := filepath.Join(t.TempDir(), "perf.json")
	out := e2e.Benchmarks(t, cli.ExitOK, "-m", "good", "--trace", "light", "--repetitions", "2", "-o", file,
		"--sandbox-read", recorded, "--plugin", e2e.PretendPlugin(t, `-DXSPACE="`+recorded+`"`))
	if !strings.Contains(out, "trace by profile") {
		t.Errorf("%s", out)
	}
	trace := e2e.Performance(t, file)[0].Zonemark.Trace
	if trace == nil || trace.Source != "profile" || len(trace.Rows) < 2 {
		t.Fatalf("%+v", trace)
	}
	for _, row := range trace.Rows {
		if row.Name == "" || row.Calls < 1 || !(row.TotalNS > 0) {
			t.Errorf("%+v", row)
		}
	}
}

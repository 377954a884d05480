package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/stats"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// timedRecord returns a record whose rounds have the given medians, each with three samples.
func timedRecord(id int, name, group string, medians ...float64) invocations.Record {
	inv := invocations.Invocation{
		ID: fmt.Sprintf("%016x", id), Name: name, Group: group, Runtime: "hat",
		Function: strings.TrimSuffix(name, "/n=64"),
		Artifact: invocations.Artifact{Path: "/p/kernels.hat"}, Parameters: map[string]string{"N": "64", "M": "8"},
		Arguments: []invocations.Argument{{Name: "A", Element: invocations.Float32, Shape: []int64{8, 64},
			Usage: invocations.Input}},
	}
	res := invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean},
		Calling: invocations.Calling{Mode: invocations.Warm, Stop: "precision", CallsPerBatch: 100, Sets: 1,
			SetBytes: 2048, Clock: "tsc", OverheadNS: 2},
		Merged: len(medians),
		Layers: []string{"seccomp", "landlock"},
	}
	counts := make([]int, len(medians))
	for i, m := range medians {
		res.SamplesNS = append(res.SamplesNS, 0.99*m, m, 1.02*m)
		res.CPUSamplesNS = append(res.CPUSamplesNS, m+1, m+2, m+3)
		counts[i] = 3
	}
	res.Iterations = int64(len(res.SamplesNS)) * res.CallsPerBatch
	res.Summary = stats.Summarize(res.SamplesNS, res.CPUSamplesNS)
	r := invocations.NewRecord(inv, res)
	r.MergedSamples = counts
	return r
}

// dispatchRecord returns a record with two dispatches, gaps and host time. That of a profiler was made under load.
func dispatchRecord(id int, source invocations.DispatchSource) invocations.Record {
	inv := invocations.Invocation{ID: fmt.Sprintf("%016x", id), Name: "mlp by " + string(source), Runtime: "iree",
		Function: "mlp"}
	res := invocations.Result{Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean},
		Calling: invocations.Calling{Mode: invocations.Warm},
		Batches: invocations.Batches{SamplesNS: []float64{99e3, 100e3, 101e3}},
		Profile: invocations.Profile{Source: source, CallNS: 110e3, HostNS: 8e3, GapNS: 2e3,
			Made: 45, Quiet: 45,
			Dispatches: []invocations.Dispatch{
				{Name: "mlp_dispatch_0_matmul_64x512x256_f32", Count: 45, MedianNS: 60e3, P10NS: 59.5e3, P90NS: 61e3,
					Workgroups: 16, Threads: 1,
					SourceFile: "mlp.mlir", SourceLine: 3},
				{Name: "mlp_dispatch_1_softmax_64x128_f32", Ordinal: 1, Count: 45, MedianNS: 40e3, Workgroups: 8,
					Allocations: 2, PeakBytes: 3 << 19, StackBytes: 96},
			}}}
	if source == invocations.ByProfiler {
		res.Contended, res.Quiet, res.Dispatches[0].P90NS = true, 9, 190e3
	}
	res.Summary = stats.Summarize(res.SamplesNS, nil)
	res.AuditTrace()
	return invocations.NewRecord(inv, res)
}

// scaled returns the medians of eight rounds of a variant, with a jitter of its own below half a percent.
func scaled(factor float64) []float64 {
	medians := []float64{26.71, 26.9, 26.55, 27.3, 26.8, 26.66, 26.75, 26.6}
	for i := range medians {
		medians[i] *= factor * (1 + 0.004*math.Sin(factor*float64(i+1)))
	}
	return medians
}

// exampleRun returns a run with records of every kind.
func exampleRun() Run {
	ended := func(id int, name string, res invocations.Result) invocations.Record {
		return invocations.NewRecord(invocations.Invocation{ID: fmt.Sprintf("%016x", id), Name: name, Runtime: "hat",
			Function: name, Measure: invocations.Measure{Mode: invocations.Warm}}, res)
	}
	records := []invocations.Record{
		timedRecord(1, "add/n=64", "", scaled(1)...),
		timedRecord(2, "conv/n=64", "", scaled(52340.5)...),
		timedRecord(3, "gemm_tiled/n=64", "gemm", scaled(100)...),
		timedRecord(4, "gemm_naive/n=64", "gemm", scaled(253)...),
		timedRecord(5, "gemm_vector/n=64", "gemm", scaled(100.05)...),
		ended(6, "broken", invocations.Result{Status: invocations.Crashed, Error: "SIGSEGV while measuring\x1b[31m",
			Crash: &invocations.Crash{Signal: "SIGSEGV"}, Layers: []string{"seccomp", "landlock"}}),
		ended(7, "gpu only", invocations.Result{Status: invocations.Skipped,
			Error: "needs CUDA, which this machine lacks"}),
		ended(8, "checked", invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Stop: "check"},
			Layers: []string{"seccomp", "landlock"}}),
	}
	records[1].Verdicts = []invocations.Verdict{invocations.Contended, invocations.NotConverged}
	records[1].Notes = []string{"N was not given: 64 taken"}
	records[4].Verdicts = []invocations.Verdict{invocations.TooShort}
	return Run{
		Build: "v1.0.0", Started: time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC),
		Command: []string{"zonemark", "run", "kernels.hat"},
		Environment: map[string]string{"cpu": "Example 3000", "os": "linux", "cpus": "2", "Kernel Version": "6.1",
			"host": "bench"},
		Records: invocations.RecordsOf(records...), Rankings: groupsOf(invocations.RecordsOf(records...)), Complete: true,
	}
}

func untimedRun() Run {
	run := exampleRun()
	run.Records, run.Rankings, run.Complete, run.Resumable = invocations.RecordsOf(list(run)[5:]...), nil, false, true
	return run
}

// terminalRun returns a run for a terminal of 80 columns: painted, with distributions, notes that wrap, long names of
// dispatches, and an executor that wrote something before it crashed.
func terminalRun() Run {
	run := exampleRun()
	run.Width, run.Colours, run.Plot = 80, true, true
	at(run, 1).Notes = []string{strings.Repeat("a note of many words wraps at words; ", 4)}
	at(run, 5).Error = "native code ended the executor by SIGABRT in phase measure"
	at(run, 5).Crash.Stderr = []string{"", "kernel.c:12: broken: Assertion `n > 0' failed.", " \t"}
	added := dispatchRecord(9, "profile")
	run.Records = invocations.RecordsOf(append(list(run), added)...)
	return run
}

func write(t *testing.T, format string, run Run) string {
	t.Helper()
	f, err := Formats().Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, run); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden checks the outputs that people and scripts read.
func TestGolden(t *testing.T) {
	narrow := exampleRun()
	narrow.Width = 64
	mixed := exampleRun()
	at(mixed, 0).Mode = invocations.Cold
	mixed.Rankings = nil
	dispatches := exampleRun()
	dispatches.Records, dispatches.Rankings = invocations.RecordsOf(dispatchRecord(1, "tracy"),
		dispatchRecord(2, "profile")), nil
	runs := map[string]Run{"dispatches": dispatches, "example": exampleRun(), "untimed": untimedRun(),
		"empty": {Complete: true}, "narrow": narrow, "mixed": mixed, "terminal": terminalRun()}
	runs["launches"], runs["counters"], runs["emulated"] = launchRun(false), launchRun(true), emulatedRun()
	runs["hosts"], runs["shared"], runs["race"] = spreadRun(), sharedRun(), raceRun()
	verbose, interrupted := launchRun(false), launchRun(false)
	verbose.Verbose = true
	interrupted.Partial, interrupted.Records = interrupted.Records, nil
	interrupted.Rankings, interrupted.Complete = nil, false
	runs["verbose"], runs["interrupted"] = verbose, interrupted
	textOnly := []string{"narrow", "mixed", "dispatches", "terminal", "verbose", "interrupted"}
	withCSV := []string{"hosts", "shared", "race"}
	for name, run := range runs {
		for _, format := range Formats() {
			if format.Name != "text" && (slices.Contains(textOnly, name) || slices.Contains(withCSV, name) && format.Name != "csv") {
				continue
			}
			got := write(t, format.Name, run)
			path := filepath.Join("testdata", name+"."+format.Name)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s as %s (-want +got):\n%s", name, format.Name, diff)
			}
		}
	}
}

func TestTextFits(t *testing.T) {
	run := exampleRun()
	for _, line := range strings.Split(write(t, "text", run), "\n") {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
		if strings.ContainsRune(line, '\x1b') {
			t.Errorf("a control character reaches the terminal: %q", line)
		}
	}
	at(run, 0).Name = strings.Repeat("a", 80) + "tail"
	run.Environment["flags"] = strings.Repeat("x", 60)
	run.Width = 80
	for _, line := range strings.Split(write(t, "text", run), "\n") {
		// verdicts are whole
		if n := utf8.RuneCountInString(line); n > run.Width && !strings.Contains(line, "detects") {
			t.Errorf("%d columns of %d: %s", n, run.Width, line)
		}
	}
	run.Width = 0
	if !strings.Contains(write(t, "text", run), at(run, 0).Name) {
		t.Error("a name is shortened although no width is given")
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]string{"txt": `did you mean "text"`, "benchfm": `did you mean "benchfmt"`,
		"sqlite": "there are text, csv"} {
		if _, err := Formats().Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Lookup(%q): %v, want %s", name, err, want)
		}
	}
	if f, err := Formats().Lookup("csv"); err != nil || f.Name != "csv" {
		t.Errorf("Lookup(csv) = %q, %v", f.Name, err)
	}
}

func TestCSVParsesBack(t *testing.T) {
	run := exampleRun()
	at(run, 5).Error = "a \"quoted\"\nreason, with everything"
	rows, err := csv.NewReader(strings.NewReader(write(t, "csv", run))).ReadAll()
	if err != nil || len(rows) != 1+run.Records.Len() {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := map[string]int{}
	for i, title := range rows[0] {
		column[title] = i
	}
	cell := func(record int, title string) string { return rows[record+1][column[title]] }
	for _, test := range []struct {
		record      int
		title, want string
	}{
		{0, "median_ns", fmt.Sprint(*at(run, 0).MedianNS)}, {0, "params", "M=8 N=64"}, {0, "rank", ""},
		{1, "verdict", "contended not-converged"},
		{3, "rank", "3"}, {3, "standing", "slower"}, {5, "error", at(run, 5).Error}, {5, "median_ns", ""},
		{5, "iterations", ""},
	} {
		if got := cell(test.record, test.title); got != test.want {
			t.Errorf("record %d: %s = %q, want %q", test.record, test.title, got, test.want)
		}
	}
}

// TestGoogleBenchmarkSchema checks what compare.py and others rely on.
func TestGoogleBenchmarkSchema(t *testing.T) {
	var doc struct {
		Context struct {
			Schema int `json:"json_schema_version"`
			CPUs   int `json:"num_cpus"`
		}
		Benchmarks []map[string]any
	}
	if err := json.Unmarshal([]byte(write(t, "gbench", exampleRun())), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Context.Schema != 1 || doc.Context.CPUs != 2 {
		t.Errorf("context %+v", doc.Context)
	}
	count := map[string]int{}
	for _, b := range doc.Benchmarks {
		for _, key := range []string{"name", "family_index", "per_family_instance_index", "run_name", "run_type",
			"repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit"} {
			if b[key] == nil {
				t.Fatalf("%s is missing in %v", key, b)
			}
		}
		name := b["name"].(string)
		if b["repetition_index"] != float64(count[name]) {
			t.Errorf("repetition %v of %s, want %d", b["repetition_index"], name, count[name])
		}
		count[name]++
	}
	if count["add/n=64"] != 8 || count["broken"] != 1 {
		t.Errorf("entries by name: %v; want one for each of 8 rounds", count)
	}
}

// TestBenchfmtOracle reads the lines with the reader of benchstat.
func TestBenchfmtOracle(t *testing.T) {
	run := exampleRun()
	at(run, 0).Name, at(run, 1).Name = "a b", "A b" // equal once they can be written
	r := benchfmt.NewReader(strings.NewReader(write(t, "benchfmt", run)), "test")
	values := map[string][]float64{}
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			ns, ok := rec.Value("sec/op")
			if _, cpu := rec.Value("cpu-sec/op"); !ok || !cpu {
				t.Errorf("%s: values %v", rec.Name, rec.Values)
			}
			values[rec.Name.String()] = append(values[rec.Name.String()], ns*1e9)
			if cpu := rec.GetConfig("cpu"); cpu != "Example 3000" || rec.GetConfig("goos") != "linux" ||
				rec.GetConfig("host") != "" {
				t.Errorf("configuration %v", rec.Config)
			}
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if len(values) != 5 || len(values["A_b/id=0000000000000001"]) != 8 {
		t.Fatalf("names %v", values)
	}
	for i, want := range at(run, 2).MergedMediansNS() {
		if got := values["Gemm_tiled/n=64"][i]; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("round %d: %v ns, want %v", i, got, want)
		}
	}
}

func TestBencherParsesBack(t *testing.T) {
	var metrics map[string]struct {
		Latency struct {
			Value float64 `json:"value"`
			Lower float64 `json:"lower_value"`
			Upper float64 `json:"upper_value"`
		} `json:"latency"`
	}
	run := exampleRun()
	if err := json.Unmarshal([]byte(write(t, "bmf", run)), &metrics); err != nil {
		t.Fatal(err)
	}
	latency, r := metrics["add/n=64"].Latency, at(run, 0)
	if len(metrics) != 5 || latency.Value != *r.MedianNS || latency.Lower != *r.CILowNS ||
		latency.Upper != *r.CIHighNS {
		t.Errorf("metrics %+v", metrics)
	}
}

func TestNDJSONParsesBack(t *testing.T) {
	run := exampleRun()
	lines := strings.Split(strings.TrimSpace(write(t, "ndjson", run)), "\n")
	if len(lines) != run.Records.Len()+2 {
		t.Fatalf("%d lines, want header, %d results and end", len(lines), run.Records.Len())
	}
	for i, want := range recordstest.All(t, run.Records) {
		var got invocations.Record
		if err := json.Unmarshal([]byte(lines[i+1]), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*want, got); diff != "" {
			t.Errorf("record %d (-want +got):\n%s", i, diff)
		}
	}
	run.Complete = false
	if strings.Contains(write(t, "ndjson", run), `"kind":"end"`) {
		t.Error("an interrupted run has an end line")
	}
}

func TestRepetitionsWithoutRounds(t *testing.T) {
	r := timedRecord(1, "f", "", make([]float64, 50)...)
	for i := range r.SamplesNS {
		r.SamplesNS[i], r.CPUSamplesNS[i] = float64(i), float64(2*i)
	}
	r.MergedSamples = nil
	all := repetitions(&r)
	calls := int64(0)
	for i, one := range all {
		calls += one.iterations
		if i > 0 && one.wallNS <= all[i-1].wallNS || one.cpuNS != 2*one.wallNS {
			t.Errorf("repetition %d: %+v after %+v", i, one, all[max(0, i-1)])
		}
	}
	if len(all) != maxSlices || calls != 15000 {
		t.Errorf("%d repetitions of %d calls, want %d of 15000", len(all), calls, maxSlices)
	}
}

func TestRankGroups(t *testing.T) {
	run := exampleRun()
	at(run, 2).Mode = invocations.Cold // now alone in its mode
	rankings := groupsOf(run.Records)
	if len(rankings) != 1 || rankings[0].Group != "gemm (warm)" || len(rankings[0].Rows) != 2 {
		t.Fatalf("rankings %+v; want the two warm variants only", rankings)
	}
	if best := at(run, rankings[0].Rows[0].Variant).Name; best != "gemm_vector/n=64" {
		t.Errorf("best is %s", best)
	}
}

// failingWriter fails after a number of bytes.
type failingWriter struct{ left int }

var errWrite = errors.New("no more")

func (w *failingWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, errWrite
	}
	w.left -= len(p)
	return len(p), nil
}

func TestWriteErrorsAreTold(t *testing.T) {
	for _, format := range Formats() {
		if err := format.Write(&failingWriter{100}, exampleRun()); !errors.Is(err, errWrite) {
			t.Errorf("%s: error %v, want that of the writer", format.Name, err)
		}
	}
}

// The heading stays within the width, and a line that continues ends with the separator.
func TestFlow(t *testing.T) {
	layers := []string{"user", "mount", "net", "ipc", "rlimit", "no-new-privs", "landlock", "seccomp"}
	for width, want := range map[int]string{
		100: "user + mount + net + ipc + rlimit + no-new-privs + landlock + seccomp",
		40:  "user + mount + net + ipc +\n         rlimit + no-new-privs +\n         landlock + seccomp",
		1:   strings.Join(layers, " +\n         "),
	} {
		if got := flow(layers, " + ", width); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// A spreadsheet does not take names for formulas, and numbers stay numbers.
func TestCSVCells(t *testing.T) {
	below := -0.5
	record := invocations.Record{ID: "1", Name: "=1+1", RecordedSubject: invocations.RecordedSubject{Function: "@f"},
		Error: "-x\n+y", RecordedTimes: invocations.RecordedTimes{MedianNS: &below}}
	var b bytes.Buffer
	if err := writeCSV(&b, Run{Records: invocations.RecordsOf(record)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{",'=1+1,", ",'@f,", "\"'-x\n+y\"", ",-0.5,"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %s", b.String(), want)
		}
	}
}

// groupsOf ranks the groups of records that are in memory.
func groupsOf(records *invocations.Records) []rank.Ranking {
	rankings, err := rank.Groups(records, stats.RankOptions{})
	if err != nil {
		panic(err)
	}
	return rankings
}

// at returns a record of a run, which is in memory, so that it can be changed.
func at(run Run, place int) *invocations.Record {
	r, err := run.Records.At(place)
	if err != nil {
		panic(err)
	}
	return r
}

// list returns the records of a run, which are in memory.
func list(run Run) []invocations.Record {
	all, err := run.Records.List()
	if err != nil {
		panic(err)
	}
	return all
}

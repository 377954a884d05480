package sweep

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/sweep/operations"
	"zonemark/driver/sweep/program"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// swept is an operation with a few small configurations, one of them with a format that a CPU does not have.
func swept(t testing.TB, rest string) (*operations.Operation, []operations.Configuration) {
	t.Helper()
	text := `[{"op_type": "unary", "op_name": "abs", "config_overrides": {"unary_type": [15], "input0_df": [2, 4],
		"output_df": [2, 4], "output_mb_r": [1, 2], "output_mb_c": [1], "output_ub_r": [1], "output_ub_c": [1]` + rest +
		`}}]`
	list, err := operations.Parse("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	configurations, _, err := Configurations(&list[0], "")
	if err != nil {
		t.Fatal(err)
	}
	return &list[0], configurations
}

func pointer[T any](v T) *T { return &v }

func measured(ns float64) *invocations.Record {
	r := &invocations.Record{Status: invocations.OK, RecordedTimes: invocations.RecordedTimes{MedianNS: &ns},
		RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{ns}}}
	r.ReferenceNS, r.ReferenceAt = pointer(ns*2), pointer(1.5)
	return r
}

// add adds the rows that are missing, up to a number of them. The time of a row follows from its configuration.
func add(t testing.TB, r *Results, folder string, most int) {
	t.Helper()
	target := &program.Target{Runtime: program.PJRT, Device: "cpu"}
	for _, c := range r.Missing()[:min(most, len(r.Missing()))] {
		item, err := NewCase(c, target, folder)
		if err != nil {
			t.Fatal(err)
		}
		var record *invocations.Record
		if item.Invocation() != nil {
			record = measured(1000 + float64(c.Int("output_mb_r")))
		}
		if err := r.Add(item, record); err != nil {
			t.Fatal(err)
		}
	}
}

var cpu = Options{Target: program.Target{Runtime: program.PJRT, Device: "cpu"}, ClockGHz: 1.5}

func opened(t testing.TB, out string, o *operations.Operation, list []operations.Configuration) *Results {
	t.Helper()
	r, err := OpenResults(out, o, list, cpu)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRows(t *testing.T) {
	out, raw := t.TempDir(), t.TempDir()
	o, list := swept(t, "")
	r := opened(t, out, o, list)
	if _, err := r.Finish(raw, "grayskull"); err == nil || !strings.Contains(err.Error(), "4 of 4 rows are missing") {
		t.Errorf("finished too early: %v", err)
	}
	add(t, r, t.TempDir(), len(list))
	path, err := r.Finish(raw, "grayskull")
	if err != nil || path != filepath.Join(raw, "grayskull", "abs-op-performance.csv") {
		t.Fatalf("%s: %v", path, err)
	}
	data := read(t, path)
	if summary := read(t, filepath.Join(out, "abs", summaryFile)); !bytes.Equal(summary, data) {
		t.Error("the copy differs from the summary")
	}
	const columnsOfAbs = "Test-ID,Unary-Type,math_fidelity," +
		"input0_df,input0_t,input0_grid_size_r,input0_grid_size_c," +
		"input0_mb_r,input0_mb_c,input0_ub_r,input0_ub_c,input0_ublock_order,input0_buf_size_mb," +
		"output_df,output_t,output_grid_size_r,output_grid_size_c," +
		"output_mb_r,output_mb_c,output_ub_r,output_ub_c,output_ublock_order,output_buf_size_mb," +
		"first-input-idx-recorded,last-input-idx-recorded,average-math-utilization," +
		"total-runtime,input0-bw,input1-bw,output-bw," +
		"input0-bw-across-cores-total-runtime,input1-bw-across-cores-total-runtime," +
		"output-bw-across-cores-total-runtime,"
	if !strings.HasPrefix(string(data), columnsOfAbs+sourceColumn) {
		t.Errorf("columns %s", strings.SplitN(string(data), "\n", 2)[0])
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := func(row int, name string) string { return rows[row][position(rows[0], name)] }
	// 1001 ns are 2002 ns at the reference clock of 1.5 GHz: 3003 cycles for each of 128 inputs
	for name, want := range map[string]string{
		"Test-ID": "0", "Unary-Type": "abs", "math_fidelity": "LoFi",
		"total-runtime": notKnown, statusColumn: NotApplied,
		"input0_df": "Bfp8_b", sourceColumn: notKnown,
	} {
		if got := at(1, name); got != want {
			t.Errorf("row 1: %s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"Test-ID": "2", "math_fidelity": "HiFi4", "total-runtime": "384384",
		"last-input-idx-recorded": "127", statusColumn: "ok",
		"input0_df": "Float16_b", sourceColumn: "reference_ns at 1.5 GHz",
		"input0_ublock_order": "r", "input1-bw": notKnown,
	} {
		if got := at(3, name); got != want {
			t.Errorf("row 3: %s is %q, want %q", name, got, want)
		}
	}
	if got := at(3, notAppliedColumn); !strings.HasPrefix(got, "math_fidelity: ") {
		t.Errorf("not applied: %q", got)
	}
}

// A summary that is cut anywhere is finished with the same rows as one that nothing disturbed.
func TestContinue(t *testing.T) {
	programs, raw := t.TempDir(), t.TempDir()
	o, list := swept(t, "")
	whole := opened(t, t.TempDir(), o, list)
	add(t, whole, programs, len(list))
	path, err := whole.Finish(raw, "undisturbed")
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, path)
	out := t.TempDir()
	folder := filepath.Join(out, o.Name)
	for cut := range len(want) + 1 {
		if end := bytes.IndexByte(want[cut:], '\n'); end > 1 && cut > 1 && want[cut-2] != '\n' && cut%173 != 0 {
			continue // neither near the end of a line nor one of some places between
		}
		if r, err := OpenResults(out, o, list, cpu); err != nil { // writes test_configs.yaml
			t.Fatal(err)
		} else if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, summaryFile), want[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := OpenResults(out, o, list, cpu)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if complete := max(0, bytes.Count(want[:cut], []byte{'\n'})-1); len(r.Missing()) != len(list)-complete {
			t.Fatalf("cut at %d: %d missing, want %d", cut, len(r.Missing()), len(list)-complete)
		}
		add(t, r, programs, len(list))
		path, err := r.Finish(raw, "cut")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, path), want) {
			t.Fatalf("cut at %d: other rows", cut)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// writerVariable makes the test binary the writer that TestKilled kills: it names the output folder.
const writerVariable = "SWEEP_TEST_WRITER"

func TestWriter(t *testing.T) {
	out := os.Getenv(writerVariable)
	if out == "" {
		t.Skip("this is the writer of TestKilled")
	}
	o, list := swept(t, manyShapes)
	r := opened(t, out, o, list)
	add(t, r, filepath.Join(out, programsFolder), len(list))
}

const manyShapes = `, "output_t": [1, 2, 3, 4], "input_count": [16, 32, 64, 128]`

// However often a sweep is killed, at the end its rows are those of one that nothing disturbed.
func TestKilled(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o, list := swept(t, manyShapes)
	out, other := t.TempDir(), t.TempDir()
	if _, err := Programs(out, &operations.Operation{Name: "abs"}); err != nil {
		t.Fatal(err)
	}
	summary := filepath.Join(out, o.Name, summaryFile)
	for kill := range 12 {
		before, _ := os.ReadFile(summary) // there is none at first
		writer := exec.Command(path, "-test.run=^TestWriter$")
		writer.Env = append(os.Environ(), writerVariable+"="+out)
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- writer.Wait() }()
		for over := false; !over; { // until it has begun, and a little longer
			select {
			case <-ended:
				over, ended = true, nil
			case <-time.After(time.Millisecond):
				now, err := os.ReadFile(summary)
				over = err == nil && len(now) > len(before)+100*kill
			}
		}
		if ended != nil {
			_ = writer.Process.Kill() // it may have ended
			<-ended
		}
		r := opened(t, out, o, list)
		missing := len(r.Missing())
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d of %d rows are missing", missing, len(list))
		if missing == 0 {
			break
		}
	}
	finish := func(out string) []byte {
		r, err := OpenResults(out, o, list, cpu)
		if errors.Is(err, files.ErrLocked) {
			t.Fatal("the lock outlives its process")
		} else if err != nil {
			t.Fatal(err)
		}
		add(t, r, t.TempDir(), len(list))
		path, err := r.Finish(t.TempDir(), "x")
		if err != nil {
			t.Fatal(err)
		}
		return read(t, path)
	}
	if !bytes.Equal(finish(out), finish(other)) {
		t.Error("other rows")
	}
}

// Rows are known by configuration: a sweep over more values keeps them, in whatever order they were written.
func TestContinueWithOtherValues(t *testing.T) {
	out, programs := t.TempDir(), t.TempDir()
	o, list := swept(t, "")
	slices.Reverse(list)
	r := opened(t, out, o, list)
	add(t, r, programs, 3)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	o, list = swept(t, `, "output_t": [1, 2]`)
	r = opened(t, out, o, list)
	if len(r.Missing()) != len(list)-3 {
		t.Errorf("%d of %d missing", len(r.Missing()), len(list))
	}
	add(t, r, programs, len(list))
	path, err := r.Finish(t.TempDir(), "x")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(read(t, path))).ReadAll()
	if err != nil || len(rows) != len(list)+1 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for i, row := range rows[1:] {
		if c := list[i]; row[0] != rows[i+1][0] || row[len(row)-1] != c.Key() {
			t.Errorf("row %d is not of configuration %d", i, c.Index)
		}
	}
}

// Rows of another build of the same plugin are refused, although its file has the same name. Rows of earlier versions,
// which do not tell the build, count, and a note says so.
func TestBuildsOfPlugins(t *testing.T) {
	on := func(path, build string) Options {
		o := Options{Target: program.Target{Runtime: program.PJRT, Device: "cpu", Options: map[string]string{"plugin": path}}}
		if build != "" {
			o.Builds = map[string]string{"plugin": Build(path, build)}
		}
		return o
	}
	const first, second = "00112233445566778899", "aabbccddeeff00112233"
	for _, c := range []struct {
		before, after Options
		refusal       string
		notes         int
	}{
		{on("/a/p.so", first), on("/b/p.so", first), "", 0},
		{on("/a/p.so", first), on("/a/p.so", second), `on "tt cpu plugin=p.so@001122334455", not on "tt cpu plugin=p.so@aabbccddeeff"`, 0},
		{on("/a/p.so", first), on("/a/q.so", first), "was measured on", 0},
		{on("/a/p.so", ""), on("/b/p.so", second), "", 1},
		{on("/a/p.so", ""), on("/a/q.so", second), "was measured on", 0},
	} {
		out := t.TempDir()
		o, list := swept(t, "")
		r, err := OpenResults(out, o, list, c.before)
		if err != nil {
			t.Fatal(err)
		}
		add(t, r, t.TempDir(), 1)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r, err = OpenResults(out, o, list, c.after)
		if c.refusal != "" {
			if err == nil || !strings.Contains(err.Error(), c.refusal) {
				t.Errorf("%v after %v: %v", c.after.Builds, c.before.Builds, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Missing()) != len(list)-1 || len(r.Notes) != c.notes {
			t.Errorf("%v after %v: %d of %d rows are missing, notes %q", c.after.Builds, c.before.Builds, len(r.Missing()),
				len(list), r.Notes)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenResultsRefuses(t *testing.T) {
	out := t.TempDir()
	o, list := swept(t, "")
	r := opened(t, out, o, list)
	if _, err := OpenResults(out, o, list, cpu); !errors.Is(err, files.ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	add(t, r, t.TempDir(), len(list))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	other := Options{Target: program.Target{Runtime: program.IREE, Device: "cpu"}}
	if _, err := OpenResults(out, o, list, other); err == nil ||
		!strings.Contains(err.Error(), `was measured on "tt cpu", not on "iree cpu"`) {
		t.Errorf("another target: %v", err)
	}
	path := filepath.Join(out, o.Name, summaryFile)
	data := read(t, path)
	for _, foreign := range []string{"a,b\n1,2\n", "\"\n\n"} {
		if err := os.WriteFile(path, []byte(foreign), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenResults(out, o, list, cpu); err == nil || !strings.Contains(err.Error(), summaryFile+":1:") {
			t.Errorf("%q: %v", foreign, err)
		}
	}
	garbled := bytes.Replace(data, []byte("LoFi"), []byte("\"LoFi"), 1)
	if err := os.WriteFile(path, garbled, 0o644); err != nil {
		t.Fatal(err)
	}
	r = opened(t, out, o, list)
	if len(r.Missing()) != 1 || len(r.Notes) != 1 {
		t.Errorf("a garbled row: %d missing, %v", len(r.Missing()), r.Notes)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(out, o.Name, configsFile)); err != nil {
		t.Fatal(err)
	}
	if r = opened(t, out, o, list); len(r.Missing()) != len(list) || len(r.Notes) != 1 {
		t.Errorf("without %s: %d missing, %v", configsFile, len(r.Missing()), r.Notes)
	}
}

// Rows of a sweep that each of several hosts has measured say how these differ. It is continued as it has begun.
func TestRowsOfHosts(t *testing.T) {
	o, list := swept(t, "")
	spread := cpu
	spread.Spread = true
	for _, c := range []struct {
		begun, continued Options
		want             string
	}{{spread, cpu, "it was measured with --spread; continue it so"}, {cpu, spread, "without --spread; continue it so"}} {
		out := t.TempDir()
		r, err := OpenResults(out, o, list, c.begun)
		if err != nil {
			t.Fatal(err)
		}
		item, err := NewCase(r.Missing()[len(list)-1], &c.begun.Target, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		record := measured(1000)
		record.Hosts = []invocations.HostRecord{{Host: "a"}, {Host: "b"}}
		record.Hosts[0].MedianNS, record.Hosts[1].MedianNS = pointer(900.0), pointer(1100.0)
		record.BetweenHostsNS = pointer(141.5)
		if err := errors.Join(r.Add(item, record), r.Close()); err != nil {
			t.Fatal(err)
		}
		text := string(read(t, filepath.Join(out, o.Name, summaryFile)))
		head, row, _ := strings.Cut(text, "\n")
		if strings.Contains(head, ",between-hosts-ns,slowest-host,slowest-ratio,") != c.begun.Spread ||
			strings.Contains(row, ",141.5,b,1.1,") != c.begun.Spread {
			t.Errorf("--spread %t:\n%s", c.begun.Spread, text)
		}
		if _, err := OpenResults(out, o, list, c.continued); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("continued otherwise: %v", err)
		}
		if r, err = OpenResults(out, o, list, c.begun); err != nil || len(r.Missing()) != len(list)-1 {
			t.Fatalf("continued: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenFolder(t *testing.T) {
	there := t.TempDir()
	missing := filepath.Join(there, "a", "b")
	for _, test := range []struct {
		path  string
		start Start
		want  string
	}{
		{missing, Continue, "nothing to continue"},
		{missing, ForceClean, ""},
		{missing, Fresh, "exists: finish it with --continue-run"},
		{missing, Continue, ""},
		{there, ForceClean, "does not delete it, since a is none of a sweep's"},
	} {
		if err := OpenFolder(test.path, test.start); (err == nil) != (test.want == "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %d: %v, want %q", test.path, test.start, err, test.want)
		}
	}
	o, list := swept(t, "")
	opened(t, missing, o, list).Close()
	if _, err := Programs(missing, &operations.Operation{Name: "abs"}); err != nil {
		t.Fatal(err)
	}
	if err := OpenFolder(missing, ForceClean); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(missing); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
	file := filepath.Join(there, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := OpenFolder(file, ForceClean); err == nil {
		t.Error("a file is taken for a folder")
	}
}

func TestSources(t *testing.T) {
	ns := 100.0
	counted := &invocations.Record{Status: invocations.OK, RecordedTimes: invocations.RecordedTimes{MedianNS: &ns},
		RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{ns}}}
	counted.Counters = map[string]float64{"cycles": 250}
	counted.CyclesLow, counted.CyclesHigh = pointer(249.0), pointer(251.0)
	threads := *counted
	counted.QuietShare = pointer(1.0)
	wide := *counted // a cycle is longer than one of the sweep's clock
	wide.OwnClock, wide.ReferenceNS = pointer(0.93), pointer(134.0)
	scalar := wide
	scalar.OwnClock = pointer(1.0)
	crashed := measured(ns)
	crashed.Status = invocations.Mismatch
	for _, test := range []struct {
		record *invocations.Record
		ghz    float64
		want   string
		cycles string
	}{
		{counted, 1, "counted", "250"}, {&threads, 2, "median_ns at 2 GHz", "200"},
		{measured(ns), 1.5, "reference_ns at 1.5 GHz", "300"}, {crashed, 9, notKnown, notKnown},
		{nil, 9, notKnown, notKnown},
		{&wide, 2, "reference_ns at 2 GHz", "268"}, {&scalar, 2, "counted", "250"},
	} {
		o := outcome{record: test.record, ghz: test.ghz}
		if cycles, source := o.cycles(); source != test.want || whole(cycles) != test.cycles {
			t.Errorf("%v from %q, want %s from %q", cycles, source, test.cycles, test.want)
		}
	}
}

// A sweep that is continued keeps the clock of its rows, whatever clock the machine is said to have now.
func TestContinueWithAnotherClock(t *testing.T) {
	programs, out := t.TempDir(), t.TempDir()
	o, list := swept(t, "")
	r := opened(t, out, o, list)
	add(t, r, programs, 3) // the first two are not applied
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	other := cpu
	other.ClockGHz = 4
	r, err := OpenResults(out, o, list, other)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	add(t, r, programs, len(list))
	data := string(read(t, filepath.Join(out, o.Name, summaryFile)))
	if strings.Count(data, "at 1.5 GHz") < 2 || strings.Contains(data, "at 4 GHz") {
		t.Error(data)
	}
}

func TestConfigFile(t *testing.T) {
	folder := t.TempDir()
	o := &operations.Operation{Type: operations.Unary, Name: "x", ConfigFile: "own.yaml"}
	if _, _, err := Configurations(o, folder); err == nil || !strings.Contains(err.Error(), "own.yaml") {
		t.Errorf("no file: %v", err)
	}
	text := "- {output_mb_r: 3, math_fidelity: HiFi4}\n- {output_mb_r: 5, math_fidelity: 2}\n"
	if err := os.WriteFile(filepath.Join(folder, "own.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	list, space, err := Configurations(o, folder)
	if err != nil || space != nil || len(list) != 2 || list[1].Int("output_mb_r") != 5 ||
		list[1].Text("math_fidelity") != "HiFi2" {
		t.Errorf("%v, %v", list, err)
	}
}

package compare

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
)

const (
	journalText = `{"kind":"header","version":1,"zonemark":"devel","started":"2026-11-22T12:25:24Z","environment":{"cpu":"A"}}
{"kind":"result","id":"1","name":"f","runtime":"hat","artifact":"x.hat","function":"f","params":{"N":"4","M":"2"},` +
		`"status":"ok","verdict":["clean"],"mode":"warm","median_ns":100,"ci_low_ns":98,"ci_high_ns":102,` +
		`"samples_ns":[99,100,101],"launch_medians_ns":[99,101],"launch_reference_ns":[90,91],"reference_ns":90.5,` +
		`"reference_ci_low_ns":90,"reference_ci_high_ns":91,"counters":{"instructions":42},"exact":["instructions"]}
{"kind":"result","id":"2","name":"g","runtime":"hat","artifact":"x.hat","function":"g","status":"crashed","mode":"warm"}
{"kind":"end","results":2,"by_status":{"ok":1,"crashed":1}}
`
	gbenchText = `{"context": {"date": "x"}, "benchmarks": [
{"name": "f/8", "run_name": "f/8", "run_type": "iteration", "real_time": 1.5, "time_unit": "us"},
{"name": "f/8", "run_name": "f/8", "run_type": "iteration", "real_time": 1.6, "time_unit": "us"},
{"name": "f/8_mean", "run_name": "f/8", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 9, "time_unit": "us"},
{"name": "g", "run_type": "iteration", "error_occurred": true, "real_time": 0, "time_unit": "us"}]}`
	hyperfineText = `{"results": [{"command": "sleep {n}", "mean": 0.2, "times": [0.1, 0.3], "parameters": {"n": "1"}}]}`
	benchfmtText  = "goos: linux\nBenchmarkF-2   \t 100\t 1500 ns/op\nBenchmarkF-2 100 1600 ns/op\t8 B/op\n"
	hatText       = "function_name,mean,median_of_means,mean_of_small_means,robust_mean,min_of_means\nf,1,0.5,1,1,1\nf,1,0.6,1,1,1\n"
	sweepText     = "Test-ID,op,M,total-runtime,input0-bw\n0,exp,1,2000,1.5\n1,exp,2,N/A,\n"
)

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		name   string
		times  []float64
		others int // further measurements
	}{
		"journal":          {journalText, "f", []float64{99, 101}, 1},
		"Google Benchmark": {gbenchText, "f/8", []float64{1500, 1600}, 1},
		"hyperfine":        {hyperfineText, "sleep {n}", []float64{1e8, 3e8}, 0},
		"benchfmt":         {benchfmtText, "F-2", []float64{1500, 1600}, 0},
		"hatlib":           {hatText, "f", []float64{5e8, 6e8}, 0},
		"sweep":            {sweepText, "op=exp M=1", []float64{2000}, 1},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := Read(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m := s.Measurements[0]
		same := len(m.Time.Launches) == len(c.times)
		for i := range c.times {
			same = same && m.Time.Launches[i] > 0.9999*c.times[i] && m.Time.Launches[i] < 1.0001*c.times[i]
		}
		if m.Name != c.name || !same || len(s.Measurements) != 1+c.others || s.Source != path {
			t.Errorf("%s: %+v", name, s)
		}
		for _, other := range s.Measurements[1:] {
			if other.Status == invocations.OK {
				t.Errorf("%s: %+v ended ok", name, other)
			}
		}
	}
}

func TestReadJournal(t *testing.T) {
	s, err := readJournal(strings.NewReader(journalText), "x")
	if err != nil {
		t.Fatal(err)
	}
	m := s.Measurements[0]
	if m.Parameters != "M=2 N=4" || m.Instructions != 42 || m.Time.Half != 0.02 || len(m.Reference.Launches) != 2 ||
		len(s.Notes) != 0 {
		t.Errorf("%+v, notes %q", m, s.Notes)
	}
	s, err = readJournal(strings.NewReader(journalText[:strings.Index(journalText, `{"kind":"end"`)]), "x")
	if err != nil || len(s.Notes) != 1 {
		t.Errorf("a journal without its end: %v, notes %q", err, s.Notes)
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"empty":    {"\n", "the file is empty"},
		"prose":    {"hello\n", "not a format that can be compared"},
		"garbled":  {journalText[:130] + "\x00\n" + journalText, "line "},
		"no times": {"a,b\n1,2\n", "line 1: no column of times (median_ns"},
		"a word":   {"op,median_ns\nf,fast\n", "line 2, column median_ns"},
		"negative": {"op,median_ns\nf,-1\n", "line 2, column median_ns: op=f: the time -1 is not a positive number"},
		"short":    {"op,x,median_ns\nf,1\n", "line 2: 2 cells, the header has 3"},
		"unit":     {strings.ReplaceAll(gbenchText, `"us"`, `"days"`), `unknown time_unit "days"`},
		"torn":     {gbenchText[:200], "unexpected EOF"},
		"zero":     {strings.ReplaceAll(gbenchText, "1.5", "0"), "f/8: the time 0 is not a positive number"},
	} {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if s, err := Read(path); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %+v; want %q with the path", name, err, s, c.want)
		}
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "a folder") {
		t.Error(err)
	}
	if _, err := Read(filepath.Join(dir, "missing")); err == nil {
		t.Error("a missing file can be read")
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{journalText, gbenchText, gbenchNaN, gbenchTwo, hyperfineText, benchfmtText, goFailedText,
		goFailedVerbose, hatText, sweepText} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read := reader(data[:min(len(data), sniffed)])
		if read == nil {
			return
		}
		s, err := read(bytes.NewReader(data), "file")
		if err != nil {
			return
		}
		for _, r := range Compare(s, s, Options{}) {
			if r.Verdict == Slower || r.Verdict == Faster || r.Verdict == Broken {
				t.Errorf("a file differs from itself: %+v", r)
			}
		}
	})
}

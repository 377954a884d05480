package hatcsv

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/stats"
)

func TestHATMeans(t *testing.T) {
	tests := []struct {
		batches []float64
		want    means
	}{
		// [0:-1] of one is empty
		{[]float64{7}, means{mean: 7, medianOfMeans: 7, meanOfSmallMeans: 7, minOfMeans: 7}},
		{[]float64{4, 2}, means{3, 4, 2, 2, true, 2, 2}},
		{[]float64{100, 1, 2, 3, 4}, means{22, 3, 1.5, 3, true, 1, 1902.5}},
		{[]float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, means{5.5, 6, 3, 5.5, true, 1, 82.5 / 9}},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, means{4, 4, 2, 3.5, true, 1, 28.0 / 6}}, // [1:-2]
	}
	for _, test := range tests {
		got := newMeans(test.batches)
		if math.Abs(got.variance-test.want.variance) < 1e-9 {
			got.variance = test.want.variance
		}
		if got != test.want {
			t.Errorf("%v: %+v, want %+v", test.batches, got, test.want)
		}
	}
}

// example returns the records of a function that was measured and of one that crashed.
func example() *invocations.Records {
	timed := invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.TooShort},
		Calling: invocations.Calling{Mode: invocations.Warm},
		Batches: invocations.Batches{SamplesNS: []float64{2643.2, 2670, 2721.5, 2690.1, 2655.4}},
	}
	timed.Summary = stats.Summarize(timed.SamplesNS, nil)
	return invocations.RecordsOf(
		invocations.NewRecord(invocations.Invocation{
			Function: "gemm_vector", Parameters: map[string]string{"N": "64", "M": "8"},
			Arguments: []invocations.Argument{{Name: "A", Element: invocations.Float32, Shape: []int64{8, 64}}},
		}, timed),
		invocations.NewRecord(invocations.Invocation{
			Function: "broken", Measure: invocations.Measure{Mode: invocations.Warm},
		}, invocations.Result{Status: invocations.Crashed, Error: "SIGSEGV"}),
	)
}

func appendExample(t *testing.T, path string, milliseconds bool) [][]string {
	t.Helper()
	if err := CheckAppendable(path); err != nil {
		t.Fatal(err)
	}
	if err := Append(path, example(), milliseconds); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return rows
}

func TestHATCSVNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	rows := appendExample(t, path, false)
	header := "function_name,mean,median_of_means,mean_of_small_means,robust_mean,min_of_means," +
		"variance,n,ci_low,ci_high,status,verdict,mode,arguments"
	if got := strings.Join(rows[0], ","); got != header {
		t.Errorf("header %s, want %s", got, header)
	}
	r := recordstest.At(t, example(), 0)
	if min, _ := strconv.ParseFloat(rows[1][5], 64); math.Abs(min/(*r.MinNS*1e-9)-1) > 1e-12 {
		t.Errorf("min_of_means %s, want %v seconds", rows[1][5], *r.MinNS*1e-9)
	}
	if diff := cmp.Diff([]string{"ok", "too-short", "warm", "A:float32[8x64] M=8 N=64"}, rows[1][10:]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"broken", "", "", "", "", "", "", "", "", "", "crashed", "", "warm", ""},
		rows[2]); diff != "" {
		t.Error(diff)
	}
	again := appendExample(t, path, true)
	if len(again) != 5 || again[3][0] != rows[1][0] {
		t.Fatalf("appended: %v", again)
	}
	seconds, _ := strconv.ParseFloat(again[1][1], 64)
	milliseconds, _ := strconv.ParseFloat(again[3][1], 64)
	if math.Abs(milliseconds/seconds-1000) > 1e-6 {
		t.Errorf("mean %v s, %v ms", seconds, milliseconds)
	}
	variance, _ := strconv.ParseFloat(again[1][6], 64)
	varianceMS, _ := strconv.ParseFloat(again[3][6], 64)
	if math.Abs(varianceMS/variance/1e6-1) > 1e-6 {
		t.Errorf("variance %v s², %v ms²", variance, varianceMS)
	}
}

func TestHATCSVExisting(t *testing.T) {
	const old = "function_name,mean,median_of_means,mean_of_small_means,robust_mean,min_of_means"
	for name, content := range map[string]string{"LF": old + "\nf,1,1,1,-1,1\n", "CRLF": old + "\r\nf,1,1,1,-1,1\r\n",
		"no end": old + "\nf,1,1,1,-1,1", "header only": old} {
		path := filepath.Join(t.TempDir(), "results.csv")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, row := range appendExample(t, path, false) {
			if len(row) != 6 {
				t.Errorf("%s: row of %d columns: %v", name, len(row), row)
			}
		}
		b, _ := os.ReadFile(path)
		if !strings.HasPrefix(string(b), content) {
			t.Errorf("%s: what was there is changed: %q", name, b)
		}
		if lf, crlf := strings.Count(string(b), "\n"), strings.Count(string(b), "\r\n"); name == "CRLF" && lf != crlf ||
			name != "CRLF" && crlf > 0 {
			t.Errorf("%s: line ends are mixed: %q", name, b)
		}
	}
}

func TestHATCSVRefuses(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.csv")
	if err := os.WriteFile(foreign, []byte("name,seconds\na,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	records := example()
	for path, want := range map[string]string{foreign: "not the header",
		filepath.Join(dir, "missing", "r.csv"): "no such file", dir: "directory"} {
		for what, err := range map[string]error{"check": CheckAppendable(path),
			"append": Append(path, records, false)} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s %s: %v, want %s", what, path, err, want)
			}
		}
	}
	if b, _ := os.ReadFile(foreign); string(b) != "name,seconds\na,1\n" {
		t.Errorf("the foreign file was changed: %q", b)
	}
	fresh := filepath.Join(dir, "fresh.csv")
	if err := CheckAppendable(fresh); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("the check leaves an empty file behind")
	}
}

// FuzzHATHeader appends to any file. A refused file must not change, and an accepted one must keep its contents and
// grow.
func FuzzHATHeader(f *testing.F) {
	f.Add([]byte("function_name,mean,median_of_means,mean_of_small_means,robust_mean,min_of_means\n"))
	f.Add([]byte("\ufefffunction_name,mean,median_of_means,mean_of_small_means,robust_mean,min_of_means\r\nf,1"))
	f.Add([]byte("name,seconds"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "r.csv")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		refused := Append(path, example(), false)
		after, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(after), string(content)) {
			t.Fatalf("%q became %q, %v", content, after, err)
		}
		if (refused != nil) != (len(after) == len(content)) {
			t.Fatalf("error %v, grown by %d bytes", refused, len(after)-len(content))
		}
	})
}

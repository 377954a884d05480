package compare

import (
	"fmt"
	"strings"
	"testing"

	"zonemark/invocations"
)

const (
	// what Google Benchmark 1.7 writes of a counter that is 0/0, and of its coefficient of variation
	gbenchNaN = `{"context": {"mhz_per_cpu": 2600}, "benchmarks": [
{"name": "f \" NaN", "run_type": "iteration", "real_time": 1.5, "time_unit": "ns", "hit_rate": NaN, "low": -Infinity},
{"name": "g", "run_type": "iteration", "real_time": -NaN, "time_unit": "ns", "hit_rate": Infinity},
{"name": "f_cv", "run_type": "aggregate", "aggregate_name": "cv", "real_time": NaN, "time_unit": "ns"}]}`
	gbenchTwo = `{"context": {"num_cpus": 2}, "benchmarks": [{"name": "f", "real_time": 1, "time_unit": "ns"}]}
{"context": {"num_cpus": 4}, "benchmarks": [{"name": "f", "real_time": 2, "time_unit": "ns"},
{"name": "g", "real_time": 3, "time_unit": "ns"}]}
{"context": {}, "benchmarks": [{"name": "h_median", "run_name": "h", "run_type": "aggregate", "aggregate_name": "median",
"real_time": 4, "time_unit": "ns"}]}
`
	// go test -bench with a benchmark that fails, without and with -v
	goFailedText = "BenchmarkX-8   \t       5\t1264 ns/op\nBenchmarkY-8   \t--- FAIL: BenchmarkY-8\n    y_test.go:3: boom\n" +
		"BenchmarkZ-8   \t       5\t1264 ns/op\nFAIL\n"
	goFailedVerbose = "goos: linux\nBenchmarkX\nBenchmarkX-8   \t       5\t1264 ns/op\nBenchmarkY\n    y_test.go:3: boom\n" +
		"--- FAIL: BenchmarkY-8\nFAIL\n"
)

// TestOneBadItem reads files in which one item cannot be read. The others count, and what is left out is said.
func TestOneBadItem(t *testing.T) {
	for name, c := range map[string]struct{ text, want, note string }{
		"NaN":          {gbenchNaN, `f " NaN [1.5], g failed`, "g: the time NaN is not a positive number; this one is left out"},
		"documents":    {gbenchTwo, "f [1 2], g [3], h [4]", "its documents are of several machines: CPUs: 2 before, 4 now"},
		"torn":         {gbenchTwo[:150], "f [1]", "document 2 cannot be read: "},
		"type":         {strings.Replace(gbenchTwo, `"real_time": 2`, `"real_time": [2]`, 1), "f failed [1], g [3], h [4]", "f: json: "},
		"Go":           {goFailedText, "X-8 [1264], Y-8 failed, Z-8 [1264]", "line 2: Y-8 has no result: it failed"},
		"Go, verbose":  {goFailedVerbose, "X-8 [1264], Y-8 failed", ""},
		"Go, damaged":  {strings.Replace(goFailedText, "5\t1264", "5\t12x64", 1), "Y-8 failed, Z-8 [1264]", "line 1: "},
		"hyperfine":    {`{"results": [{"command": "a", "times": [1, null]}, {"command": "b", "times": [2]}]}`, "a failed [1e+09], b [2e+09]", "a: the time NaN"},
		"CSV, a word":  {"op,median_ns\nf,fast\ng,2\n", "op=f failed, op=g [2]", `line 2, column median_ns: op=f: "fast" is no number`},
		"CSV, short":   {"op,x,median_ns\nf,1\ng,1,2\n", "op=g x=1 [2]", "line 2: 2 cells, the header has 3"},
		"CSV, a quote": {"op,median_ns\na\"b,1\ng,2\n", "op=g [2]", `bare "`},
	} {
		s, err := reading(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var words []string
		for _, m := range s.Measurements {
			word := m.Name
			if m.Status != invocations.OK {
				word += " " + string(m.Status)
			}
			for i := range m.Time.Launches { // of seconds, to a nanosecond
				m.Time.Launches[i] = float64(int64(m.Time.Launches[i]*1000+0.5)) / 1000
			}
			if len(m.Time.Launches) > 0 {
				word += fmt.Sprint(" ", m.Time.Launches)
			}
			words = append(words, word)
		}
		if got := strings.Join(words, ", "); got != c.want || !strings.Contains(strings.Join(s.Notes, "\n"), c.note) {
			t.Errorf("%s: %s, want %s; notes %q, want %q", name, got, c.want, s.Notes, c.note)
		}
	}
}

// TestManyBadItems: a file of bad items fills no page.
func TestManyBadItems(t *testing.T) {
	s, err := reading(t, "op,median_ns\ng,2\n"+strings.Repeat("f,fast\n", 1000))
	if err != nil || len(s.Notes) != shownSpoiled+1 || s.Notes[shownSpoiled] != "995 more items could not be read" {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestPlacesInJSON: numbers that JSON has not leave places in the text as they are.
func TestPlacesInJSON(t *testing.T) {
	text := gbenchNaN[:len(gbenchNaN)-2] + "?"
	want := fmt.Sprintf("byte %d:", len(text)-1)
	if _, err := reading(t, text); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

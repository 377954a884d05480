package compare

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// reading writes a file and reads it.
func reading(t *testing.T, text string) (*Set, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Read(path)
}

// TestVersions reads journals as versions before this one wrote them: with rounds in one process, with launches, and
// with lines that results share. Each agrees with itself as far as it has intervals.
func TestVersions(t *testing.T) {
	paths, err := filepath.Glob("testdata/versions/*.ndjson")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	want := map[string][]Verdict{
		"rounds.ndjson":   {Undecided, Skipped}, // one process: a single time
		"launches.ndjson": {Same},
		"shared.ndjson":   {Same},
	}
	for _, path := range paths {
		s, err := Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []Verdict
		for _, r := range Compare(s, s, Options{}) {
			got = append(got, r.Verdict)
		}
		if name := filepath.Base(path); len(s.Notes) > 0 || !slices.Equal(got, want[name]) {
			t.Errorf("%s: %v, want %v; notes %q", name, got, want[name], s.Notes)
		}
		delete(want, filepath.Base(path))
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestMarkedText reads text as editors and spreadsheets of Windows write it.
func TestMarkedText(t *testing.T) {
	for name, text := range map[string]string{"journal": journalText, "Google Benchmark": gbenchText,
		"hyperfine": hyperfineText, "benchfmt": benchfmtText, "hatlib": hatText} {
		text = "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")
		if s, err := reading(t, text); err != nil || len(s.Measurements) == 0 {
			t.Errorf("%s with a mark of its order and ends of lines of Windows: %v", name, err)
		}
		var wide []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			wide = append(wide, byte(unit), byte(unit>>8))
		}
		if _, err := reading(t, string(wide)); err == nil || !strings.Contains(err.Error(), "convert UTF-16") {
			t.Errorf("%s in UTF-16: %v", name, err)
		}
	}
}

// TestNotPositive compares rows with times that no ratio can be made of.
func TestNotPositive(t *testing.T) {
	for _, value := range []string{"0", "-3"} {
		text := strings.NewReplacer(`"launch_medians_ns":[99,101]`, `"launch_medians_ns":[99,`+value+`]`,
			`"launch_reference_ns":[90,91]`, `"launch_reference_ns":[`+value+`,91]`).Replace(journalText)
		bad, err := reading(t, text)
		if err != nil {
			t.Fatal(err)
		}
		good, err := reading(t, journalText)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range [][]Row{Compare(good, bad, Options{}), Compare(bad, good, Options{}),
			Compare(bad, bad, Options{})} {
			r := rows[0]
			if r.Verdict != Undecided || r.By != "" || len(r.Notes) != 1 ||
				!strings.Contains(r.Notes[0], "run has a time of "+map[string]string{"0": "0", "-3": "-3.000"}[value]+" ns") {
				t.Errorf("%+v", r)
			}
		}
		series := History([]*Set{good, bad, good}, Options{})
		if len(series) != 1 || len(series[0].Points) != 2 {
			t.Errorf("history: %+v", series)
		}
	}
}

// TestUsualClocks: a machine whose usual clock was learned anew has not changed its programs.
func TestUsualClocks(t *testing.T) {
	at := func(cpu string, ghz float64) *Set {
		m := Measurement{Name: "f", Status: "ok", ReferenceGHz: ghz, OwnClock: 1}
		for _, cycles := range []float64{1000, 1001, 1002, 999, 1000, 998} {
			m.Reference.Launches = append(m.Reference.Launches, cycles/ghz)
		}
		return &Set{Environment: map[string]string{"cpu": cpu}, Measurements: []Measurement{m}}
	}
	old, fresh := at("A", 3.5), at("A", 3)
	if r := Compare(old, fresh, Options{})[0]; r.Verdict != Same || math.Abs(r.NewValue/r.OldValue-1) > 1e-9 {
		t.Errorf("one machine: %+v", r)
	}
	if got := Differences(old, fresh); len(got) != 1 || !strings.HasSuffix(got[0], "all given at 3.5 GHz") {
		t.Errorf("%q", got)
	}
	s := History([]*Set{old, fresh}, Options{})
	if len(s) != 1 || math.Abs(s[0].Points[0].Value/s[0].Points[1].Value-1) > 1e-9 {
		t.Errorf("history: %+v", s)
	}
	other := at("B", 3)
	if r := Compare(old, other, Options{})[0]; r.Verdict != Slower {
		t.Errorf("another machine: %+v", r)
	}
	if got := strings.Join(Differences(old, other), "\n"); !strings.HasPrefix(got, "the machines differ") ||
		!strings.Contains(got, "those of either") {
		t.Errorf("%q", got)
	}
}

func TestDifferences(t *testing.T) {
	set := func(version string, pairs ...string) *Set {
		s := &Set{Source: "file", Version: version, Environment: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			s.Environment[pairs[i]] = pairs[i+1]
		}
		return s
	}
	for _, c := range []struct {
		before, after *Set
		want          string
	}{
		{set("v1", "cpu_features", "sse avx"), set("v1", "cpu_features", "avx sse"), ""},
		{set("v1", "cpu_features", "sse avx"), set("v1", "cpu_features", "sse avx512f amx"),
			"processor features: avx only before, avx512f amx only now"},
		{set("v1", "cpu_features", "a"), set("v1", "cpu_features", "a b c d e f g h i"),
			"b c d e f g and 2 more only now"},
		{set("v1", "max_frequency_khz", "3000000"), set("v1", "max_frequency_khz", "2000000"), "highest frequency in kHz"},
		{set("v1", "no_turbo", "0"), set("v1", "no_turbo", "1"), "turbo off: 0 before, 1 now"},
		{set("v1", "mhz_per_cpu", "2596.1"), set("v1", "mhz_per_cpu", "2600"), ""},
		{set("v1", "mhz_per_cpu", "2596"), set("v1", "mhz_per_cpu", "3500"), "frequency in MHz: 2596 before, 3500 now"},
		{set("v1", "cpu", "A"), set("v1", "arch", "arm64"), ""}, // formats tell more or less
		{set("v1", "cpu", "A"), set("v2", "cpu", "A"), "different versions of zonemark: v1 before, v2 now"},
		{set("v1", "cpu", "A"), set("", "cpu", "A"), ""},
		{set("v1", "cpu", "A"), set("v1"), "file does not tell on which machine"},
	} {
		got := strings.Join(Differences(c.before, c.after), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestContinued: a run that was continued on another machine says so.
func TestContinued(t *testing.T) {
	lines := strings.SplitAfter(journalText, "\n")
	resumed := strings.Replace(strings.Replace(lines[0], "header", "resume", 1), `"cpu":"A"`, `"cpu":"B"`, 1)
	s, err := reading(t, strings.Join(slices.Insert(lines, 2, resumed), ""))
	if err != nil || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "processor: A before, B now") {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestOtherMachines: formats of other tools tell the machine, too.
func TestOtherMachines(t *testing.T) {
	for _, c := range []struct{ text, old, fresh, want string }{
		{gbenchText, `{"date": "x"}`, `{"host_name": "H", "num_cpus": 4, "mhz_per_cpu": 3000,
			"caches": [{"type": "Data", "level": 1, "size": 32768}, {"type": "Instruction", "level": 1, "size": 1}]}`,
			"num_cpus 4"},
		{benchfmtText, "goos: linux\n", "goos: linux\ncpu: Z\n", "cpu Z"},
	} {
		s, err := reading(t, strings.Replace(c.text, c.old, c.fresh, 1))
		if err != nil {
			t.Fatal(err)
		}
		other := &Set{Environment: map[string]string{"cpu": "X", "cpus": "2", "caches": "L1 48K", "host": "I"}}
		got := strings.Join(Machines(other, s), "; ")
		for _, want := range map[string][]string{
			"num_cpus 4": {"CPUs: 2 before, 4 now", "caches: L1 48K before, L1 32K now", "host: I before, H now"},
			"cpu Z":      {"processor: X before, Z now"},
		}[c.want] {
			if !strings.Contains(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/journal/journaltest"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/stats"

	"github.com/google/go-cmp/cmp"
)

// trivial returns the result of a launch of a function with one argument, and a single batch.
func trivial(i int) invocations.Record {
	inv := journaltest.Invocation(i)
	ns, cpu := 1.95354831+float64(i)/1e6, 3.41116132
	at := func(v float64) stats.Interval { return stats.Interval{Value: v, Low: 0.997 * v, High: 1.003 * v} }
	return invocations.NewRecord(inv, invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.NotConverged},
		Calling: invocations.Calling{Mode: invocations.Warm, Stop: invocations.StopLaunches, Iterations: 30318,
			CallsPerBatch: 30318, Sets: 1, SetBytes: 64, WarmupCalls: 314991, Clock: "tsc", OverheadNS: 1.38538749},
		Merged: 1,
		Batches: invocations.Batches{SamplesNS: []float64{ns}, CPUSamplesNS: []float64{cpu}, MergedSamples: []int{1},
			Counters: []invocations.Count{{Name: "page_faults", Exact: true}, {Name: "context_switches", Exact: true}}},
		Discarded: invocations.Discarded{Warmup: 10},
		Summary:   stats.Summarize([]float64{ns}, []float64{cpu}),
		Canary:    invocations.Canary{Batches: 1, Quiet: 1, GHz: 3.42629293},
		OfDriver: invocations.OfDriver{Spread: &invocations.Spread{
			Launches: 1, Numbers: []int{0}, MediansNS: []float64{ns},
			ReferenceMedians: []float64{0.98 * ns}, Time: at(ns), Reference: at(0.98 * ns), ReferenceGHz: 3.5}},
		Layers: []string{"user", "mount", "net", "ipc", "rlimit", "no-new-privs", "landlock", "seccomp"},
	})
}

// written returns the lines of a journal with these results, without the header and the end.
func written(t *testing.T, records ...invocations.Record) (lines [][]byte, back []invocations.Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j.ndjson")
	j, err := Create(path, testHeader(), false)
	if err != nil {
		t.Fatal(err)
	}
	j.long = true
	for _, r := range records {
		err = errors.Join(err, j.Append(r))
	}
	if err := errors.Join(err, j.Close(true)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := bytes.Split(bytes.TrimSpace(text), []byte{'\n'})
	return all[1 : len(all)-1], recordstest.List(t, c.Records)
}

// TestShortLines: the line of a trivial function is short, what results have in common stands once, and nothing is lost.
func TestShortLines(t *testing.T) {
	var records []invocations.Record
	for i := range 100 {
		records = append(records, trivial(i))
	}
	checkShort(t, records)
}

// disturbed returns the result of a launch whose batches were all interrupted, or took place on a shared core.
func disturbed(i, batches int) invocations.Record {
	inv := journaltest.Invocation(i)
	var ns, cpu []float64
	for n := range batches {
		ns, cpu = append(ns, 4.21065873+float64((n*7)%5)/3.7), append(cpu, 4.1985529+float64((n*5)%7)/7.3)
	}
	median := stats.Median(ns)
	at := func(v float64) stats.Interval { return stats.Interval{Value: v, Low: 0.817 * v, High: 1.183 * v} }
	c := invocations.Canary{Batches: int64(batches) + 1, Core: 1, Interrupted: int64(batches), GHz: 3.52418201}
	return invocations.NewRecord(inv, invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Contended, invocations.NotConverged},
		Notes: []string{"every batch was interrupted by other work; the times include the interruptions", c.Disturbance()},
		Calling: invocations.Calling{Mode: invocations.Warm, Stop: invocations.StopLaunches,
			Iterations: 30682 * int64(batches), CallsPerBatch: 30682, Sets: 1, SetBytes: 64, WarmupCalls: 42129,
			Clock: "tsc", OverheadNS: 1.21880618}, Merged: 1,
		OfDriver: invocations.OfDriver{SpentNS: 2977000, Spread: &invocations.Spread{
			Launches: 1, Numbers: []int{0}, MediansNS: []float64{median}, WithinNS: 0.562137244,
			ReferenceMedians: []float64{1.02 * median}, Time: at(median), Reference: at(1.02 * median), ReferenceGHz: 3.5}},
		Batches: invocations.Batches{SamplesNS: ns, CPUSamplesNS: cpu, MergedSamples: []int{batches},
			Counters: []invocations.Count{{Name: "page_faults", Exact: true},
				{Name: "context_switches", PerCall: 0.0000760489321}}},
		Discarded: invocations.Discarded{Warmup: 1}, Summary: stats.Summarize(ns, cpu),
		Canary: c,
		Layers: []string{"user", "mount", "net", "ipc", "rlimit", "no-new-privs", "landlock", "seccomp"},
	})
}

// TestShortDisturbedLines: disturbances, which make notes and several samples, leave lines short, too.
func TestShortDisturbedLines(t *testing.T) {
	var records []invocations.Record
	for i := range 100 {
		r := disturbed(i, 1+i%4)
		r.Place = &i
		records = append(records, r)
	}
	checkShort(t, records)
}

// TestUnlikeNotes: notes and numbers that other versions may have written are not lost.
func TestUnlikeNotes(t *testing.T) {
	var records []invocations.Record
	for i := range 200 {
		r, number := disturbed(i, 3), int64(i)
		switch i % 8 {
		case 0:
			r.Notes = nil
		case 1:
			r.Notes = append([]string{fmt.Sprint("a note of result ", i)}, r.Notes...)
		case 2:
			r.Notes = append(r.Notes, "a note behind the others")
		case 3:
			r.QuietShare, r.Iterations = nil, nil
		case 4:
			r.Verdicts = nil
		case 5:
			r.Disturbed, r.ProbedBatches = nil, &number
		case 6:
			r.Counters, r.Exact, r.Stop = nil, nil, ""
		case 7:
			r.Discarded, r.Iterations, r.Function = &number, &number, fmt.Sprint(i)
		}
		records = append(records, r)
	}
	_, back := written(t, records...)
	if diff := cmp.Diff(records, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUnlikeResults: results that have little in common are not lost either, and take no line each.
func TestUnlikeResults(t *testing.T) {
	var records []invocations.Record
	for i := range 1000 {
		r := trivial(i)
		r.Arguments = []invocations.ArgumentRecord{{Element: invocations.Float32, Shape: []int64{int64(i)}}}
		switch zero := 0.0; i % 7 {
		case 1:
			r.Artifact = fmt.Sprint(i)
		case 2:
			r.MinNS, r.MergedSamples = nil, nil // as an earlier version may have left them out
		case 3:
			r.MADNS, r.P90NS, r.LaunchMediansNS = &zero, &zero, []float64{1}
		case 4:
			r = testRecord(i)
		case 5:
			r.Launches, r.LaunchMediansNS, r.LaunchReference, r.MergedSamples = nil, nil, nil, nil
		case 6:
			r.SamplesNS, r.CPUSamplesNS = append(r.SamplesNS, 3), append(r.CPUSamplesNS, 4)
		}
		r.ID = fmt.Sprintf("%016x", i+1)
		records = append(records, r)
	}
	lines, back := written(t, records...)
	if diff := cmp.Diff(records, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if more := len(lines) - len(records); more > mostCommons {
		t.Errorf("%d lines with what is in common, want at most %d", more, mostCommons)
	}
}

func TestUnknownCommon(t *testing.T) {
	for _, lines := range []string{
		`{"kind":"result","id":"a","status":"ok","common":2}`, `{"kind":"common","common":0}`, `{"kind":"common"}`,
	} {
		in := "{\"kind\":\"header\",\"version\":1}\n{\"kind\":\"common\",\"common\":1}\n" + lines + "\n"
		if c, err := Read(strings.NewReader(in)); err != nil || c.Torn == nil {
			t.Errorf("%s as the last line: %v, not torn", lines, err)
		}
		_, err := Read(strings.NewReader(in + "{\"kind\":\"end\"}\n"))
		if err == nil || !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%s: %v", lines, err)
		}
	}
}

// checkShort checks that each of a hundred results has a short line, beside one line of what they have in common, and
// that nothing is lost.
func checkShort(t *testing.T, records []invocations.Record) {
	t.Helper()
	lines, back := written(t, records...)
	if len(lines) != 101 {
		t.Errorf("%d lines of 100 results", len(lines))
	}
	for _, line := range lines {
		if len(line) > 700 {
			t.Errorf("%d bytes, want at most 700: %s", len(line), line)
		}
	}
	if diff := cmp.Diff(records, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

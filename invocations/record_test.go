package invocations

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations/stats"

	"github.com/google/go-cmp/cmp"
)

func recordExamples() map[string]Record {
	inv := Invocation{
		ID: "00000000000000aa", Name: "gemm/n=4", Group: "gemm", Runtime: "hat", Function: "gemm_1",
		Artifact:   Artifact{Path: "/p/a.hat", SHA256: "beef"},
		Parameters: map[string]string{"M": "4"},
		Arguments: []Argument{
			{Name: "A", Element: Float32, Shape: []int64{4, 4}, Strides: []int64{4, 1}, Usage: Input,
				Contents: Contents{Fill: FillRandom, Seed: 3}},
			{Name: "n", Element: Int64, Usage: Input, ByValue: true, Contents: Contents{Fill: FillConstant,
				Value: "4"}},
		},
		Measure: Measure{Mode: Warm},
	}
	samples, cpu := []float64{0, 2, 4}, []float64{3, 5, 7}
	timed := Result{
		Status: OK, Verdicts: []Verdict{Clean}, Calling: Calling{Mode: Cold, Stop: "precision", Iterations: 30,
			CallsPerBatch: 10, Sets: 2, SetBytes: 128, Clock: "tsc", OverheadNS: 2.5}, Merged: 2,
		OfArguments: OfArguments{Fresh: Fresh{Restored: true}}, Batches: Batches{SamplesNS: samples, CPUSamplesNS: cpu},
		Summary:   stats.Summarize(samples, cpu),
		Discarded: Discarded{Disturbed: 1}, Layers: []string{"seccomp"}, SimulatedCycles: 5124,
		SimulatedCores: []SimulatedCore{{
			Chip: 1, Column: 2, Row: 3, Core: "BRISC", Program: "add", Begin: 0, End: 5124,
			Zones: []SimulatedZone{{Name: "wait", Begin: 3, End: 100}},
		}},
		Work:    Work{FLOP: 20, Bytes: 30},
		Hexagon: &HexagonCounts{Packets: 300, Instructions: 700},
		Profile: Profile{GapNS: 1,
			Dispatches: []Dispatch{{Name: "d0", Count: 30, MedianNS: 2, MinNS: 0, TotalNS: 60, SourceFile: "a.mlir",
				SourceLine: 7, Allocations: 1.5, PeakBytes: 4096, StackBytes: 128}}},
	}
	notFinite := timed
	notFinite.SamplesNS, notFinite.OverheadNS, notFinite.CPUSamplesNS = []float64{0, math.NaN(), math.Inf(1)},
		math.Inf(-1), nil
	notFinite.Summary, notFinite.Dispatches, notFinite.Notes = stats.Summarize(notFinite.SamplesNS, nil), nil,
		[]string{"a note"}
	crash := Crash{Signal: "SIGSEGV", Phase: "measure", Stderr: []string{"boom"}}
	withRounds := NewRecord(inv, timed)
	withRounds.MergedSamples = []int{1, 2}
	ofCommand := Invocation{ID: "00000000000000cc", Name: "sleep 0.1", Runtime: "command", Function: CommandFunction,
		Artifact: Artifact{Path: "/bin/sleep"}, Command: []string{"sleep", "0.1"}}
	ofModel := Invocation{ID: "00000000000000dd", Name: "bert:tiny", Runtime: "iree", Function: "main",
		Artifact: Artifact{Path: "/exports/device.mlir"}, Model: "bert:tiny layers=1"}
	return map[string]Record{
		"model": NewRecord(ofModel, Result{Status: Mismatch, Calling: Calling{Mode: Warm},
			Error: "result 0 differs"}),
		"command": NewRecord(ofCommand, Result{Status: OK, Calling: Calling{Mode: Warm},
			Properties: map[string]string{"user_ns": "1"}}),
		"timed":   withRounds,
		"checked": NewRecord(inv, Result{Status: OK, Calling: Calling{Mode: Warm, Stop: "check"}}),
		"all-discarded": NewRecord(inv, Result{Status: OK, Calling: Calling{Mode: Warm}, Verdicts: []Verdict{Contended},
			Discarded: Discarded{Disturbed: 9}}),
		"crashed":    NewRecord(inv, Result{Status: Crashed, Error: "killed by SIGSEGV", Crash: &crash}),
		"exited":     NewRecord(inv, Result{Status: Crashed, Crash: &Crash{ExitCode: 0}}),
		"not-finite": NewRecord(inv, notFinite),
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

// TestRecordGolden pins the keys of the journal, on which users' scripts rely.
func TestRecordGolden(t *testing.T) {
	for name, r := range recordExamples() {
		got, err := json.MarshalIndent(r, "", "\t")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join("testdata", "record", name+".json")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, append(got, '\n'), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		var back Record
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Errorf("%s does not survive its JSON (-want +got):\n%s", name, diff)
		}
	}
}

func TestRecordRounds(t *testing.T) {
	r := Record{RecordedBatches: RecordedBatches{SamplesNS: []float64{1, 2, 3, 9}, MergedSamples: []int{3, 0, 1}}}
	want := [][]float64{{1, 2, 3}, {}, {9}}
	if diff := cmp.Diff(want, r.MergedNS()); diff != "" {
		t.Errorf("rounds (-want +got):\n%s", diff)
	}
	if m := r.MergedMediansNS(); len(m) != 3 || m[0] != 2 || !math.IsNaN(m[1]) || m[2] != 9 {
		t.Errorf("medians %v, want 2, NaN, 9", m)
	}
	for _, counts := range [][]int{nil, {3}, {5}, {-1, 5}, {4, 1}} {
		r.MergedSamples = counts
		if got := r.MergedNS(); got != nil {
			t.Errorf("counts %v of 4 samples: rounds %v, want none", counts, got)
		}
	}
}

func TestRecordSummary(t *testing.T) {
	samples, cpu := []float64{0, 2, 4}, []float64{3}
	want := stats.Summarize(samples, cpu)
	r := NewRecord(Invocation{}, Result{Status: OK, Batches: Batches{SamplesNS: samples, CPUSamplesNS: cpu},
		Summary: want})
	if diff := cmp.Diff(want, r.Summary()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	crashed := NewRecord(Invocation{}, Result{Status: Crashed})
	if crashed.Timed() || crashed.Summary() != (stats.Summary{}) {
		t.Errorf("a crashed invocation has a time: %+v", crashed.Summary())
	}
}

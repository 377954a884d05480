package iree

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor/iree/halprofile"
	"zonemark/invocations"
)

// run returns a dispatch of function f with 4 workgroups between two times.
func run(f uint32, startNS, endNS int64) dispatchRun {
	return dispatchRun{
		function:   halprofile.FunctionKey{Executable: 1, Ordinal: f},
		workgroups: [3]uint32{4, 1, 1},
		startNS:    startNS,
		endNS:      endNS,
	}
}

func functionName(k halprofile.FunctionKey) string { return fmt.Sprintf("f%d", k.Ordinal) }

// conserved checks that dispatches, gaps and host time sum to the call's time.
func conserved(t *testing.T, p invocations.Profile, busyNS float64) {
	t.Helper()
	if sum := busyNS + p.GapNS + p.HostNS; math.Abs(sum-p.CallNS) > 1e-6*p.CallNS {
		t.Errorf("%g dispatches + %g gaps + %g host = %g, and a call takes %g",
			busyNS, p.GapNS, p.HostNS, sum, p.CallNS)
	}
}

func TestTally(t *testing.T) {
	var tally dispatchTally
	for i := range int64(5) {
		tally.add(float64(100+2*i), []dispatchRun{run(0, 1000, 1030+i), run(1, 1040+i, 1060+i), run(0, 1060+i, 1065+i)})
	}
	tally.add(500, []dispatchRun{run(2, 0, 400)})
	p := tally.profile(functionName, 0)
	conserved(t, p, 32+20+5)
	if len(p.Dispatches) != 3 || p.CallNS != 104 || p.GapNS != 10 || p.Partial {
		t.Fatalf("%+v", p)
	}
	d := p.Dispatches[0]
	if d.Name != "f0" || d.Ordinal != 0 || d.Count != 5 || d.MedianNS != 32 || d.MinNS != 30 || d.TotalNS != 160 ||
		d.Workgroups != 4 || d.Threads != 0 {
		t.Errorf("%+v", d)
	}
	if d := p.Dispatches[2]; d.Name != "f0" || d.Ordinal != 2 || d.MedianNS != 5 {
		t.Errorf("the same function again: %+v", d)
	}
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "1 of 6 calls") {
		t.Errorf("notes %q", p.Notes)
	}
	var unlike dispatchTally
	for _, c := range [][2]int64{{10, 90}, {50, 50}, {20, 90}, {90, 20}, {90, 10}} { // first dispatch and second
		unlike.add(200, []dispatchRun{run(0, 0, c[0]), run(1, c[0], c[0]+c[1])})
	}
	p = unlike.profile(functionName, 0)
	if len(p.Notes) != 0 {
		t.Errorf("the parts sum to the call: %q", p.Notes)
	}
	unlike.add(1000, []dispatchRun{run(0, 0, 95), run(1, 95, 190)})
	unlike.add(1000, []dispatchRun{run(0, 0, 95), run(1, 95, 190)})
	if p = unlike.profile(functionName, 0); len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "not alike") {
		t.Errorf("%+v", p)
	}
}

func TestTallyOverlap(t *testing.T) {
	var tally dispatchTally
	for range 3 {
		a, b := run(0, 0, 60), run(1, 20, 80)
		a.tileNS, b.tileNS = 170, 61
		tally.add(100, []dispatchRun{a, b, run(2, 90, 95)})
	}
	p := tally.profile(functionName, 0)
	conserved(t, p, 85)
	if p.GapNS != 10 || p.HostNS != 5 || p.Dispatches[0].Threads != 3 || p.Dispatches[1].Threads != 1 ||
		len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "85 ns") {
		t.Errorf("%+v", p)
	}
}

func TestTallyPartial(t *testing.T) {
	var tally dispatchTally
	for range 3 {
		tally.add(10, []dispatchRun{run(0, 0, 5)})
	}
	if p := tally.profile(functionName, 7); !p.Partial ||
		!strings.Contains(strings.Join(p.Notes, " "), "lost 7 records") {
		t.Errorf("%+v", p)
	}
	tally.add(10, nil)
	if p := tally.profile(functionName, 0); !p.Partial ||
		!strings.Contains(strings.Join(p.Notes, " "), "1 of 4 calls have no records") {
		t.Errorf("%+v", p)
	}
	for i := range uint32(2 * maxSequences) {
		tally.add(10, []dispatchRun{run(10+i, 0, 5)})
	}
	if p := tally.profile(functionName, 0); len(tally.sequences) != maxSequences || p.Dispatches[0].Count != 3 {
		t.Errorf("%d sequences, %+v", len(tally.sequences), p.Dispatches)
	}
	var none dispatchTally
	if p := none.profile(functionName, 0); p.CallNS != 0 || len(p.Dispatches) != 0 {
		t.Errorf("%+v", p)
	}
	none.add(50, nil)
	if p := none.profile(functionName, 0); p.CallNS != 50 || p.HostNS != 0 || p.UnexplainedNS != 50 || p.Partial ||
		len(p.Notes) != 1 || p.Notes[0] != unlisted {
		t.Errorf("calls of which the profile lists nothing: %+v", p)
	}
}

func TestDispatchRuns(t *testing.T) {
	event := func(submission uint64, command uint32, start, end int64) halprofile.Event {
		return halprofile.Event{
			Kind:       halprofile.Dispatch,
			Submission: submission,
			Command:    command,
			StartNS:    start,
			EndNS:      end,
			TileNS:     end - start,
		}
	}
	runs := dispatchRuns([]halprofile.Event{
		event(2, 0, 50, 60), // out of order
		event(1, 4, 30, 40),
		event(1, 2, 12, 20), event(1, 2, 10, 15), // two parts of one dispatch
		{Kind: halprofile.Alloca, Submission: 1},
		event(3, halprofile.NoCommand, 70, 80), event(3, halprofile.NoCommand, 80, 90), // two separate dispatches
	})
	want := [][3]int64{{10, 20, 13}, {30, 40, 10}, {50, 60, 10}, {70, 80, 10}, {80, 90, 10}}
	if len(runs) != len(want) {
		t.Fatalf("%+v", runs)
	}
	for i, w := range want {
		if r := runs[i]; [3]int64{r.startNS, r.endNS, r.tileNS} != w {
			t.Errorf("dispatch %d is %+v, want %v", i, r, w)
		}
	}
}

func TestPeriod(t *testing.T) {
	for _, c := range []struct {
		functions string
		want      int
	}{{"a", 1}, {"aaaa", 1}, {"abcabcabc", 3}, {"abab", 2}, {"aabaab", 3}, {"abcd", 4}, {"abcab", 5}, {"aab", 3}} {
		var runs []dispatchRun
		for _, f := range c.functions {
			runs = append(runs, run(uint32(f), 0, 1))
		}
		if got := period(runs); got != c.want {
			t.Errorf("%s: %d, want %d", c.functions, got, c.want)
		}
	}
}

func TestReadProfile(t *testing.T) {
	for _, name := range []string{"mlp_local-sync", "mlp_local-task"} {
		p, err := ReadProfile(filepath.Join("halprofile", "testdata", name+".ireeprof"))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Dispatches) != 3 || p.Partial {
			t.Fatalf("%s: %+v", name, p)
		}
		for i, d := range p.Dispatches {
			groups := []int{16, 16, 8}[i]
			if d.Ordinal != i || d.Count != 20 || d.Workgroups != groups ||
				!strings.HasPrefix(d.Name, fmt.Sprintf("mlp_dispatch_%d_", i)) || d.MinNS > d.MedianNS ||
				d.MinNS <= 0 || d.Threads < 1 {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
	if _, err := ReadProfile("profile_test.go"); err == nil || !strings.Contains(err.Error(), "profile_test.go") {
		t.Errorf("not a profile: %v", err)
	}
}

package tally

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
func run(f uint32, StartNS, endNS int64) Run {
	return Run{
		function:   halprofile.FunctionKey{Executable: 1, Ordinal: f},
		workgroups: [3]uint32{4, 1, 1},
		StartNS:    StartNS,
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
	var tally Tally
	for i := range int64(5) {
		tally.Add(float64(100+2*i), []Run{run(0, 1000, 1030+i), run(1, 1040+i, 1060+i), run(0, 1060+i, 1065+i)})
	}
	tally.Add(500, []Run{run(2, 0, 400)})
	p := tally.Profile(functionName, 0)
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
	var unlike Tally
	for _, c := range [][2]int64{{10, 90}, {50, 50}, {20, 90}, {90, 20}, {90, 10}} { // first dispatch and second
		unlike.Add(200, []Run{run(0, 0, c[0]), run(1, c[0], c[0]+c[1])})
	}
	p = unlike.Profile(functionName, 0)
	if len(p.Notes) != 0 {
		t.Errorf("the parts sum to the call: %q", p.Notes)
	}
	unlike.Add(1000, []Run{run(0, 0, 95), run(1, 95, 190)})
	unlike.Add(1000, []Run{run(0, 0, 95), run(1, 95, 190)})
	if p = unlike.Profile(functionName, 0); len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "not alike") {
		t.Errorf("%+v", p)
	}
}

func TestTallyOverlap(t *testing.T) {
	var tally Tally
	for range 3 {
		a, b := run(0, 0, 60), run(1, 20, 80)
		a.tileNS, b.tileNS = 170, 61
		tally.Add(100, []Run{a, b, run(2, 90, 95)})
	}
	p := tally.Profile(functionName, 0)
	conserved(t, p, 85)
	if p.GapNS != 10 || p.HostNS != 5 || p.Dispatches[0].Threads != 3 || p.Dispatches[1].Threads != 1 ||
		len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "85 ns") {
		t.Errorf("%+v", p)
	}
}

func TestTallyPartial(t *testing.T) {
	var tally Tally
	for range 3 {
		tally.Add(10, []Run{run(0, 0, 5)})
	}
	if p := tally.Profile(functionName, 7); !p.Partial ||
		!strings.Contains(strings.Join(p.Notes, " "), "lost 7 records") {
		t.Errorf("%+v", p)
	}
	tally.Add(10, nil)
	if p := tally.Profile(functionName, 0); !p.Partial ||
		!strings.Contains(strings.Join(p.Notes, " "), "1 of 4 calls have no records") {
		t.Errorf("%+v", p)
	}
	for i := range uint32(2 * maxSequences) {
		tally.Add(10, []Run{run(10+i, 0, 5)})
	}
	if p := tally.Profile(functionName, 0); len(tally.sequences) != maxSequences || p.Dispatches[0].Count != 3 {
		t.Errorf("%d sequences, %+v", len(tally.sequences), p.Dispatches)
	}
	var none Tally
	if p := none.Profile(functionName, 0); p.CallNS != 0 || len(p.Dispatches) != 0 {
		t.Errorf("%+v", p)
	}
	none.Add(50, nil)
	if p := none.Profile(functionName, 0); p.CallNS != 50 || p.HostNS != 0 || p.UnexplainedNS != 50 || p.Partial ||
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
	runs := Runs([]halprofile.Event{
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
		if r := runs[i]; [3]int64{r.StartNS, r.endNS, r.tileNS} != w {
			t.Errorf("dispatch %d is %+v, want %v", i, r, w)
		}
	}
}

func TestPeriod(t *testing.T) {
	for _, c := range []struct {
		functions string
		want      int
	}{{"a", 1}, {"aaaa", 1}, {"abcabcabc", 3}, {"abab", 2}, {"aabaab", 3}, {"abcd", 4}, {"abcab", 5}, {"aab", 3}} {
		var runs []Run
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
		p, err := Read(filepath.Join("..", "halprofile", "testdata", name+".ireeprof"))
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
	if _, err := Read("tally_test.go"); err == nil || !strings.Contains(err.Error(), "tally_test.go") {
		t.Errorf("not a profile: %v", err)
	}
}

// recordsAt returns the records of dispatches of function f that begin at these times and last 10 ns.
func recordsAt(startsNS ...int64) *halprofile.Records {
	r := &halprofile.Records{Functions: map[halprofile.FunctionKey]string{{Executable: 1}: "f"}}
	for _, at := range startsNS {
		r.Events = append(r.Events, halprofile.Event{
			Kind:       halprofile.Dispatch,
			Command:    halprofile.NoCommand,
			Function:   halprofile.FunctionKey{Executable: 1},
			Workgroups: [3]uint32{1, 1, 1},
			StartNS:    at,
			EndNS:      at + 10,
		})
	}
	return r
}

func TestCalls(t *testing.T) {
	// Three calls of two equal dispatches each, 100 and 120 ns apart.
	p, err := Calls(recordsAt(0, 15, 100, 115, 220, 235), 3)
	if err != nil || len(p.Dispatches) != 2 || p.Dispatches[1].Count != 2 || p.CallNS != 110 || p.GapNS != 5 ||
		p.HostNS != 85 {
		t.Errorf("%+v, error %v", p, err)
	}
	conserved(t, p, 20)
	lost := recordsAt(0, 15)
	lost.Dropped = 3
	nothing := recordsAt()
	nothing.Dropped = 2
	for want, records := range map[string]*halprofile.Records{
		"5 dispatches in 3 calls": recordsAt(0, 15, 100, 115, 220), "lost 3 records": lost,
		"lost all": nothing, "no dispatches": recordsAt(),
	} {
		if _, err := Calls(records, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d events: error %v, want %q in it", len(records.Events), err, want)
		}
	}
}

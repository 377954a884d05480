package executors

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/invocations/wire"
)

// The summary is that of the samples, whatever the executor says, and texts cannot control a terminal.
func TestBelieve(t *testing.T) {
	m := &wire.Execute{}
	r := credible()
	want := r.Summary
	r.Summary.MedianNS, r.Summary.CILowNS, r.Canary.GHz = 1, math.NaN(), math.Inf(1)
	r.Notes = append(slices.Repeat([]string{"a"}, 2*maxTexts), "b")
	r.Notes[0], r.Properties = "\x1b[2Jgone\xff\tkept\nline", map[string]string{"k\x07": "v\x1b"}
	r.Canary.Why = strings.Repeat("é", maxTextBytes)
	if err := believe(&r, m, seen{waited: time.Second}); err != nil {
		t.Fatal(err)
	}
	if r.Summary != want || r.Canary.GHz != 0 {
		t.Errorf("summary %+v, want %+v; %v GHz", r.Summary, want, r.Canary.GHz)
	}
	if r.Notes[0] != "\ufffd[2Jgone\ufffd\tkept\nline" || len(r.Notes) != maxTexts+1 ||
		!strings.Contains(r.Notes[maxTexts], "1001 more") {
		t.Errorf("%d notes, %q", len(r.Notes), r.Notes[0])
	}
	if len(r.Properties) != 1 || r.Properties["k\ufffd"] != "v\ufffd" {
		t.Errorf("%q", r.Properties)
	}
	if n := len(r.Canary.Why); n > maxTextBytes+20 {
		t.Errorf("a text has %d bytes", n)
	}
}

// The processes of a command may take more CPU time than the wall time, and nothing else may.
func TestBelieveParallelCommand(t *testing.T) {
	m := &wire.Execute{Invocation: invocations.Invocation{Measure: invocations.Measure{Mode: invocations.Warm}}}
	answer := func() *invocations.Result {
		return &invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Mode: invocations.Warm,
			Iterations: 1, CallsPerBatch: 1},
			Batches: invocations.Batches{SamplesNS: []float64{1e9}, CPUSamplesNS: []float64{7e9}}}
	}
	if err := believe(answer(), m, seen{waited: time.Second}); err == nil {
		t.Error("a function took seven seconds of CPU time in one second")
	}
	m.Command = []string{"make", "-j8"}
	if err := believe(answer(), m, seen{waited: time.Second}); err != nil {
		t.Error(err)
	}
	long := answer()
	long.SamplesNS[0] = 7e9
	if err := believe(long, m, seen{waited: time.Second}); err == nil {
		t.Error("a command took seven seconds in one second")
	}
}

// An executor that lets tools make the calls may tell that a tool has died. Another one may not.
func TestDeathOfTool(t *testing.T) {
	for _, tools := range []bool{true, false} {
		starter := &puppet{play: func(*wire.Execute) *invocations.Result {
			r := &invocations.Result{Status: invocations.Crashed, Error: "the tool died"}
			r.Crash = &invocations.Crash{Signal: "SIGSEGV", Stderr: []string{"last \x1b[31mwords"}}
			return r
		}}
		s := &Supervisor{Starter: starter, Build: "test", Tools: tools}
		m := &wire.Execute{Invocation: invocations.Invocation{Name: "f", ID: "1"}}
		r, err := s.Execute(t.Context(), m, "")
		told := r.Error == "the tool died" && r.Crash.Signal == "SIGSEGV"
		if err != nil || r.Status != invocations.Crashed || told != tools {
			t.Errorf("tools %t: %v, %+v, %+v", tools, err, r, r.Crash)
		}
		if tools && strings.Contains(r.Crash.Stderr[0], "\x1b") {
			t.Errorf("%q", r.Crash.Stderr)
		}
		s.Close()
	}
}

// Cycles of all threads are none of a core; an executor that counts them as such has none.
func TestBelieveCyclesOfThreads(t *testing.T) {
	m := &wire.Execute{Invocation: invocations.Invocation{Measure: invocations.Measure{Mode: invocations.Warm}}}
	for ghz, counted := range map[float64]bool{3: true, 28: false} {
		r := credible()
		r.Mode, r.CyclesCounted = invocations.Warm, true
		for i := range r.CyclesSamples {
			r.CyclesSamples[i] = ghz * r.SamplesNS[i]
		}
		if err := believe(&r, m, seen{waited: time.Second}); err != nil {
			t.Fatal(err)
		}
		if r.CyclesCounted != counted || (len(r.CyclesSamples) > 0) != counted {
			t.Errorf("%g GHz: counted %t, %d samples", ghz, r.CyclesCounted, len(r.CyclesSamples))
		}
	}
}

// An executor tells how many batches it has timed, also if it keeps the times of some only. More than fit into the time
// are not believed.
func TestBelieveBatchesThatAreNotKept(t *testing.T) {
	m := &wire.Execute{Invocation: invocations.Invocation{Measure: invocations.Measure{Mode: invocations.Warm}}}
	for times, believed := range map[int64]bool{1: true, 64: true, 1 << 20: false, -1: false} {
		r := credible()
		r.Mode, r.CallsPerBatch = invocations.Warm, 1000
		r.Iterations = times * r.CallsPerBatch * int64(len(r.SamplesNS))
		err := believe(&r, m, seen{waited: 3 * time.Second})
		if (err == nil) != believed {
			t.Errorf("%d times as many: %v", times, err)
		}
	}
}

// credible returns an answer that can be true, of a function of a microsecond.
func credible() invocations.Result {
	r := invocations.Result{Status: invocations.OK, Calling: invocations.Calling{CallsPerBatch: 5, OverheadNS: 1},
		Canary: invocations.Canary{GHz: 4}}
	for i := range 40 {
		ns := 1000 * (1 + 1e-5*float64(i-20))
		r.SamplesNS, r.CPUSamplesNS = append(r.SamplesNS, ns), append(r.CPUSamplesNS, ns+1)
		r.CyclesSamples = append(r.CyclesSamples, 4*ns)
	}
	r.Iterations = r.CallsPerBatch * int64(len(r.SamplesNS))
	r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	return r
}

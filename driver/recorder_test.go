package driver

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/journal"
	"zonemark/driver/machine"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// Notes of the plan, and of what executors lack, are in results.
func TestRecordedNotes(t *testing.T) {
	plan := numbered(2, 2)
	first := plan.At(0)
	first.Note, first.Lacks = "it is the oldest", "avx9"
	first.Invocation.Measure.CheckOnly = true
	plan.Set(0, first)
	second := plan.At(1)
	second.Note = "it is the newest"
	plan.Set(1, second)
	plan.Environment = map[string]string{"counters": "all"}
	p := &puppet{hello: wire.Hello{Environment: map[string]string{"counters": "none: forbidden"}},
		play: func(m *wire.Execute) *invocations.Result { r := fitting(m); return &r }}
	outcome, err := Execute(t.Context(), plan, Execution{Executor: p})
	if err != nil || outcome.Environment["counters"] != "none: forbidden" || plan.Environment["counters"] != "all" {
		t.Fatalf("environment %v, %v", outcome.Environment, err)
	}
	for i, want := range []string{
		"it is the oldest; ran although this CPU lacks what the artifact asks for: avx9",
		"it is the newest; counters: none: forbidden",
	} {
		if got := strings.Join(recordstest.At(t, outcome.Records, i).Notes, "; "); got != want {
			t.Errorf("notes %q, want %q", got, want)
		}
	}
}

// A run learns of the machine from its launches and results, and tells executors what earlier ones have learned.
func TestMachineIsLearned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	environment := map[string]string{"host": "a", "cpu": "x"}
	for _, elsewhere := range []bool{false, true} {
		var told []float64
		runs := 0
		play := func(m *wire.Execute) *invocations.Result {
			told = append(told, m.QuietPorts)
			r := combinetest.MadeUp(1000 + float64(runs))
			r.Number, r.CallsPerBatch, r.Iterations, r.Canary.Ports = m.Number, 5, 5*int64(len(r.SamplesNS)), 2
			return &r
		}
		for ; runs < 5; runs++ {
			plan := numbered(1, 5)
			e := Execution{Executor: &puppet{play: play}, Machines: path}
			if plan.Environment = environment; elsewhere {
				e.Hosts = hostsOf(newGhost("a", "x", play))
			}
			if _, err := Execute(t.Context(), plan, e); err != nil {
				t.Fatal(err)
			}
		}
		first := 0.0 // nothing is known
		if elsewhere {
			first = 2
		}
		if told[0] != first || slices.ContainsFunc(told[1:], func(ports float64) bool { return ports != 2 }) {
			t.Errorf("elsewhere %t: executors are told %v", elsewhere, told)
		}
		known, err := machine.Open(path, environment)
		if floors := known.Floors(numbered(1, 5).At(0).Invocation.ID); err != nil || known.ReferenceGHz() != 4 ||
			known.QuietPorts() != 2 || len(floors.Time.Earlier) == 0 {
			t.Errorf("elsewhere %t: %v GHz, %v ports, %+v, %v", elsewhere, known.ReferenceGHz(), known.QuietPorts(), floors, err)
		}
	}
}

// The result of an invocation that could not be read before takes the place of the failed one, which had another id.
func TestReplacedResult(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	plan := numbered(1, 1)
	unread := plan.At(0)
	unread.Verdict, unread.Reason, unread.Invocation.ID = invocations.Failed, "it does not build", "00000000000000ff"
	before := numbered(0, 1)
	before.Add(*unread)
	e := Execution{Executor: &puppet{play: quick}, Journal: JournalFile{Path: path}}
	if _, err := Execute(t.Context(), before, e); err != nil {
		t.Fatal(err)
	}
	var notes []string
	e.Journal.Resume, e.Note = true, func(format string, args ...any) { notes = append(notes, format) }
	if _, err := Execute(t.Context(), plan, e); err != nil {
		t.Fatal(err)
	}
	stored, err := journal.ReadFile(path)
	if err != nil || stored.Records.Len() != 1 || recordstest.At(t, stored.Records, 0).Replaces != "00000000000000ff" ||
		recordstest.At(t, stored.Records, 0).Status != invocations.OK || len(notes) != 1 {
		t.Errorf("%d results, notes %q, %v", stored.Records.Len(), notes, err)
	}
}

package driver

import (
	"fmt"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// groupPlan returns a plan of the variants of one group, in order, called once or measured in two launches.
func groupPlan(t *testing.T, measure invocations.Measure, functions ...string) *plan.Plan {
	t.Helper()
	whole, leader := &plan.Plan{}, ""
	for _, f := range functions {
		inv := invocations.Invocation{Name: f, Function: f, Group: "sum", Measure: measure}
		inv.Artifact.Path = "sums.hat"
		inv.Measure.CPU = -1
		if leader == "" {
			leader = f
		} else {
			inv.Verify.Reference = leader
		}
		follows := inv.Verify.Reference != ""
		inv.Seal()
		whole.Add(plan.Entry{Invocation: inv, Follows: follows})
	}
	return whole
}

// variants returns an executor of functions that crash, fail or work, by the first letter of their names.
func variants() *puppet {
	bad := func(function string) bool { return function != "" && strings.Contains("cfs", function[:1]) }
	return &puppet{
		phase: func(m *wire.Execute) string {
			if bad(m.Verify.Reference) && !m.Trusted {
				return "reference"
			}
			return "measure"
		},
		play: func(m *wire.Execute) *invocations.Result {
			r := fitting(m)
			called := m.Function
			if bad(m.Verify.Reference) && !m.Trusted {
				called = m.Verify.Reference
			}
			switch called[:1] {
			case "c":
				return nil
			case "f":
				return &invocations.Result{Status: invocations.Failed, Error: "out of patience"}
			case "s":
				return &invocations.Result{Status: invocations.Skipped, Error: "not on this machine"}
			}
			return &r
		},
	}
}

// fitting returns a result that answers m: of as many calls, and not longer than the driver waits.
func fitting(m *wire.Execute) invocations.Result {
	if m.Measure.CheckOnly {
		return invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Stop: invocations.StopCheck},
			Number: m.Number}
	}
	r := combinetest.MadeUp(1000)
	r.Number, r.CallsPerBatch = m.Number, 5
	if n := m.Measure.Iterations; n > 0 {
		r.CallsPerBatch = 1
		r.SamplesNS, r.CPUSamplesNS, r.CyclesSamples = r.SamplesNS[:n], r.CPUSamplesNS[:n], r.CyclesSamples[:n]
	}
	r.Iterations = r.CallsPerBatch * int64(len(r.SamplesNS))
	return r
}

// The status of a variant does not depend on the reference or on the order of measuring.
func TestReferenceDoesNotWork(t *testing.T) {
	t.Parallel()
	for _, functions := range [][]string{
		{"crashes", "works", "well"},
		{"crashes", "fails", "works", "well"},
		{"fails", "skips", "crashes", "works", "well"},
		{"works", "crashes", "well"},
		{"crashes", "fails"},
	} {
		for name, measure := range map[string]invocations.Measure{
			"called once": {CheckOnly: true}, "launches": {Launches: 2}, "fixed": {Iterations: 3, Launches: 2},
		} {
			for seed := range uint64(8) {
				plan := groupPlan(t, measure, functions...)
				outcome, err := Execute(t.Context(), plan, Execution{Executor: variants(), Seed: seed})
				if err != nil || outcome.Records.Len() != len(functions) {
					t.Fatalf("%v, %d records", err, outcome.Records.Len())
				}
				for i, r := range recordstest.All(t, outcome.Records) {
					where := fmt.Sprintf("%v, %s, seed %d: %s", functions, name, seed, r.Name)
					checkVariant(t, where, functions[0], r)
					if r.ID != plan.At(i).Invocation.ID {
						t.Errorf("%s: its id is %s now", where, r.ID)
					}
				}
			}
		}
	}
}

// checkVariant checks the status and the notes of one of the functions of variants, with the planned reference.
func checkVariant(t *testing.T, where, planned string, r *invocations.Record) {
	t.Helper()
	want := map[string]invocations.Status{
		"crashes": invocations.Crashed, "fails": invocations.Failed, "skips": invocations.Skipped,
		"works": invocations.OK, "well": invocations.OK,
	}[r.Function]
	if r.Status != want {
		t.Errorf("%s is %s (%s)", where, r.Status, r.Error)
	}
	if r.Crash != nil && r.Crash.Phase == "reference" {
		t.Errorf("%s crashed in its reference", where)
	}
	note := map[string]string{
		"works": "it is the reference of its group and was compared with nothing: ",
		"well":  "its outputs were compared with those of works: ",
	}[r.Function]
	if note != "" {
		note += planned + " does not work as the reference ("
	}
	switch notes := strings.Join(r.Notes, "\n"); {
	case note == "" || planned == "works":
		if strings.Contains(notes, "reference") {
			t.Errorf("%s: %s", where, notes)
		}
	case !strings.Contains(notes, note):
		t.Errorf("%s: %s, want %s", where, notes, note)
	}
}

// What is checked against another reference is called again in a fresh executor: the one that has failed has called it.
func TestReferenceRenews(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		plan := groupPlan(t, invocations.Measure{CheckOnly: true}, "fails", "works")
		outcome, err := Execute(t.Context(), plan, Execution{Executor: variants(), Seed: seed})
		if err != nil || outcome.Executors != 2 {
			t.Errorf("seed %d: %d executors, %v", seed, outcome.Executors, err)
		}
	}
}

// A reference of the user's choice is never replaced.
func TestChosenReferenceStays(t *testing.T) {
	t.Parallel()
	plan := groupPlan(t, invocations.Measure{CheckOnly: true}, "crashes", "works", "well")
	third := plan.At(2)
	third.Follows = false
	plan.Set(2, third)
	outcome, err := Execute(t.Context(), plan, Execution{Executor: variants()})
	if err != nil {
		t.Fatal(err)
	}
	if r := recordstest.At(t, outcome.Records, 2); r.Status != invocations.Crashed || r.Crash.Phase != "reference" {
		t.Errorf("%+v", r)
	}
	if r := recordstest.At(t, outcome.Records, 1); r.Status != invocations.OK {
		t.Errorf("%+v", r)
	}
}

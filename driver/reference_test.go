package driver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// groupPlan is a plan of the variants of one group, in order, called once or measured in two launches.
func groupPlan(t *testing.T, measure invocations.Measure, functions ...string) *Plan {
	t.Helper()
	plan := &Plan{}
	for _, f := range functions {
		inv := invocations.Invocation{Name: f, Function: f, Group: "sum", Measure: measure}
		inv.Artifact.Path = "sums.hat"
		inv.Measure.CPU = -1
		plan.List = append(plan.List, Planned{Invocation: inv})
	}
	if err := plan.seal(nil); err != nil {
		t.Fatal(err)
	}
	return plan
}

// variants is an executor of functions that crash, fail or work, by the first letter of their names.
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
			r := madeUp(1000)
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
			r.Round = m.Round
			return &r
		},
	}
}

// A variant's status is its own, whatever becomes of the reference and in whatever order the variants are measured.
func TestReferenceDoesNotWork(t *testing.T) {
	t.Parallel()
	plain := []string{"works", "well"}
	for _, functions := range [][]string{
		{"crashes", "works", "well"},
		{"crashes", "fails", "works", "well"},
		{"fails", "skips", "crashes", "works", "well"},
		{"works", "crashes", "well"},
		{"crashes", "fails"},
	} {
		for name, measure := range map[string]invocations.Measure{
			"called once": {CheckOnly: true}, "launches": {Launches: 2}, "rounds": {Iterations: 3, Rounds: 2},
		} {
			for seed := range uint64(8) {
				plan := groupPlan(t, measure, functions...)
				runner := Runner{Executor: variants(), Seed: seed}
				outcome, err := runner.Run(t.Context(), plan)
				if err != nil || len(outcome.Records) != len(functions) {
					t.Fatalf("%v, %d records", err, len(outcome.Records))
				}
				first := functions[slices.IndexFunc(functions, func(f string) bool { return f == "works" || f == "crashes" && len(functions) == 2 })]
				for i, r := range outcome.Records {
					where := fmt.Sprintf("%v, %s, seed %d: %s", functions, name, seed, r.Name)
					want := map[byte]invocations.Status{'c': invocations.Crashed, 'f': invocations.Failed, 's': invocations.Skipped, 'w': invocations.OK}[r.Function[0]]
					if r.Status != want || r.ID != plan.List[i].Invocation.ID {
						t.Errorf("%s is %s (%s), id %s", where, r.Status, r.Error, r.ID)
					}
					if r.Crash != nil && r.Crash.Phase == "reference" {
						t.Errorf("%s crashed in its reference", where)
					}
					notes := strings.Join(r.Notes, "\n")
					switch {
					case !slices.Contains(plain, r.Function) || functions[0] == "works":
						if strings.Contains(notes, "reference") {
							t.Errorf("%s: %s", where, notes)
						}
					case r.Function == first && !strings.Contains(notes, "it is the reference of its group and was compared with nothing: "+functions[0]+" does not work as the reference ("):
						t.Errorf("%s: %s", where, notes)
					case r.Function == "well" && !strings.Contains(notes, "its outputs were compared with those of works: "+functions[0]+" does not work as the reference ("):
						t.Errorf("%s: %s", where, notes)
					}
				}
			}
		}
	}
}

// What the user calls right is not replaced by something else.
func TestChosenReferenceStays(t *testing.T) {
	t.Parallel()
	plan := groupPlan(t, invocations.Measure{CheckOnly: true}, "crashes", "works", "well")
	plan.List[2].follows = false
	outcome, err := (&Runner{Executor: variants()}).Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if r := outcome.Records[2]; r.Status != invocations.Crashed || r.Crash.Phase != "reference" {
		t.Errorf("%+v", r)
	}
	if r := outcome.Records[1]; r.Status != invocations.OK {
		t.Errorf("%+v", r)
	}
}

package dispatches

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// What profilers need is built for the invocations that are profiled; without it, an invocation has no profile.
func TestPrepare(t *testing.T) {
	table := runtimes.Table{{
		Name: "abacus",
		Dispatches: &runtimes.Dispatches{
			ProfileBuild: func(a invocations.Artifact) (invocations.Artifact, bool) {
				needed := a.Path != "profiled"
				a.Path += "-profile"
				return a, needed
			},
		},
	}}
	whole := &plan.Plan{}
	for _, path := range []string{"good", "bad", "profiled", "unwanted"} {
		inv := invocations.Invocation{Name: path, Runtime: "abacus", Artifact: invocations.Artifact{Path: path}}
		if path != "unwanted" {
			inv.Measure.ProfileCalls = ProfiledCalls
		}
		whole.Add(plan.Entry{Invocation: inv})
	}
	var notes []string
	passes := &Passes{options: Options{Runtimes: table, Note: func(format string, args ...any) {
		notes = append(notes, fmt.Sprintf(format, args...))
	}}}
	passes.Prepare(whole, func(runtime string, list []invocations.Artifact) (paths []string, failures []error) {
		for _, a := range list {
			var err error
			if a.Path == "bad-profile" {
				err = errors.New("a bead is missing")
			}
			paths, failures = append(paths, "/cache/"+a.Path), append(failures, err)
		}
		return paths, failures
	})
	for i, want := range []struct {
		profiled string
		calls    int64
	}{{"/cache/good-profile", ProfiledCalls}, {"", 0}, {"", ProfiledCalls}, {"", 0}} {
		inv := whole.At(i).Invocation
		if inv.Artifact.Profiled != want.profiled || inv.Measure.ProfileCalls != want.calls {
			t.Errorf("%s: %q, %d calls; want %+v", inv.Name, inv.Artifact.Profiled, inv.Measure.ProfileCalls, want)
		}
	}
	if got := strings.Join(notes, "\n"); got != "bad: no times of dispatches: a bead is missing" {
		t.Errorf("notes: %s", got)
	}
}

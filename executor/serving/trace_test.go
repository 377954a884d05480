package serving

import (
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

func TestProfileAfterTheLastRound(t *testing.T) {
	var calls, closed int
	p := serve(t, goRuntime{calls: &calls, closed: &closed})
	inv := invocations.Invocation{
		ID:       "0123456789abcdef",
		Runtime:  "go",
		Function: "spin",
		Measure: invocations.Measure{
			Mode:          invocations.Warm,
			MinIterations: 5,
			MaxTimeNS:     1e7,
			CPU:           -1,
			ProfileCalls:  7,
		},
	}
	first := p.ask(&wire.Execute{Invocation: inv, Number: 0}).(*wire.Result)
	if first.Status != invocations.OK || len(first.Dispatches) > 0 {
		t.Fatalf("the first of two rounds: %+v", first)
	}
	r := p.ask(&wire.Execute{Invocation: inv, Number: 1, Last: true}).(*wire.Result)
	if len(r.Dispatches) != 1 || r.Dispatches[0].Count != 7 || r.HostNS != 1 || r.GapNS != 2 {
		t.Fatalf("the last round: %+v", r)
	}
	if r.CallNS != 40_000 || r.Profile.Source != invocations.ByProfiler {
		t.Errorf("a call of %v ns by %q", r.CallNS, r.Profile.Source)
	}
	partial := slices.Contains(r.Verdicts, invocations.PartialTrace) && !slices.Contains(r.Verdicts, invocations.Clean)
	if !slices.Contains(r.Notes, "profiled") || !partial {
		t.Errorf("notes %q, verdicts %v", r.Notes, r.Verdicts)
	}
	if want := []string{"prepare", "measure", "profile"}; !slices.Equal(p.phases, want) {
		t.Errorf("phases %q, want %q", p.phases, want)
	}
}

// TestTraceWithoutClient traces a program without a Tracy client: the invocation is skipped, not failed.
func TestTraceWithoutClient(t *testing.T) {
	var calls, closed int
	p := serve(t, goRuntime{calls: &calls, closed: &closed})
	inv := invocations.Invocation{
		ID:       "0123456789abcdef",
		Runtime:  "go",
		Function: "spin",
		Measure:  invocations.Measure{Mode: invocations.Warm, CPU: -1},
	}
	r := p.ask(&wire.Execute{Invocation: inv, Last: true, TraceCalls: 3}).(*wire.Result)
	if r.Status != invocations.Skipped || !strings.Contains(r.Error, "carries no Tracy client") || calls != 0 {
		t.Errorf("%+v after %d calls", r, calls)
	}
}

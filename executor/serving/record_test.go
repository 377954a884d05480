package serving

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// recordedRuntime has a tool that profiles; it cannot be loaded.
type recordedRuntime struct {
	executor.Runtime
	folder *string // of the last recording
}

func (recordedRuntime) Name() string { return "recorded" }

func (r recordedRuntime) Record(
	ctx context.Context, inv *invocations.Invocation, calls int64, folder string, tool executor.ToolStarter,
) (invocations.Profile, error) {
	*r.folder = folder
	if err := os.WriteFile(filepath.Join(folder, "input"), nil, 0o600); err != nil {
		return invocations.Profile{}, err
	}
	cmd, err := tool(ctx, folder, "/tool", inv.Function)
	if err != nil {
		return invocations.Profile{}, err
	}
	return invocations.Profile{
		Dispatches: []invocations.Dispatch{{Name: cmd.Args[1], Count: calls}},
		CallNS:     30,
		HostNS:     20,
		GapNS:      1,
		Notes:      []string{"by a tool"},
		Partial:    true,
	}, nil
}

func TestRecord(t *testing.T) {
	scratch, folder := t.TempDir(), ""
	inv := invocations.Invocation{
		ID:       "0123456789abcdef",
		Runtime:  "recorded",
		Function: "f",
		Measure:  invocations.Measure{CPU: -1},
	}
	tool := func(ctx context.Context, folder, path string, args ...string) (*executor.Tool, error) {
		if args[0] == "refused" {
			return nil, errors.New("no such tool")
		}
		return &executor.Tool{Cmd: exec.CommandContext(ctx, path, args...)}, nil
	}
	p := serveBy(t, &Server{
		Runtimes: []executor.Runtime{recordedRuntime{folder: &folder}, goRuntime{}},
		Tool:     tool,
		Scratch:  scratch,
	})
	r := p.ask(&wire.Execute{Invocation: inv, Last: true, TraceCalls: 9}).(*wire.Result)
	if r.Status != invocations.OK || r.Iterations != 9 || r.Profile.Source != invocations.ByProfiler {
		t.Errorf("%+v", r)
	}
	if r.CallNS != 30 || r.HostNS != 20 || r.GapNS != 1 {
		t.Errorf("%+v", r)
	}
	if len(r.Dispatches) != 1 || r.Dispatches[0].Name != "f" || r.Dispatches[0].Count != 9 {
		t.Errorf("%+v", r)
	}
	if !slices.Contains(r.Verdicts, invocations.PartialTrace) || !slices.Equal(r.Notes, []string{"by a tool"}) {
		t.Errorf("%+v", r)
	}
	if want := []string{"prepare", "profile"}; !slices.Equal(p.phases, want) {
		t.Errorf("phases %q, want %q", p.phases, want)
	}
	if filepath.Dir(folder) != scratch {
		t.Errorf("it was recorded in %s, not below %s", folder, scratch)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("what recording leaves: %v, error %v", left, err)
	}
	inv.Function = "refused"
	r = p.ask(&wire.Execute{Invocation: inv, TraceCalls: 9}).(*wire.Result)
	if r.Status != invocations.Failed || !strings.Contains(r.Error, "no such tool") {
		t.Errorf("a tool that is not there: %+v", r)
	}
	inv.Runtime = "go"
	r = p.ask(&wire.Execute{Invocation: inv, TraceCalls: 9}).(*wire.Result)
	if r.Status != invocations.Skipped || !strings.Contains(r.Error, "no tool that profiles") {
		t.Errorf("a runtime without tools: %+v", r)
	}
}

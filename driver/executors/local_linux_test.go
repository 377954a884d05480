package executors

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// usualThreads leaves threads as they are.
type usualThreads struct{}

func (usualThreads) Foreground()   {}
func (usualThreads) LoosenTimers() {}

// TestDescriptorsHaveRoom starts a child that tells how many descriptors its table holds.
func TestDescriptorsHaveRoom(t *testing.T) {
	local := NewLocal(usualThreads{}, func(Allowance) (*exec.Cmd, error) {
		return exec.Command("grep", "FDSize", "/proc/self/status"), nil
	})
	t.Cleanup(local.Close)
	p, err := local.Start(Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(p.Wait().Stderr, "\n") // and standard output
	size := 0
	if _, err := fmt.Sscanf(said, "FDSize: %d", &size); err != nil || size <= ProtocolFloor+1 {
		t.Errorf("the table of a child holds %d descriptors (%q, %v); the protocol's are %d and %d",
			size, said, err, ProtocolFloor, ProtocolFloor+1)
	}
}

// TestEndedByTheKernel: a process that is killed while the kernel ends one of its control group for memory has had too
// little; one that is killed otherwise, or ends otherwise, has not.
func TestEndedByTheKernel(t *testing.T) {
	for _, c := range []struct {
		script string
		kills  []int64 // of the group, before and after
		want   Limit
	}{
		{"kill -KILL $$", []int64{3, 4}, LimitKernel},
		{"kill -KILL $$", []int64{3, 3}, ""},
		{"kill -KILL $$", []int64{-1, -1}, ""},
		{"kill -TERM $$", []int64{3, 4}, ""},
		{"exit 3", []int64{3, 4}, ""},
	} {
		local := NewLocal(usualThreads{}, func(Allowance) (*exec.Cmd, error) {
			return exec.Command("sh", "-c", c.script), nil
		})
		local.kills = func() int64 {
			now := c.kills[0]
			c.kills = append(c.kills[1:], now)
			return now
		}
		p, err := local.Start(Allowance{})
		if err != nil {
			t.Fatal(err)
		}
		exit := p.Wait()
		local.Close()
		if exit.Exceeded.Limit != c.want {
			t.Errorf("%+v: %+v", c, exit)
		}
		r := deathResult(&child{exit: exit, phase: "measure"}, &wire.Execute{}, "", errEnded)
		if (r.Status == invocations.OutOfMemory) != (c.want != "") {
			t.Errorf("%+v: %s %s", c, r.Status, r.Error)
		}
	}
}

// TestExitNamesSignals: a signal that has no name is told by its number. It was told as exit(0).
func TestExitNamesSignals(t *testing.T) {
	for signal, want := range map[string]string{"10": "SIGUSR1", "37": "signal 37"} {
		cmd := exec.Command("sh", "-c", "kill -"+signal+" $$")
		_ = cmd.Run()
		if got := ExitOf(cmd.ProcessState); got.Signal != want || got.Code != 0 {
			t.Errorf("%s: %+v, want %s", signal, got, want)
		}
	}
}

package measure

import (
	"bytes"
	"fmt"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"

	"golang.org/x/sys/unix"
)

// Threads of Go's runtime have a policy with which they do not take the CPU of the thread that measures, and timers that
// do not interrupt it. That thread, the threads of native code, and commands keep the policy with which zonemark was
// started.
func TestPolicies(t *testing.T) {
	own, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if own.Policy != unix.SCHED_NORMAL {
		t.Skipf("the test itself has the policy %d", own.Policy)
	}
	lines := logFile(t)
	e2e.Function(t, "policies", "--sandbox=off", "--launches", "2", "--min-time", "4ms", "--max-time", "100ms")
	all := lines()
	for _, n := range all {
		if n[0] != unix.SCHED_NORMAL || n[1] != unix.SCHED_NORMAL || n[2] == 0 {
			t.Errorf("the measured thread has policy %d, a thread of native code %d, and %d threads %d", n[0], n[1],
				n[2], unix.SCHED_BATCH)
		}
		if n[3] == 0 {
			t.Error("no thread has late timers")
		}
	}
	if len(all) != 2 {
		t.Errorf("%d launches told", len(all))
	}
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	const line = `read -r line </proc/self/stat; set -- $line; echo policy ${41} slack $(cat /proc/$$/timerslack_ns) >&2
		exit 3` // proc_pid_stat(5)
	out, err := e2e.Command(t, "run", "--launches", "1", "-q", "--", "sh", "-c", line).CombinedOutput()
	if err == nil || !bytes.Contains(out, fmt.Appendf(nil, "policy %d slack %d\n", unix.SCHED_NORMAL, slack)) {
		t.Errorf("a command says: %s", out)
	}
}

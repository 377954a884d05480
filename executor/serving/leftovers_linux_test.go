package serving

import (
	"runtime"
	"strings"
	"testing"

	"zonemark/executor/platform"

	"golang.org/x/sys/unix"
)

// TestLeftovers changes the slack of a thread's timers while calls are prepared, and while they run.
func TestLeftovers(t *testing.T) {
	platform.ReadState() // opens what reading opens once
	slack := 60_000
	change := func() {
		slack += 1000
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack), 0, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func() {}
	slackOf := func(note string) bool { return strings.Contains(note, "slack") } // not what other tests do
	for _, c := range []struct {
		name               string
		inert              bool
		between, afterward func() // while the second call is prepared, and while it runs
		disturbed          bool   // the executor says that it does something between the calls
		noted              bool
	}{
		{"nothing, inert", true, nothing, nothing, false, false},
		{"nothing", false, nothing, nothing, false, false},
		{"the call, inert", true, nothing, change, false, true},
		{"the call", false, nothing, change, false, true},
		{"the set-up", false, change, nothing, false, false},
		{"the executor", true, change, nothing, true, false},
		// Only what earlier calls have left behind changes something there.
		{"between calls", true, change, nothing, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			runtime.LockOSThread() // and never unlocked, so that the thread ends with the test
			var l leftovers
			threads := platform.Threads(nil)
			l.begin(true)
			if note := l.end(threads); slackOf(note) {
				t.Fatalf("the first call: %s", note)
			}
			l.settled = true // whatever other tests do meanwhile
			if c.disturbed {
				l.disturb()
			}
			c.between()
			l.begin(c.inert)
			c.afterward()
			if note := l.end(threads); slackOf(note) != c.noted {
				t.Errorf("the second call: %q", note)
			}
		})
	}
}

package executor

import (
	"strings"

	"zonemark/executor/platform"
)

// leftovers compares the state of the process before and after the native calls of an invocation. What one leaves
// behind would change what is measured after it.
type leftovers struct {
	before platform.State
	begun  bool
	// spoiled is why the process must be replaced before the next invocation; empty if it need not be.
	spoiled string
}

// begin remembers the state. It is called when the artifact is loaded and its arguments are prepared, right before the
// first native call: what a runtime sets up for itself is not held against the invocation.
func (l *leftovers) begin() { l.before, l.begun = platform.ReadState(), true }

// end returns a note about what has changed since begin, empty if nothing has. Threads are those of the process before
// it loaded native code.
func (l *leftovers) end(threads map[int]int64) (note string) {
	if !l.begun {
		return ""
	}
	l.begun = false
	changed := l.before.Changes(platform.ReadState(), threads)
	l.before = platform.State{}
	if len(changed) == 0 {
		return ""
	}
	l.spoiled = "an invocation has changed the process: " + strings.Join(changed, ", ")
	return "it has changed the process that it ran in: " + strings.Join(changed, ", ")
}

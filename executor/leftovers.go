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
	// settled reports that before is the state after an invocation that has changed nothing, and that this executor has
	// done nothing since that may change it.
	settled bool
	// spoiled is why the process must be replaced before the next invocation; empty if it need not be.
	spoiled string
}

// begin remembers the state. It is called when the artifact is loaded and its arguments are prepared, right before the
// first native call: what a runtime sets up for itself is not held against the invocation. If preparing was inert, the
// state after the invocation before still holds.
func (l *leftovers) begin(inert bool) {
	if !inert || !l.settled {
		l.before = platform.ReadState()
	}
	l.begun, l.settled = true, false
}

// disturb says that this executor does something that may change the state, without reading it.
func (l *leftovers) disturb() { l.settled = false }

// end returns a note about what has changed since begin, empty if nothing has. Threads are those of the process before
// it loaded native code.
func (l *leftovers) end(threads map[int]int64) (note string) {
	if !l.begun {
		return ""
	}
	l.begun = false
	after := platform.ReadState()
	changed := l.before.Changes(after, threads)
	l.before = after
	if len(changed) == 0 {
		l.settled = true
		return ""
	}
	l.spoiled = "an invocation has changed the process: " + strings.Join(changed, ", ")
	return "it has changed the process that it ran in: " + strings.Join(changed, ", ")
}

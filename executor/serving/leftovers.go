package serving

import (
	"cmp"
	"slices"
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

// strangers are threads that calls of native code leave in the process, even if they sleep: they may wake up while
// another invocation is measured, which then gets a fresh process. Threads of runtimes do not count, which keep theirs
// from their first call on.
type strangers struct {
	known map[int]bool // threads that were there before the calls; nil if nobody looks
	by    string       // id of the invocation that has left some; empty: none has
}

// begin remembers the threads.
func (s *strangers) begin() { s.known = platform.ThreadNumbers() }

// end looks for threads that the calls of an invocation have left.
func (s *strangers) end(invocation string) {
	if s.new(platform.ThreadOfNative) {
		s.by = cmp.Or(s.by, invocation)
	}
	s.known = nil
}

// started reports whether the calls since begin have started threads, of which some were there a moment ago.
func (s *strangers) started() bool { return s.new(platform.ThreadOfNative, platform.ThreadGone) }

// new reports whether there are threads since begin with one of these origins. Threads of Go's do not end.
func (s *strangers) new(origins ...platform.ThreadOrigin) bool {
	if s.known == nil {
		return false
	}
	for id := range platform.ThreadNumbers() {
		if !s.known[id] && slices.Contains(origins, platform.OriginOf(id)) {
			return true
		}
	}
	return false
}

// disturb reports whether threads that another invocation has left are there.
func (s *strangers) disturb(invocation string) bool { return s.by != "" && s.by != invocation }

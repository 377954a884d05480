package command

import (
	"slices"
	"strings"

	"zonemark/invocations/foreign"
)

// left watches for processes that go on when the command that has started them has ended. They take time from what is
// measured after it.
type left struct {
	watched bool
	known   map[int]string // those of the lines that the user wants to run, such as a server that a setup starts
	told    bool
}

// expect takes the processes that are there now as wanted.
func (l *left) expect() {
	if l.watched {
		l.known = children()
	}
}

// note returns what a reader should know of the processes that calls have left behind; empty if there are none, or if it
// was said before.
func (l *left) note() string {
	if !l.watched {
		return ""
	}
	now := children()
	if l.told {
		return ""
	}
	var names []string
	for pid, name := range now {
		if _, wanted := l.known[pid]; !wanted {
			names = append(names, foreign.Line(name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	l.told = true
	slices.Sort(names)
	return "it leaves processes behind, which run on during later measurements: " +
		strings.Join(slices.Compact(names), ", ")
}

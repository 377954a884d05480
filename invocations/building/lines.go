package building

import (
	"slices"
	"strings"
	"sync"
)

// What Lines keeps.
const (
	keptLines   = 12
	longestLine = 2000 // bytes; the rest of a line is cut off
)

// Lines splits what a program writes into lines, tells each one, and keeps the last ones for an error. Its zero value
// keeps them only.
type Lines struct {
	Told func(line string) // may be nil

	mu      sync.Mutex
	last    []string
	partial []byte
}

// Write takes output.
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range p {
		if b == '\n' || b == '\r' {
			l.end()
		} else if len(l.partial) < longestLine {
			l.partial = append(l.partial, b)
		}
	}
	return len(p), nil
}

// Last takes an unfinished line for a whole one, and returns the last lines.
func (l *Lines) Last() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
	return slices.Clone(l.last)
}

func (l *Lines) end() {
	text := strings.ToValidUTF8(strings.TrimSpace(string(l.partial)), "?")
	l.partial = l.partial[:0]
	if text == "" {
		return
	}
	if l.Told != nil {
		l.Told(text)
	}
	if l.last = append(l.last, text); len(l.last) > keptLines {
		l.last = l.last[1:]
	}
}

package capture

import (
	"strings"
	"sync"
)

// outputKept bounds what is remembered of a tool's output at each end; progress lines are many.
const outputKept = 64 << 10

// toolOutput collects what a capture tool prints: the beginning, where failures of the handshake stand, and the end.
type toolOutput struct {
	mutex      sync.Mutex
	head, rest []byte
}

func (o *toolOutput) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	n := min(len(p), outputKept-len(o.head))
	o.head = append(o.head, p[:n]...)
	o.rest = append(o.rest, p[n:]...)
	if len(o.rest) > 2*outputKept {
		o.rest = append(o.rest[:0:0], o.rest[len(o.rest)-outputKept:]...)
	}
	return len(p), nil
}

// lines are the lines without terminal control; a carriage return ends one, as progress is redrawn with it.
func (o *toolOutput) lines() []string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	var lines []string
	for line := range strings.FieldsFuncSeq(string(o.head)+string(o.rest),
		func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(withoutEscapes(line)); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// withoutEscapes drops the control sequences of terminals, ECMA-48 "CSI".
func withoutEscapes(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return b.String()
		}
		s = after[end+1:]
	}
}

// failures are the lines in which a tool tells of a capture that is not whole. Tracy's tools exit 0 after them.
func (o *toolOutput) failures() []string {
	var found []string
	for _, line := range o.lines() {
		lower := strings.ToLower(line)
		for _, sign := range []string{"instrumentation failure", "memory limit", "dropped", "failed"} {
			if strings.Contains(lower, sign) {
				found = append(found, line)
				break
			}
		}
	}
	return found
}

// incompatibility is what a tool says of a client that speaks another protocol than it, empty when it says nothing of
// the kind.
func (o *toolOutput) incompatibility() string {
	for _, line := range o.lines() {
		lower := strings.ToLower(line)
		if strings.Contains(lower, "incompatible protocol") || strings.Contains(lower, "protocol mismatch") {
			return strings.TrimSuffix(line, ".")
		}
	}
	return ""
}

// onlyConnecting says whether the tool has announced that it connects, and nothing since: no client has come.
func (o *toolOutput) onlyConnecting() bool {
	lines := o.lines()
	return len(lines) == 1 && strings.HasPrefix(lines[0], "Connecting to ")
}

// tail is the last thing that the tool said.
func (o *toolOutput) tail() string {
	lines := o.lines()
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

package trace

import (
	"fmt"
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
	for line := range strings.FieldsFuncSeq(string(o.head)+string(o.rest), func(r rune) bool { return r == '\n' || r == '\r' }) {
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

// incompatibility is the error for two sides that speak different protocols, nil when the tool says nothing of the kind. Tracy's own message names no
// version, as the handshake carries none: what each side is can be told only from their files.
func (o *toolOutput) incompatibility(tool, output string) error {
	for _, line := range o.lines() {
		lower := strings.ToLower(line)
		if !strings.Contains(lower, "incompatible protocol") && !strings.Contains(lower, "protocol mismatch") {
			continue
		}
		said := strings.TrimSuffix(line, ".")
		return fmt.Errorf("tracy capture: %s and the client speak different protocols, so there is no %s; the tool says: %s. "+
			"Take the capture tool of the release that the client was built with: the wheel iree-base-runtime carries both", tool, output, said)
	}
	return nil
}

// tail is the last thing that the tool said.
func (o *toolOutput) tail() string {
	lines := o.lines()
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

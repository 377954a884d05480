package command

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"time"

	"zonemark/invocations/foreign"
)

const (
	keptBytes = 8 << 10 // of what was written last
	lastLines = 5       // that errors quote
	lastWait  = time.Second
)

// messages keeps the end of what processes write to standard error. One pipe serves all calls, so that none has to be
// made during a call.
type messages struct {
	read, write *os.File

	mu     sync.Mutex
	kept   []byte
	marks  int // that were read
	marked *sync.Cond
}

// mark is written behind the output of a process to learn when everything before it has been read.
var mark = []byte("\x00zonemark: end of a call\x00")

func newMessages() (*messages, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	m := &messages{read: read, write: write}
	m.marked = sync.NewCond(&m.mu)
	go m.collect()
	return m, nil
}

func (m *messages) close() {
	m.write.Close()
	m.read.Close()
}

// collect reads until the pipe is closed.
func (m *messages) collect() {
	buffer := make([]byte, 4<<10)
	for {
		n, err := m.read.Read(buffer)
		m.mu.Lock()
		m.add(buffer[:n])
		m.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (m *messages) add(text []byte) {
	m.kept = append(m.kept, text...)
	if i := bytes.Index(m.kept, mark); i >= 0 {
		m.kept = append(m.kept[:i], m.kept[i+len(mark):]...)
		m.marks++
		m.marked.Broadcast()
	}
	if len(m.kept) > 2*keptBytes {
		m.kept = append(m.kept[:0], m.kept[len(m.kept)-keptBytes:]...)
	}
}

// forget drops what was written so far.
func (m *messages) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readAll()
	m.kept = m.kept[:0]
}

// readAll waits until everything that was written so far has been read. It is called with the lock held.
func (m *messages) readAll() {
	late := false
	timer := time.AfterFunc(lastWait, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		late = true
		m.marked.Broadcast()
	})
	defer timer.Stop()
	want := m.marks + 1
	go func() { _, _ = m.write.Write(mark) }() // if it fails, the wait ends by itself
	for m.marks < want && !late {
		m.marked.Wait()
	}
}

// last returns the last lines that the processes have written, as one line; empty if they have written none.
func (m *messages) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readAll()
	var lines []string
	for line := range strings.Lines(string(m.kept)) {
		if line = strings.TrimSpace(foreign.Line(line)); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > lastLines {
		lines = lines[len(lines)-lastLines:]
	}
	return strings.Join(lines, "; ")
}

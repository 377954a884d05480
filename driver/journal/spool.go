package journal

import (
	"io"
	"sync"

	"zonemark/invocations/files"
)

// spoolBytes is how much a spool keeps in memory before it writes it to its file.
const spoolBytes = 1 << 20

// spool holds lines that can be read from no file that the user has named. The last ones are in memory, and what is
// before them is in a temporary file, which short runs do not need. If there can be no such file, or it cannot grow,
// all further lines stay in memory: nothing is lost that was measured.
type spool struct {
	mu      sync.RWMutex
	file    files.File // nil: not needed yet, or not possible
	written int64      // bytes in the file
	last    []byte     // behind these
	stays   bool       // what is in memory stays there
}

// Write appends lines. It does not fail.
func (s *spool) Write(lines []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = append(s.last, lines...)
	if len(s.last) >= spoolBytes && !s.stays {
		s.stays = !s.flush()
	}
	return len(lines), nil
}

// flush writes what is in memory to the file, and reports whether it is there.
func (s *spool) flush() bool {
	if s.file == nil {
		var err error
		if s.file, err = files.Temporary(); err != nil {
			return false
		}
	}
	if _, err := s.file.Write(s.last); err != nil {
		return false
	}
	s.written += int64(len(s.last))
	s.last = s.last[:0]
	return true
}

// end returns the number of bytes so far.
func (s *spool) end() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.written + int64(len(s.last))
}

// ReadAt reads a line that was written at an offset.
func (s *spool) ReadAt(line []byte, offset int64) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := 0
	if offset < s.written {
		part := line[:min(int64(len(line)), s.written-offset)]
		var err error
		if n, err = s.file.ReadAt(part, offset); err != nil && n < len(part) {
			return n, err
		}
	}
	if n < len(line) {
		behind := offset + int64(n) - s.written
		if behind >= int64(len(s.last)) {
			return n, io.EOF
		}
		n += copy(line[n:], s.last[behind:])
	}
	if n < len(line) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

// Close removes the temporary file.
func (s *spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = nil
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

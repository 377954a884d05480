// Package csvtext has what the readers of foreign tables share: lines of bounded length that can be given back, rows of
// cells, and numbers as they stand in cells. It knows no table.
package csvtext

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	maxLine   = 16 << 20 // bytes of one line
	MaxRecord = 1 << 20  // bytes that a field may go on over further lines
)

// Lines reads lines, and takes some back.
type Lines struct {
	r       *bufio.Reader
	Number  int // of the line read last, from 1
	crlf    bool
	pending []string // to be read again, the next one last
}

// NewLines returns the lines of r.
func NewLines(r io.Reader) *Lines { return &Lines{r: bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next line without its end.
func (l *Lines) Next() (string, error) {
	if n := len(l.pending); n > 0 {
		line := l.pending[n-1]
		l.pending = l.pending[:n-1]
		l.Number++
		return line, nil
	}
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return "", fmt.Errorf("line %d is longer than %d MiB; this is no table of Tracy's", l.Number+1, maxLine>>20)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == io.EOF && len(line) > 0 {
			err = nil
		}
		if err != nil {
			return "", err
		}
		break
	}
	l.Number++
	text := strings.TrimSuffix(string(line), "\n")
	if l.crlf || l.Number == 1 {
		trimmed := strings.TrimSuffix(text, "\r")
		if l.Number == 1 {
			l.crlf = trimmed != text
		}
		text = trimmed
	}
	return text, nil
}

// Back gives lines back to be read again.
func (l *Lines) Back(lines []string) {
	l.Number -= len(lines)
	for _, line := range slices.Backward(lines) {
		l.pending = append(l.pending, line)
	}
}

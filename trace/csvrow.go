package trace

import (
	"io"
	"strconv"
	"strings"
)

// csvBufferSize is how much is gathered before it is written.
const csvBufferSize = 1 << 20

// csvAppender writes rows by RFC 4180. A field is quoted when it holds a quote, the end of a line or the separator.
type csvAppender struct {
	w         io.Writer
	separator string
	first     byte // of the separator
	buffer    []byte
	started   bool // the row has a field
	err       error
}

func newCSVAppender(w io.Writer, separator string) *csvAppender {
	return &csvAppender{w: w, separator: separator, first: separator[0], buffer: make([]byte, 0, csvBufferSize+4096)}
}

func (a *csvAppender) next() {
	if a.started {
		a.buffer = append(a.buffer, a.separator...)
	}
	a.started = true
}

func (a *csvAppender) text(s string) {
	a.next()
	if a.plain(s) {
		a.buffer = append(a.buffer, s...)
		return
	}
	a.quote(s)
}

func (a *csvAppender) plain(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\n', '\r':
			return false
		default:
			if c == a.first && strings.HasPrefix(s[i:], a.separator) {
				return false
			}
		}
	}
	// The beginning of a separator at the end of a field would join the one behind it.
	return len(a.separator) == 1 || s == "" || !strings.Contains(a.separator, s[len(s)-1:])
}

func (a *csvAppender) quote(s string) {
	a.buffer = append(a.buffer, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			break
		}
		a.buffer = append(a.buffer, s[:i+1]...)
		a.buffer = append(a.buffer, '"')
		s = s[i+1:]
	}
	a.buffer = append(append(a.buffer, s...), '"')
}

// raw appends fields that are already encoded.
func (a *csvAppender) raw(fields []byte) {
	a.next()
	a.buffer = append(a.buffer, fields...)
}

func (a *csvAppender) empty() { a.next() }

func (a *csvAppender) integer(v int64) {
	a.next()
	a.buffer = strconv.AppendInt(a.buffer, v, 10)
}

func (a *csvAppender) unsigned(v uint64) {
	a.next()
	a.buffer = strconv.AppendUint(a.buffer, v, 10)
}

// fixed is C++'s std::to_string of a double, which is printf's %f.
func (a *csvAppender) fixed(v float64) {
	a.next()
	a.buffer = strconv.AppendFloat(a.buffer, v, 'f', 6, 64)
}

func (a *csvAppender) number(v float64) {
	a.next()
	a.buffer = strconv.AppendFloat(a.buffer, v, 'g', -1, 64)
}

func (a *csvAppender) end() error {
	a.buffer = append(a.buffer, '\n')
	a.started = false
	if len(a.buffer) >= csvBufferSize {
		a.flush()
	}
	return a.err
}

func (a *csvAppender) flush() {
	if a.err == nil {
		_, a.err = a.w.Write(a.buffer)
	}
	a.buffer = a.buffer[:0]
}

func (a *csvAppender) header(columns []string) error {
	for _, c := range columns {
		a.text(c)
	}
	return a.end()
}

// encoded returns what f appends, as bytes for raw.
func (a *csvAppender) encoded(f func(*csvAppender)) []byte {
	b := csvAppender{separator: a.separator, first: a.first}
	f(&b)
	return b.buffer
}

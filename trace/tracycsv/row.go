package tracycsv

import (
	"io"
	"strconv"
	"strings"

	"zonemark/invocations/foreign"
)

// bufferSize is how much is gathered before it is written.
const bufferSize = 1 << 20

// rowFormat is how fields become rows by RFC 4180. A field is quoted when it holds a quote, the end of a line or the
// separator.
type rowFormat struct {
	separator string
	first     byte // of the separator
}

func newRowFormat(separator string) rowFormat { return rowFormat{separator, separator[0]} }

func (f *rowFormat) appendSeparator(b []byte) []byte {
	if len(f.separator) == 1 {
		return append(b, f.first)
	}
	return append(b, f.separator...)
}

func (f *rowFormat) appendText(b []byte, s string) []byte {
	if f.plain(s) {
		return append(b, s...)
	}
	if s = foreign.Controls(s); f.plain(s) {
		return append(b, s...)
	}
	return appendQuoted(b, s)
}

// plain reports whether a field can stand as it is. Characters that control a terminal cannot: in UTF-8, those below a
// blank but the tab, 7F, and C2 80 to C2 9F.
func (f *rowFormat) plain(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c < ' ' && c != '\t', c == 0x7f, c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0:
			return false
		case c == f.first && strings.HasPrefix(s[i:], f.separator):
			return false
		}
	}
	// The beginning of a separator at the end of a field would join the one behind it.
	return len(f.separator) == 1 || s == "" || !strings.Contains(f.separator, s[len(s)-1:])
}

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			break
		}
		b = append(b, s[:i+1]...)
		b = append(b, '"')
		s = s[i+1:]
	}
	return append(append(b, s...), '"')
}

// rowAppender writes rows field by field.
type rowAppender struct {
	rowFormat
	w       io.Writer
	buffer  []byte
	started bool // the row has a field
	err     error
}

func (a *rowAppender) next() {
	if a.started {
		a.buffer = a.appendSeparator(a.buffer)
	}
	a.started = true
}

func (a *rowAppender) text(s string) {
	a.next()
	a.buffer = a.appendText(a.buffer, s)
}

// raw appends fields that are already encoded.
func (a *rowAppender) raw(fields []byte) {
	a.next()
	a.buffer = append(a.buffer, fields...)
}

func (a *rowAppender) empty() { a.next() }

func (a *rowAppender) integer(v int64) {
	a.next()
	a.buffer = appendInteger(a.buffer, v)
}

func (a *rowAppender) unsigned(v uint64) {
	a.next()
	a.buffer = appendUnsigned(a.buffer, v)
}

// fixed is C++'s std::to_string of a double, which is printf's %f.
func (a *rowAppender) fixed(v float64) {
	a.next()
	a.buffer = strconv.AppendFloat(a.buffer, v, 'f', 6, 64)
}

func (a *rowAppender) number(v float64) {
	a.next()
	a.buffer = strconv.AppendFloat(a.buffer, v, 'g', -1, 64)
}

func (a *rowAppender) end() error {
	a.buffer = append(a.buffer, '\n')
	a.started = false
	if len(a.buffer) >= bufferSize {
		a.flush()
	}
	return a.err
}

func (a *rowAppender) flush() {
	if a.err == nil {
		_, a.err = a.w.Write(a.buffer)
	}
	a.buffer = a.buffer[:0]
}

func (a *rowAppender) header(columns []string) error {
	for _, c := range columns {
		a.text(c)
	}
	return a.end()
}

// encoded returns what append appends, as bytes for raw.
func (f rowFormat) encoded(fields func(*rowAppender)) []byte {
	a := rowAppender{rowFormat: f}
	fields(&a)
	return a.buffer
}

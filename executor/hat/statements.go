package hat

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// byteOrderMark may start a UTF-8 file. The TOML reader skips it. It also skips the marks of UTF-16, which some tools
// put before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

func markLength(text string) int {
	for _, mark := range []string{byteOrderMark, "\xff\xfe", "\xfe\xff"} {
		if strings.HasPrefix(text, mark) {
			return len(mark)
		}
	}
	return 0
}

// statement is one table header or key/value pair of a TOML text, with its position.
type statement struct {
	header             bool
	array              bool     // header of an array of tables, [[x]]
	key                []string // path of a header; for a pair, the path relative to the header before it
	start, end         int      // the statement with its comment and newline; start is after the indentation
	valueFrom, valueTo int      // value of a pair
	indent             string
}

// scanStatements splits a TOML text into statements. It exists because the TOML reader does not report the positions of
// values, which an edit needs if it keeps every other byte. The TOML reader must have accepted the text. For other
// texts the result is meaningless, but scanStatements ends and does not panic.
func scanStatements(text string) []statement {
	s := scanner{text: text, pos: markLength(text)}
	var out []statement
	for {
		from := s.pos
		s.skipBlanks()
		if s.pos >= len(text) {
			return out
		}
		indent := text[from:s.pos]
		switch text[s.pos] {
		case '\n', '\r', '#':
			s.skipLine()
			continue
		}
		st := statement{start: s.pos, indent: indent}
		if text[s.pos] == '[' {
			s.header(&st)
		} else {
			s.pair(&st)
		}
		s.skipLine()
		st.end = s.pos
		out = append(out, st)
	}
}

// scanner scans a text. pos never passes its end.
type scanner struct {
	text string
	pos  int
}

// at returns the byte at pos, or 0 at the end of the text. A TOML text holds no zero byte.
func (s *scanner) at() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *scanner) skipBlanks() {
	for s.at() == ' ' || s.at() == '\t' {
		s.pos++
	}
}

func (s *scanner) skipLine() {
	if n := strings.IndexByte(s.text[s.pos:], '\n'); n >= 0 {
		s.pos += n + 1
	} else {
		s.pos = len(s.text)
	}
}

func (s *scanner) header(st *statement) {
	st.header = true
	s.pos++
	if s.at() == '[' {
		st.array = true
		s.pos++
	}
	st.key = s.dottedKey()
}

func (s *scanner) pair(st *statement) {
	st.key = s.dottedKey()
	if s.at() == '=' {
		s.pos++
	}
	s.skipBlanks()
	st.valueFrom = s.pos
	s.skipValue()
	st.valueTo = st.valueFrom + len(strings.TrimRight(s.text[st.valueFrom:s.pos], " \t\r"))
}

// dottedKey reads a key such as a.b."c d" and stops after it.
func (s *scanner) dottedKey() []string {
	var key []string
	for {
		s.skipBlanks()
		from := s.pos
		if c := s.at(); c == '"' || c == '\'' {
			s.skipString()
			key = append(key, unquote(s.text[from:s.pos]))
		} else {
			for s.pos < len(s.text) && strings.IndexByte(" \t.=]\r\n", s.text[s.pos]) < 0 {
				s.pos++
			}
			key = append(key, s.text[from:s.pos])
		}
		s.skipBlanks()
		if s.at() != '.' {
			return key
		}
		s.pos++
	}
}

// unquote returns the text of a quoted key or string. The TOML reader decodes escapes and line endings, so that both
// always agree.
func unquote(quoted string) string {
	if len(quoted) >= 2 && !strings.ContainsAny(quoted, "\\\n") && !strings.HasPrefix(quoted[1:], quoted[:1]) {
		return quoted[1 : len(quoted)-1]
	}
	var m struct{ X string }
	if _, err := toml.Decode("x = "+quoted, &m); err != nil {
		return quoted
	}
	return m.X
}

// stringValue is a string in the value of a pair, with its quotes.
type stringValue struct {
	key      string // of the pair, or the last part of that of an inline table
	from, to int
}

// stringsIn returns the strings in the value of a pair, those in its arrays and inline tables, too.
func stringsIn(text string, st *statement) (list []stringValue) {
	s := scanner{text: text[:st.valueTo], pos: st.valueFrom}
	key, word := st.key[len(st.key)-1], ""
	for s.pos < len(s.text) {
		from := s.pos
		switch c := s.at(); {
		case c == '#':
			s.skipLine()
		case c == '"' || c == '\'':
			s.skipString()
			word = unquote(text[from:s.pos])
			if s.skipBlanks(); s.at() != '=' { // else it is a key
				list = append(list, stringValue{key, from, from + len(strings.TrimRight(text[from:s.pos], " \t"))})
			}
		case c == '=':
			key = word
			s.pos++
		case strings.IndexByte("[]{},. \t\r\n", c) >= 0:
			s.pos++
		default:
			for s.pos < len(s.text) && strings.IndexByte("[]{},.= \t\r\n#", s.text[s.pos]) < 0 {
				s.pos++
			}
			word = text[from:s.pos]
		}
	}
	return list
}

// skipValue skips a value. It ends at a newline or a comment outside of strings, arrays and inline tables.
func (s *scanner) skipValue() {
	for depth := 0; s.pos < len(s.text); {
		switch s.text[s.pos] {
		case '"', '\'':
			s.skipString()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			if depth <= 0 {
				return
			}
			s.skipLine()
			continue
		case '\n':
			if depth <= 0 {
				return
			}
		}
		s.pos++
	}
}

// skipString skips a string of any of the four kinds.
func (s *scanner) skipString() {
	quote := s.text[s.pos]
	triple := strings.Repeat(string(quote), 3)
	if !strings.HasPrefix(s.text[s.pos:], triple) {
		s.pos++
		s.skipUntil(quote, string(quote))
		return
	}
	s.pos += 3
	s.skipUntil(quote, triple)
	for range 2 { // up to two quotes may stand before the closing three
		if s.at() == quote {
			s.pos++
		}
	}
}

// skipUntil skips up to and including the closing quotes. A backslash escapes the next byte in basic strings only.
func (s *scanner) skipUntil(quote byte, closing string) {
	for s.pos < len(s.text) {
		switch {
		case strings.HasPrefix(s.text[s.pos:], closing):
			s.pos += len(closing)
			return
		case quote == '"' && s.text[s.pos] == '\\':
			s.pos = min(s.pos+2, len(s.text))
		default:
			s.pos++
		}
	}
}

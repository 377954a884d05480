package hat

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// byteOrderMark may start a UTF-8 file. The TOML reader skips it, and the marks of UTF-16 as well, which some tools put
// before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

func markLength(text string) int {
	for _, mark := range []string{byteOrderMark, "\xff\xfe", "\xfe\xff"} {
		if strings.HasPrefix(text, mark) {
			return len(mark)
		}
	}
	return 0
}

// statement is one table header or key/value pair of a TOML text, with its place in it.
type statement struct {
	header             bool
	array              bool     // header of an array of tables, [[x]]
	key                []string // path of a header; of a pair, the path relative to the header before it
	start, end         int      // the statement with its comment and newline; start is behind the indentation
	valueFrom, valueTo int      // value of a pair
	indent             string
}

// scanStatements splits a TOML text into statements. It exists because the TOML reader tells no positions of values,
// which an edit that keeps every other byte needs. It is meant for texts that the TOML reader has accepted; on others
// it returns nonsense, but ends and does not panic.
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

// scanner walks over a text; pos never passes its end.
type scanner struct {
	text string
	pos  int
}

// at returns the byte at pos, or 0 at the end of the text: a TOML text holds no zero byte.
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

// dottedKey reads a.b."c d" and stops at what follows it.
func (s *scanner) dottedKey() []string {
	var key []string
	for {
		s.skipBlanks()
		from := s.pos
		if c := s.at(); c == '"' || c == '\'' {
			s.skipString()
			key = append(key, unquoteKey(s.text[from:s.pos]))
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

// unquoteKey leaves the escapes of a basic string to the TOML reader, so that both can never disagree on a key.
func unquoteKey(quoted string) string {
	if len(quoted) >= 2 && !strings.Contains(quoted, `\`) {
		return quoted[1 : len(quoted)-1]
	}
	var m map[string]any
	if _, err := toml.Decode(quoted+" = 0", &m); err == nil {
		for key := range m {
			return key
		}
	}
	return quoted
}

// skipValue passes a value: it ends at a newline or a comment outside of strings, arrays and inline tables.
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

// skipString passes a string of any of the four kinds.
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

// skipUntil passes the closing quotes; a backslash hides the byte behind it in basic strings only.
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

package hat

import (
	"strings"

	"zonemark/invocations/tomltext"
)

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
	s := scanner{tomltext.NewScanner(text)}
	var out []statement
	for {
		from := s.Pos
		s.SkipBlanks()
		if s.Pos >= len(text) {
			return out
		}
		indent := text[from:s.Pos]
		switch text[s.Pos] {
		case '\n', '\r', '#':
			s.SkipLine()
			continue
		}
		st := statement{start: s.Pos, indent: indent}
		if text[s.Pos] == '[' {
			s.header(&st)
		} else {
			s.pair(&st)
		}
		s.SkipLine()
		st.end = s.Pos
		out = append(out, st)
	}
}

// scanner scans statements.
type scanner struct{ tomltext.Scanner }

func (s *scanner) header(st *statement) {
	st.header = true
	s.Pos++
	if s.Peek() == '[' {
		st.array = true
		s.Pos++
	}
	st.key = s.Key()
}

func (s *scanner) pair(st *statement) {
	st.key = s.Key()
	if s.Peek() == '=' {
		s.Pos++
	}
	s.SkipBlanks()
	st.valueFrom = s.Pos
	s.skipValue()
	st.valueTo = st.valueFrom + len(strings.TrimRight(s.Text[st.valueFrom:s.Pos], " \t\r"))
}

// stringValue is a string in the value of a pair, with its quotes.
type stringValue struct {
	key      string // of the pair, or the last part of that of an inline table
	from, to int
}

// stringsIn returns the strings in the value of a pair, those in its arrays and inline tables, too.
func stringsIn(text string, st *statement) (list []stringValue) {
	s := tomltext.Scanner{Text: text[:st.valueTo], Pos: st.valueFrom}
	key, word := st.key[len(st.key)-1], ""
	for s.Pos < len(s.Text) {
		from := s.Pos
		switch c := s.Peek(); {
		case c == '#':
			s.SkipLine()
		case c == '"' || c == '\'':
			s.SkipString()
			word = tomltext.Unquote(text[from:s.Pos])
			if s.SkipBlanks(); s.Peek() != '=' { // else it is a key
				list = append(list, stringValue{key, from, from + len(strings.TrimRight(text[from:s.Pos], " \t"))})
			}
		case c == '=':
			key = word
			s.Pos++
		case strings.IndexByte("[]{},. \t\r\n", c) >= 0:
			s.Pos++
		default:
			s.SkipUntil("[]{},.= \t\r\n#")
			word = text[from:s.Pos]
		}
	}
	return list
}

// skipValue skips a value. It ends at a newline or a comment outside of strings, arrays and inline tables.
func (s *scanner) skipValue() {
	for depth := 0; s.Pos < len(s.Text); {
		switch s.Text[s.Pos] {
		case '"', '\'':
			s.SkipString()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			if depth <= 0 {
				return
			}
			s.SkipLine()
			continue
		case '\n':
			if depth <= 0 {
				return
			}
		}
		s.Pos++
	}
}

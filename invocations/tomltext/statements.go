package tomltext

import "strings"

// Statement is one table header or key/value pair of a TOML text, with its position.
type Statement struct {
	Header             bool
	Array              bool     // header of an array of tables, [[x]]
	Key                []string // path of a header; for a pair, the path relative to the header before it
	Start, End         int      // the statement with its comment and newline; Start is after the indentation
	ValueFrom, ValueTo int      // value of a pair
	Indent             string
}

// Statements splits a TOML text into statements.
func Statements(text string) []Statement {
	s := scanner{NewScanner(text)}
	var out []Statement
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
		st := Statement{Start: s.Pos, Indent: indent}
		if text[s.Pos] == '[' {
			s.header(&st)
		} else {
			s.pair(&st)
		}
		s.SkipLine()
		st.End = s.Pos
		out = append(out, st)
	}
}

// scanner scans statements.
type scanner struct{ Scanner }

func (s *scanner) header(st *Statement) {
	st.Header = true
	s.Pos++
	if s.Peek() == '[' {
		st.Array = true
		s.Pos++
	}
	st.Key = s.Key()
}

func (s *scanner) pair(st *Statement) {
	st.Key = s.Key()
	if s.Peek() == '=' {
		s.Pos++
	}
	s.SkipBlanks()
	st.ValueFrom = s.Pos
	s.skipValue()
	st.ValueTo = st.ValueFrom + len(strings.TrimRight(s.Text[st.ValueFrom:s.Pos], " \t\r"))
}

// StringValue is a string in the value of a pair, with its quotes.
type StringValue struct {
	Key      string // of the pair, or the last part of that of an inline table
	From, To int
}

// Strings returns the strings in the value of a pair of the text, those in its arrays and inline tables, too.
func (st *Statement) Strings(text string) (list []StringValue) {
	s := Scanner{Text: text[:st.ValueTo], Pos: st.ValueFrom}
	key, word := st.Key[len(st.Key)-1], ""
	for s.Pos < len(s.Text) {
		from := s.Pos
		switch c := s.Peek(); {
		case c == '#':
			s.SkipLine()
		case c == '"' || c == '\'':
			s.SkipString()
			word = Unquote(text[from:s.Pos])
			if s.SkipBlanks(); s.Peek() != '=' { // else it is a key
				list = append(list, StringValue{key, from, from + len(strings.TrimRight(text[from:s.Pos], " \t"))})
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

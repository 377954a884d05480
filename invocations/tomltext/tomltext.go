// Package tomltext reads the parts of a TOML text where they stand, and edits them: statements, keys, strings, comments.
// It exists because decoders do not report positions, which messages need and edits that keep every other byte. It
// checks nothing: for a text that a decoder refuses, what it finds is meaningless, but each step ends and none panics.
package tomltext

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// Scanner goes through a text. Pos never passes its end.
type Scanner struct {
	Text string
	Pos  int
}

// NewScanner returns a scanner that is at the beginning of a text, after a byte-order mark. Decoders skip the mark of
// UTF-8, and those of UTF-16, which some tools put before UTF-8.
func NewScanner(text string) Scanner {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if strings.HasPrefix(text, mark) {
			return Scanner{text, len(mark)}
		}
	}
	return Scanner{Text: text}
}

// Peek returns the byte at the position, or 0 at the end of the text. A TOML text holds no zero byte.
func (s *Scanner) Peek() byte {
	if s.Pos < len(s.Text) {
		return s.Text[s.Pos]
	}
	return 0
}

// SkipBlanks skips blanks within a line.
func (s *Scanner) SkipBlanks() {
	for s.Peek() == ' ' || s.Peek() == '\t' {
		s.Pos++
	}
}

// SkipLine skips the rest of a line with its end.
func (s *Scanner) SkipLine() {
	if n := strings.IndexByte(s.Text[s.Pos:], '\n'); n >= 0 {
		s.Pos += n + 1
	} else {
		s.Pos = len(s.Text)
	}
}

// SkipUntil skips everything before the next byte of a set.
func (s *Scanner) SkipUntil(set string) {
	if n := strings.IndexAny(s.Text[s.Pos:], set); n >= 0 {
		s.Pos += n
	} else {
		s.Pos = len(s.Text)
	}
}

// Skip skips the bytes of a set, and comments with the ends of their lines.
func (s *Scanner) Skip(set string) {
	for s.Pos < len(s.Text) {
		switch {
		case s.Text[s.Pos] == '#':
			s.SkipLine()
		case strings.IndexByte(set, s.Text[s.Pos]) >= 0:
			s.Pos++
		default:
			return
		}
	}
}

// Key reads a dotted key such as a.b."c d" and stops after it and blanks.
func (s *Scanner) Key() (parts []string) {
	for {
		s.SkipBlanks()
		from := s.Pos
		if c := s.Peek(); c == '"' || c == '\'' {
			s.SkipString()
			parts = append(parts, Unquote(s.Text[from:s.Pos]))
		} else {
			s.SkipUntil(" \t.=]\r\n")
			parts = append(parts, s.Text[from:s.Pos])
		}
		s.SkipBlanks()
		if s.Peek() != '.' {
			return parts
		}
		s.Pos++
	}
}

// SkipString skips a string of any of the four kinds, which begins at the position.
func (s *Scanner) SkipString() {
	quote := s.Text[s.Pos : s.Pos+1]
	end := strings.Repeat(quote, 3)
	if !strings.HasPrefix(s.Text[s.Pos:], end) {
		end = quote
	}
	for s.Pos += len(end); s.Pos < len(s.Text); s.Pos++ {
		switch {
		case strings.HasPrefix(s.Text[s.Pos:], end):
			s.Pos += len(end)
			for range len(end) - 1 { // up to two quotes may stand before the closing three
				if strings.HasPrefix(s.Text[s.Pos:], quote) {
					s.Pos++
				}
			}
			return
		case len(end) == 1 && s.Text[s.Pos] == '\n':
			return // no string; this happens only in a text that is not TOML
		case quote == `"` && s.Text[s.Pos] == '\\' && s.Pos+1 < len(s.Text):
			s.Pos++ // the next byte is no closing quote
		}
	}
}

// Unquote returns the text of a quoted key or string. The decoder reads escapes and ends of lines, so that both always
// agree. Returns what is not quoted as it is.
func Unquote(quoted string) string {
	if len(quoted) >= 2 && !strings.ContainsAny(quoted, "\\\n") && !strings.HasPrefix(quoted[1:], quoted[:1]) {
		return quoted[1 : len(quoted)-1]
	}
	var m struct{ X string }
	if _, err := toml.Decode("x = "+quoted, &m); err != nil {
		return quoted
	}
	return m.X
}

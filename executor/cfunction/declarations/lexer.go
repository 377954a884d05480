package declarations

import (
	"strconv"
	"strings"
)

// tokenKind is a kind of token.
type tokenKind byte

// The kinds of tokens.
const (
	word   tokenKind = iota // an identifier or keyword
	number                  // a preprocessing number
	quoted                  // a string or a character
	sign                    // one character, or "..."
)

// token is a token of C.
type token struct {
	kind tokenKind
	text string
	at   int // offset in the text
	line int // in its file
	file string
}

func (t token) is(text string) bool { return t.text == text && t.kind != quoted }

// lexer splits a text into tokens. It skips comments and directives. Line markers, which preprocessors write, set the
// file and the line.
type lexer struct {
	text string
	pos  int
	line int
	file string
}

// tokens returns all tokens of the text.
func (l *lexer) tokens() (list []token) {
	for {
		l.skipSpace()
		if l.pos >= len(l.text) {
			return list
		}
		t := token{at: l.pos, line: l.line, file: l.file}
		switch c := l.text[l.pos]; {
		case isLetter(c):
			t.kind = word
			l.skipWhile(func(c byte) bool { return isLetter(c) || isDigit(c) })
		case isDigit(c):
			t.kind = number
			l.skipWhile(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' })
		case c == '"' || c == '\'':
			t.kind = quoted
			l.skipQuoted(c)
		default:
			t.kind = sign
			if l.pos++; strings.HasPrefix(l.text[t.at:], "...") {
				l.pos = t.at + len("...")
			}
		}
		t.text = l.text[t.at:l.pos]
		list = append(list, t)
	}
}

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) skipWhile(part func(byte) bool) {
	for l.pos < len(l.text) && part(l.text[l.pos]) {
		l.pos++
	}
}

// skipQuoted skips a string or character. It ends at the end of the line at the latest.
func (l *lexer) skipQuoted(quote byte) {
	for l.pos++; l.pos < len(l.text) && l.text[l.pos] != '\n'; l.pos++ {
		switch l.text[l.pos] {
		case quote:
			l.pos++
			return
		case '\\':
			if l.pos+1 < len(l.text) && l.text[l.pos+1] != '\n' {
				l.pos++
			}
		}
	}
}

// skipSpace skips white space, comments, directives, and line ends after a backslash.
func (l *lexer) skipSpace() {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch c := rest[0]; {
		case c == '\n':
			l.line++
			l.pos++
		case strings.IndexByte(" \t\r\f\v\\", c) >= 0:
			l.pos++
		case strings.HasPrefix(rest, "//"):
			l.skipLine()
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				end = len(rest) - 4
			}
			l.line += strings.Count(rest[:end+4], "\n")
			l.pos += end + 4
		case c == '#' && l.beginsLine():
			l.directive()
		default:
			return
		}
	}
}

// beginsLine reports whether nothing but blanks stands before pos in its line.
func (l *lexer) beginsLine() bool {
	before := strings.TrimRight(l.text[:l.pos], " \t")
	return before == "" || before[len(before)-1] == '\n'
}

// skipLine skips the rest of a line and the lines that continue it. It stops at the line end.
func (l *lexer) skipLine() {
	for l.pos < len(l.text) && l.text[l.pos] != '\n' {
		if strings.HasPrefix(l.text[l.pos:], "\\\n") {
			l.line++
			l.pos++
		}
		l.pos++
	}
}

// directive skips a directive, or follows a line marker: # 12 "file.h" 2, or #line 12 "file.h".
func (l *lexer) directive() {
	from := l.pos
	l.skipLine()
	text := strings.TrimSpace(strings.TrimPrefix(l.text[from:l.pos], "#"))
	text = strings.TrimSpace(strings.TrimPrefix(text, "line "))
	digits, rest, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || n < 0 {
		return
	}
	l.line = int(n) - 1 // the line end that follows makes it n
	if _, rest, found := strings.Cut(rest, `"`); found {
		if end := strings.LastIndexByte(rest, '"'); end >= 0 {
			l.file = strings.ReplaceAll(rest[:end], `\\`, `\`)
		}
	}
}

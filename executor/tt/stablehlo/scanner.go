package stablehlo

import (
	"bytes"
	"fmt"
	"strconv"
)

// tokenKind is a kind of token in a signature.
type tokenKind int

const (
	end    tokenKind = iota
	word             // an identifier with its sigil: func.func, @main, %arg0, tensor
	quoted           // a string with its quotes
	mark             // a bracket or another sign, or "->"
)

type token struct {
	kind tokenKind
	text string // empty at the end
	at   int    // byte position
}

// scanner splits MLIR text into tokens, without comments. The first error is kept in err, and the text ends there: what
// reads until it finds something must take the end for an error.
type scanner struct {
	text []byte
	at   int // next byte
	err  error
}

// maxToken limits the length of a kept token. Constants of dense elements are longer, and nothing reads them.
const maxToken = 1 << 10

func (s *scanner) next() token {
	s.skipBlanks()
	start := s.at
	if start == len(s.text) || s.err != nil {
		return token{at: start}
	}
	c := s.text[start]
	switch {
	case c == '"':
		return s.quoted()
	case isWord(c) || c == '@' || c == '%' || c == '#' || c == '!':
		for s.at++; s.at < len(s.text) && (isWord(s.text[s.at]) || s.hyphen()); s.at++ {
		}
		return token{word, string(s.text[start:min(s.at, start+maxToken)]), start}
	case c == '-' && bytes.HasPrefix(s.text[start:], []byte("->")):
		s.at += 2
		return token{mark, "->", start}
	}
	s.at++
	return token{mark, string(s.text[start:s.at]), start}
}

// skipBlanks skips white space and comments. A comment reaches from // to the end of the line.
func (s *scanner) skipBlanks() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		case c == '/' && bytes.HasPrefix(s.text[s.at:], []byte("//")):
			newline := bytes.IndexByte(s.text[s.at:], '\n')
			if newline < 0 {
				s.at = len(s.text)
				return
			}
			s.at += newline
		default:
			return
		}
	}
}

// quoted reads a string. A backslash escapes the character behind it. A string ends on its line.
func (s *scanner) quoted() token {
	start := s.at
	for s.at++; s.at < len(s.text) && s.text[s.at] != '\n'; s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return token{quoted, string(s.text[start:min(s.at, start+maxToken)]), start}
		}
	}
	s.at = min(s.at, len(s.text))
	s.fail(token{at: start}, "a string without its end")
	return token{at: start}
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$'
}

// hyphen reports whether a name continues with a hyphen that does not start an arrow.
func (s *scanner) hyphen() bool {
	return s.text[s.at] == '-' && !bytes.HasPrefix(s.text[s.at:], []byte("->"))
}

// expect reads these tokens. Others are an error.
func (s *scanner) expect(texts ...string) {
	for _, text := range texts {
		if t := s.next(); t.text != text {
			s.fail(t, "want %s", text)
		}
	}
}

// number returns the value of a token, which must be a number of at most maxDevices.
func (s *scanner) number(t token) int64 {
	n, err := strconv.ParseUint(t.text, 10, 63)
	if err != nil || n > maxDevices {
		s.fail(t, "want a number up to %d", maxDevices)
		return 0
	}
	return int64(n)
}

// numbers reads such numbers in brackets: [2,2].
func (s *scanner) numbers(opening, closing string) (list []int64) {
	s.expect(opening)
	for t := s.next(); t.text != closing; t = s.next() {
		if t.text == "," {
			continue
		}
		if list = append(list, s.number(t)); len(list) > maxDevices {
			s.fail(t, "more than %d numbers", maxDevices)
		}
		if s.err != nil {
			return nil
		}
	}
	return list
}

// keep keeps an error, unless there was one before. It may be nil.
func (s *scanner) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// fail keeps an error at a token.
func (s *scanner) fail(t token, format string, args ...any) {
	if s.err != nil {
		return
	}
	line := 1 + bytes.Count(s.text[:t.at], []byte("\n"))
	column := t.at - bytes.LastIndexByte(s.text[:t.at], '\n')
	found := "the end of the text"
	if t.kind != end {
		found = fmt.Sprintf("%q", t.text)
	}
	s.err = fmt.Errorf("line %d, column %d: %s: %s", line, column, found, fmt.Sprintf(format, args...))
}

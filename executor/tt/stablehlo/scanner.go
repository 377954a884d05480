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

// scanner splits MLIR text into tokens, without comments.
type scanner struct {
	text []byte
	at   int // next byte
}

// maxToken limits the length of a kept token. Constants of dense elements are longer, and nothing reads them.
const maxToken = 1 << 10

func (s *scanner) next() (token, error) {
	s.skipBlanks()
	start := s.at
	if start == len(s.text) {
		return token{at: start}, nil
	}
	c := s.text[start]
	switch {
	case c == '"':
		return s.quoted()
	case isWord(c) || c == '@' || c == '%' || c == '#' || c == '!':
		for s.at++; s.at < len(s.text) && (isWord(s.text[s.at]) || s.hyphen()); s.at++ {
		}
		return token{word, string(s.text[start:min(s.at, start+maxToken)]), start}, nil
	case c == '-' && bytes.HasPrefix(s.text[start:], []byte("->")):
		s.at += 2
		return token{mark, "->", start}, nil
	}
	s.at++
	return token{mark, string(s.text[start:s.at]), start}, nil
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
func (s *scanner) quoted() (token, error) {
	start := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return token{quoted, string(s.text[start:min(s.at, start+maxToken)]), start}, nil
		case '\n':
			return token{}, s.problem(token{at: start}, "a string without its end")
		}
	}
	s.at = len(s.text)
	return token{}, s.problem(token{at: start}, "a string without its end")
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$'
}

// hyphen reports whether a name continues with a hyphen that does not start an arrow.
func (s *scanner) hyphen() bool {
	return s.text[s.at] == '-' && !bytes.HasPrefix(s.text[s.at:], []byte("->"))
}

// expect reads a token and returns an error if it is another one.
func (s *scanner) expect(text string) error {
	t, err := s.next()
	if err == nil && t.text != text {
		err = s.problem(t, "want %s", text)
	}
	return err
}

// number returns the value of a token that is a number of at most maxDevices.
func (s *scanner) number(t token) (int64, error) {
	n, err := strconv.ParseUint(t.text, 10, 63)
	if err != nil || n > maxDevices {
		return 0, s.problem(t, "want a number up to %d", maxDevices)
	}
	return int64(n), nil
}

// nextNumber reads such a number.
func (s *scanner) nextNumber() (int64, error) {
	t, err := s.next()
	if err != nil {
		return 0, err
	}
	return s.number(t)
}

// numbers reads such numbers in brackets: [2,2].
func (s *scanner) numbers(opening, closing string) (list []int64, err error) {
	if err := s.expect(opening); err != nil {
		return nil, err
	}
	for {
		t, err := s.next()
		if err != nil {
			return nil, err
		}
		switch t.text {
		case closing:
			return list, nil
		case ",":
			continue
		}
		n, err := s.number(t)
		if err != nil {
			return nil, err
		}
		if list = append(list, n); len(list) > maxDevices {
			return nil, s.problem(t, "more than %d numbers", maxDevices)
		}
	}
}

// problem returns an error at a token.
func (s *scanner) problem(t token, format string, args ...any) error {
	line := 1 + bytes.Count(s.text[:t.at], []byte("\n"))
	column := t.at - bytes.LastIndexByte(s.text[:t.at], '\n')
	found := "the end of the text"
	if t.kind != end {
		found = fmt.Sprintf("%q", t.text)
	}
	return fmt.Errorf("line %d, column %d: %s: %s", line, column, found, fmt.Sprintf(format, args...))
}

package stablehlo

import (
	"strconv"
	"strings"
)

// Open is a dimension that the program leaves to its caller, "?".
const Open = -1

// Type is the type of a value.
type Type struct {
	// Element is the element type as MLIR writes it: "f32", "ui8", "complex<f32>". It is empty if the type is no array
	// of numbers, such as a token or a tuple.
	Element    string
	Dimensions []int64 // elements along each, or Open; empty for an array of one element without dimensions
	Text       string  // as the program writes it, without spaces
}

// maxRank limits the number of dimensions of a tensor.
const maxRank = 64

// typeFrom reads a type whose first token has been read.
func (s *scanner) typeFrom(t token) Type {
	if t.kind != word {
		s.fail(t, "want a type, such as tensor<4x4xf32>")
	}
	kind := Type{Text: s.typeText(t)}
	inner, tensor := strings.CutPrefix(kind.Text, "tensor<")
	if !tensor {
		return kind
	}
	inner = strings.TrimSuffix(inner, ">")
	kind.Dimensions = []int64{}
	for {
		head, rest, more := strings.Cut(inner, "x")
		n, number := dimension(head)
		if !more || !number {
			break
		}
		if kind.Dimensions = append(kind.Dimensions, n); len(kind.Dimensions) > maxRank {
			s.fail(t, "more than %d dimensions", maxRank)
			break
		}
		inner = rest
	}
	kind.Element = elementOf(inner)
	return kind
}

// typeText returns the text of a type up to where its brackets are closed.
func (s *scanner) typeText(first token) string {
	var b strings.Builder
	b.WriteString(first.text)
	if s.peekByte() != '<' {
		return b.String()
	}
	for depth := 0; ; {
		t := s.next()
		if t.kind == end || b.Len() > maxToken {
			s.fail(t, "want > at the end of a type")
			return ""
		}
		b.WriteString(t.text)
		switch t.text {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return b.String()
			}
		}
	}
}

// peekByte returns the first byte of the next token, or 0 at the end.
func (s *scanner) peekByte() byte {
	s.skipBlanks()
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func dimension(text string) (n int64, ok bool) {
	if text == "?" {
		return Open, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0
}

// elementOf returns the element type without an encoding behind it: f32 for "f32,#stablehlo.bounds<4>".
func elementOf(text string) string {
	depth := 0
	for i, c := range text {
		switch c {
		case '<':
			depth++
		case '>':
			depth--
		case ',':
			if depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}

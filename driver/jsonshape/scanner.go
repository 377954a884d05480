package jsonshape

// scanner is at a place of a line. Its methods check what is there, go behind it, and report whether they know it.
type scanner struct {
	text []byte
	at   int
}

// longestNumber and mostExponent bound the numbers that are known, in characters and in digits of the exponent. No such
// number is too large for a float.
const (
	longestNumber = 100
	mostExponent  = 2
)

// is goes behind a character if it is the next one.
func (s *scanner) is(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) word(w string) bool {
	if len(s.text)-s.at >= len(w) && string(s.text[s.at:s.at+len(w)]) == w {
		s.at += len(w)
		return true
	}
	return false
}

func (s *scanner) value(of *shape) bool {
	switch of.kind {
	case text:
		return s.string()
	case boolean:
		return s.word("true") || s.word("false")
	case integer:
		return s.integer(of)
	case float:
		return s.number()
	case list:
		return s.list(of.element)
	case dictionary:
		return s.dictionary(of.element)
	case object:
		return s.object(of, nil)
	}
	return false
}

// string goes behind a text in quotes.
func (s *scanner) string() bool {
	if !s.is('"') {
		return false
	}
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '"':
			return true
		case c < 0x20:
			return false
		case c == '\\' && !s.escape():
			return false
		}
	}
	return false
}

// escape goes behind what follows a backslash.
func (s *scanner) escape() bool {
	if s.at >= len(s.text) {
		return false
	}
	c := s.text[s.at]
	s.at++
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			if s.at >= len(s.text) || !hexadecimal(s.text[s.at]) {
				return false
			}
			s.at++
		}
		return true
	}
	return false
}

func hexadecimal(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// digits goes behind digits and returns how many there are.
func (s *scanner) digits() int {
	begin := s.at
	for s.at < len(s.text) && s.text[s.at]-'0' <= 9 {
		s.at++
	}
	return s.at - begin
}

// whole goes behind the digits before a point, which do not begin with a zero that says nothing, and returns how many
// there are.
func (s *scanner) whole() int {
	if s.is('0') {
		return 1
	}
	return s.digits()
}

func (s *scanner) integer(of *shape) bool {
	if s.is('-') && !of.signed {
		return false
	}
	n := s.whole()
	return 0 < n && n <= of.digits
}

func (s *scanner) number() bool {
	begin := s.at
	s.is('-')
	if s.whole() == 0 || s.is('.') && s.digits() == 0 {
		return false
	}
	if s.is('e') || s.is('E') {
		if !s.is('-') {
			s.is('+')
		}
		if n := s.digits(); n == 0 || n > mostExponent {
			return false
		}
	}
	return s.at-begin <= longestNumber
}

func (s *scanner) list(element *shape) bool {
	if !s.is('[') {
		return false
	}
	if s.is(']') {
		return true
	}
	for s.value(element) {
		if !s.is(',') {
			return s.is(']')
		}
	}
	return false
}

func (s *scanner) dictionary(element *shape) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	for s.string() && s.is(':') && s.value(element) {
		if !s.is(',') {
			return s.is('}')
		}
	}
	return false
}

// object goes behind an object. visit may be nil.
func (s *scanner) object(of *shape, visit func(key string, value []byte)) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	for {
		key := s.at
		if !s.string() {
			return false
		}
		f := of.fields[string(s.text[key+1:s.at-1])]
		if f == nil || !s.is(':') {
			return false
		}
		value := s.at
		if !s.value(f.shape) {
			return false
		}
		if visit != nil {
			visit(f.name, s.text[value:s.at])
		}
		if !s.is(',') {
			return s.is('}')
		}
	}
}

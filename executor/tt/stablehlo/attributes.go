package stablehlo

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// attributes reads a dictionary up to its closing brace: whether it donates the argument, for which JAX writes
// tf.aliasing_output or jax.buffer_donor, and how the value is split.
func (s *scanner) attributes(v *Value) {
	for name := s.next(); name.text != "}"; name = s.next() {
		if name.text == "," {
			continue
		}
		if name.kind != word && name.kind != quoted {
			s.fail(name, "want an attribute or }")
			return
		}
		t := s.next()
		start := s.at
		if t.text == "=" {
			if name.text == "mhlo.frontend_attributes" && s.peekByte() == '{' {
				s.expect("{")
				s.attributes(v)
			}
			t = s.skipUntil(",", "}")
		}
		v.attribute(name.text, string(bytes.TrimSpace(s.text[start:max(start, t.at)])))
		switch t.text {
		case "}":
			return
		case ",":
		default:
			s.fail(t, "want = , or } behind an attribute")
		}
	}
}

// attribute notes an attribute that matters.
func (v *Value) attribute(name, value string) {
	switch name {
	case "tf.aliasing_output", "jax.buffer_donor":
		v.Donated = true
	case "mhlo.sharding":
		v.written.hlo = unquote(value)
	case "sdy.sharding":
		v.written.shardy = value
	case "xla.sdy.sharding":
		v.written.frontend = unquote(value)
	}
}

// skipUntil skips up to one of the tokens, outside of all brackets that are opened on the way, and returns it.
func (s *scanner) skipUntil(stops ...string) token {
	var open []byte // brackets
	for {
		t := s.next()
		if t.kind == end {
			s.fail(t, "want %s", stops[len(stops)-1])
			return t
		}
		if t.kind != mark {
			continue
		}
		if strings.Contains(")}]", t.text) {
			for len(open) > 0 && open[len(open)-1] == '<' { // a sign of a comparison
				open = open[:len(open)-1]
			}
		}
		if len(open) == 0 && slices.Contains(stops, t.text) {
			return t
		}
		switch t.text {
		case "(", "{", "[", "<":
			open = append(open, t.text[0])
		case ">":
			if len(open) > 0 && open[len(open)-1] == '<' {
				open = open[:len(open)-1]
			}
		case ")", "}", "]":
			if len(open) == 0 {
				s.fail(t, "want %s", stops[len(stops)-1])
				return t
			}
			open = open[:len(open)-1]
		}
	}
}

// meshesAttribute reads the meshes behind xla.sdy.meshes.
func (s *scanner) meshesAttribute() map[string]mesh {
	s.expect("=")
	start := s.at
	t := s.next()
	meshes, err := meshesFrom(unquote(string(bytes.TrimSpace(s.text[start:s.at]))))
	if err != nil {
		s.fail(t, "%v", err)
	}
	return meshes
}

// unquote returns the contents of a string of MLIR, in which \22 is the character with that hexadecimal number.
func unquote(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		if n, err := strconv.ParseUint(text[i+1:min(i+3, len(text))], 16, 8); err == nil && i+2 < len(text) {
			b.WriteByte(byte(n))
			i += 2
			continue
		}
		i++
		b.WriteByte(text[i])
	}
	return b.String()
}

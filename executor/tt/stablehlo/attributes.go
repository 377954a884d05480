package stablehlo

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// attributes reads a dictionary up to its closing brace: whether it donates the argument, for which JAX writes
// tf.aliasing_output or jax.buffer_donor, and how the value is split.
func (s *scanner) attributes(v *Value) error {
	for {
		name, err := s.next()
		if err != nil || name.text == "}" {
			return err
		}
		if name.text == "," {
			continue
		}
		if name.kind != word && name.kind != quoted {
			return s.problem(name, "want an attribute or }")
		}
		t, err := s.next()
		if err != nil {
			return err
		}
		start := s.at
		if t.text == "=" {
			if name.text == "mhlo.frontend_attributes" && s.peekByte() == '{' {
				if err := s.expect("{"); err != nil {
					return err
				}
				if err := s.attributes(v); err != nil {
					return err
				}
			}
			if t, err = s.skipUntil(",", "}"); err != nil {
				return err
			}
		}
		v.attribute(name.text, string(bytes.TrimSpace(s.text[start:max(start, t.at)])))
		switch t.text {
		case "}":
			return nil
		case ",":
		default:
			return s.problem(t, "want = , or } behind an attribute")
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
func (s *scanner) skipUntil(stops ...string) (token, error) {
	var open []byte // brackets
	for {
		t, err := s.next()
		if err != nil {
			return t, err
		}
		if t.kind == end {
			return t, s.problem(t, "want %s", stops[len(stops)-1])
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
			return t, nil
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
				return t, s.problem(t, "want %s", stops[len(stops)-1])
			}
			open = open[:len(open)-1]
		}
	}
}

// meshesAttribute reads the meshes behind xla.sdy.meshes.
func (s *scanner) meshesAttribute() (map[string]mesh, error) {
	if err := s.expect("="); err != nil {
		return nil, err
	}
	start := s.at
	t, err := s.next()
	if err != nil {
		return nil, err
	}
	meshes, err := meshesFrom(unquote(string(bytes.TrimSpace(s.text[start:s.at]))))
	if err != nil {
		return nil, s.problem(t, "%v", err)
	}
	return meshes, nil
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

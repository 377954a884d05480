package stablehlo

import "strings"

// mesh is a grid of devices of the dialect sdy (Shardy), whose axes have names.
type mesh struct {
	axes    []axis // the last varies fastest
	devices []int  // in this order; nil for 0, 1, 2, …
}

type axis struct {
	name string
	size int64
}

// meshName reads the tokens behind sdy.mesh up to the mesh: @name = <["x"=2, "y"=4], device_ids=[…]>.
func (s *scanner) meshName() (name string) {
	t := s.next()
	if t.kind != word || t.text[0] != '@' {
		s.fail(t, "want the name of a mesh, such as @mesh")
		return ""
	}
	if name = t.text[1:]; name == "" { // the name is quoted
		name = strings.Trim(s.next().text, `"`)
	}
	s.expect("=")
	return name
}

// mesh reads <["x"=2, "y"=4], device_ids=[…]>.
func (s *scanner) mesh() (m mesh) {
	s.expect("<", "[")
	count := int64(1)
	for t := s.next(); t.text != "]"; t = s.next() {
		if t.text == "," {
			continue
		}
		if t.kind != quoted {
			s.fail(t, `want an axis, such as "x"=2`)
			return m
		}
		s.expect("=")
		size := s.number(s.next())
		if size < 1 || size > maxDevices || count*size > maxDevices {
			s.fail(t, "want an axis of a mesh of up to %d devices", maxDevices)
			return m
		}
		count *= size
		m.axes = append(m.axes, axis{strings.Trim(t.text, `"`), size})
	}
	if s.next().text == ">" {
		return m
	}
	s.expect("device_ids", "=")
	for _, n := range s.numbers("[", "]") {
		m.devices = append(m.devices, int(n))
	}
	s.expect(">")
	return m
}

// meshesFrom reads the meshes that a program has as a string: {mesh = #sdy.mesh<["x"=2]>, …}.
func meshesFrom(text string) (map[string]mesh, error) {
	s := &scanner{text: []byte(text)}
	s.expect("{")
	meshes := map[string]mesh{}
	for t := s.next(); t.text != "}"; t = s.next() {
		if t.text == "," {
			continue
		}
		if t.kind == end {
			s.fail(t, "want }")
			return nil, s.err
		}
		s.expect("=", "#sdy.mesh")
		meshes[t.text] = s.mesh()
	}
	return meshes, s.err
}

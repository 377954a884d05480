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

// meshDeclaration reads the tokens behind sdy.mesh: @name = <["x"=2, "y"=4], device_ids=[…]>.
func (s *scanner) meshDeclaration() (name string, m mesh, err error) {
	t, err := s.next()
	if err != nil {
		return "", m, err
	}
	if t.kind != word || t.text[0] != '@' {
		return "", m, s.problem(t, "want the name of a mesh, such as @mesh")
	}
	if name = t.text[1:]; name == "" { // the name is quoted
		if t, err = s.next(); err != nil {
			return "", m, err
		}
		name = strings.Trim(t.text, `"`)
	}
	if err := s.expect("="); err != nil {
		return "", m, err
	}
	m, err = s.mesh()
	return name, m, err
}

// mesh reads <["x"=2, "y"=4], device_ids=[…]>.
func (s *scanner) mesh() (m mesh, err error) {
	for _, bracket := range []string{"<", "["} {
		if err := s.expect(bracket); err != nil {
			return m, err
		}
	}
	for count := int64(1); ; {
		t, err := s.next()
		if err != nil {
			return m, err
		}
		if t.text == "]" {
			break
		}
		if t.text == "," {
			continue
		}
		if t.kind != quoted {
			return m, s.problem(t, `want an axis, such as "x"=2`)
		}
		if err := s.expect("="); err != nil {
			return m, err
		}
		size, err := s.nextNumber()
		if err != nil {
			return m, err
		}
		if size < 1 || size > maxDevices || count*size > maxDevices {
			return m, s.problem(t, "want an axis of a mesh of up to %d devices", maxDevices)
		}
		count *= size
		m.axes = append(m.axes, axis{strings.Trim(t.text, `"`), size})
	}
	t, err := s.next()
	if err != nil || t.text == ">" {
		return m, err
	}
	for _, text := range []string{"device_ids", "="} {
		if err := s.expect(text); err != nil {
			return m, err
		}
	}
	list, err := s.numbers("[", "]")
	if err != nil {
		return m, err
	}
	for _, n := range list {
		m.devices = append(m.devices, int(n))
	}
	return m, s.expect(">")
}

// meshesFrom reads the meshes that a program has as a string: {mesh = #sdy.mesh<["x"=2]>, …}.
func meshesFrom(text string) (map[string]mesh, error) {
	s := &scanner{text: []byte(text)}
	if err := s.expect("{"); err != nil {
		return nil, err
	}
	meshes := map[string]mesh{}
	for {
		t, err := s.next()
		if err != nil {
			return nil, err
		}
		switch t.text {
		case "}":
			return meshes, nil
		case ",":
			continue
		}
		if t.kind == end {
			return nil, s.problem(t, "want }")
		}
		for _, want := range []string{"=", "#sdy.mesh"} {
			if err := s.expect(want); err != nil {
				return nil, err
			}
		}
		if meshes[t.text], err = s.mesh(); err != nil {
			return nil, err
		}
	}
}

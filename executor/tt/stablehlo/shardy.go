package stablehlo

import (
	"fmt"
	"strings"
)

// axisRef is an axis of a mesh, or the part of one that remains behind pre steps: "x" or "x":(pre)size.
type axisRef struct {
	at        int // among the axes
	pre, size int64
}

// parseShardy reads #sdy.sharding<@mesh, [{"x"}, {"y", ?}], replicated={"z"}>, as Shardy's documentation describes it.
// Whether the compiler may split further ("?"), and in which order it decides (p0), is ignored: the types of the
// compiled program's results are compared with the sharding later.
func parseShardy(text string, partitions int, meshes map[string]mesh) (Sharding, error) {
	s := &scanner{text: []byte(text)}
	for _, want := range []string{"#sdy.sharding", "<"} {
		if err := s.expect(want); err != nil {
			return Sharding{}, err
		}
	}
	m, err := s.meshOf(meshes)
	if err != nil {
		return Sharding{}, err
	}
	for _, want := range []string{",", "["} {
		if err := s.expect(want); err != nil {
			return Sharding{}, err
		}
	}
	dims, err := s.dimensionAxes(m)
	if err != nil {
		return Sharding{}, err
	}
	t, err := s.next()
	for ; err == nil && t.text == ","; t, err = s.next() {
		if err := s.expect("replicated"); err != nil {
			return Sharding{}, err
		}
		for _, want := range []string{"=", "{"} {
			if err := s.expect(want); err != nil {
				return Sharding{}, err
			}
		}
		if _, err := s.skipUntil("}"); err != nil {
			return Sharding{}, err
		}
	}
	if err != nil {
		return Sharding{}, err
	}
	return m.assign(dims, partitions)
}

// meshOf reads the mesh of a sharding, by name or written out.
func (s *scanner) meshOf(meshes map[string]mesh) (mesh, error) {
	t, err := s.next()
	if err != nil {
		return mesh{}, err
	}
	if t.text == "mesh" {
		return s.mesh()
	}
	if t.text == "@" { // the name is quoted
		if t, err = s.next(); err != nil {
			return mesh{}, err
		}
	}
	m, found := meshes[strings.Trim(strings.TrimPrefix(t.text, "@"), `"`)]
	if !found {
		return m, s.problem(t, "no such mesh was declared before")
	}
	return m, nil
}

// dimensionAxes reads the axes along which each dimension is split, up to the closing bracket.
func (s *scanner) dimensionAxes(m mesh) (dims [][]axisRef, err error) {
	for {
		t, err := s.next()
		if err != nil {
			return nil, err
		}
		switch {
		case t.text == "]":
			return dims, nil
		case t.text == ",", len(dims) > 0 && len(t.text) > 1 && t.text[0] == 'p': // a priority
			continue
		case t.text != "{" || len(dims) == maxRank:
			return nil, s.problem(t, "want the axes of a dimension, in {}")
		}
		axes, err := s.axes(m)
		if err != nil {
			return nil, err
		}
		dims = append(dims, axes)
	}
}

// axes reads "x", "y":(2)4, ? up to the closing brace.
func (s *scanner) axes(m mesh) (list []axisRef, err error) {
	for {
		t, err := s.next()
		if err != nil {
			return nil, err
		}
		switch {
		case t.text == "}":
			return list, nil
		case t.text == ",", t.text == "?":
			continue
		case t.text == ":" && len(list) > 0:
			pre, err := s.numbers("(", ")")
			if err != nil {
				return nil, err
			}
			size, err := s.nextNumber()
			if err != nil {
				return nil, err
			}
			whole := m.axes[list[len(list)-1].at].size
			if len(pre) != 1 || pre[0] < 1 || size < 1 || pre[0] > whole || whole%(pre[0]*min(size, whole)) != 0 {
				return nil, s.problem(t, "want a part of an axis of %d devices", whole)
			}
			list[len(list)-1].pre, list[len(list)-1].size = pre[0], min(size, whole)
			continue
		case t.kind != quoted:
			return nil, s.problem(t, "want the name of an axis")
		}
		at := m.axis(strings.Trim(t.text, `"`))
		if at < 0 || len(list) == maxRank {
			return nil, s.problem(t, "the mesh has no such axis")
		}
		list = append(list, axisRef{at, 1, m.axes[at].size})
	}
}

// axis returns the position of an axis, or -1.
func (m mesh) axis(name string) int {
	for i, a := range m.axes {
		if a.name == name {
			return i
		}
	}
	return -1
}

// assign gives each device its part of an array that is split along axes of the mesh.
func (m mesh) assign(dims [][]axisRef, partitions int) (Sharding, error) {
	tiles := make([]int64, len(dims))
	for i, axes := range dims {
		tiles[i] = 1
		for _, a := range axes {
			if tiles[i] *= a.size; tiles[i] > maxDevices {
				return Sharding{}, fmt.Errorf("dimension %d is split into more than %d parts", i, maxDevices)
			}
		}
	}
	if len(m.axes) == 0 && m.devices == nil {
		return Sharding{}, nil // an empty mesh: every device holds everything
	}
	count := 1
	for _, a := range m.axes {
		count *= int(a.size)
	}
	if count != partitions {
		return Sharding{}, fmt.Errorf("its mesh has %d devices and mhlo.num_partitions is %d", count, partitions)
	}
	if m.devices != nil {
		if err := permutation(m.devices, partitions); err != nil {
			return Sharding{}, fmt.Errorf("device_ids: %w", err)
		}
	}
	s := Sharding{Tiles: tiles, Parts: make([]int, partitions)}
	for i := range partitions {
		device := i
		if m.devices != nil {
			device = m.devices[i]
		}
		s.Parts[device] = m.part(dims, tiles, int64(i))
	}
	return s, nil
}

// part returns the part at a position of the mesh.
func (m mesh) part(dims [][]axisRef, tiles []int64, position int64) int {
	coordinates := make([]int64, len(m.axes))
	for a := len(m.axes) - 1; a >= 0; a-- {
		coordinates[a] = position % m.axes[a].size
		position /= m.axes[a].size
	}
	part := int64(0)
	for d, axes := range dims {
		index := int64(0)
		for _, a := range axes {
			below := m.axes[a.at].size / (a.pre * a.size)
			index = index*a.size + coordinates[a.at]/below%a.size
		}
		part = part*tiles[d] + index
	}
	return int(part)
}

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
	s.expect("#sdy.sharding", "<")
	m := s.meshOf(meshes)
	s.expect(",", "[")
	dims := s.dimensionAxes(m)
	for s.next().text == "," {
		s.expect("replicated", "=", "{")
		s.skipUntil("}")
	}
	if s.err != nil {
		return Sharding{}, s.err
	}
	return m.assign(dims, partitions)
}

// meshOf reads the mesh of a sharding, by name or written out.
func (s *scanner) meshOf(meshes map[string]mesh) mesh {
	t := s.next()
	if t.text == "mesh" {
		return s.mesh()
	}
	if t.text == "@" { // the name is quoted
		t = s.next()
	}
	m, found := meshes[strings.Trim(strings.TrimPrefix(t.text, "@"), `"`)]
	if !found {
		s.fail(t, "no such mesh was declared before")
	}
	return m
}

// dimensionAxes reads the axes along which each dimension is split, up to the closing bracket.
func (s *scanner) dimensionAxes(m mesh) (dims [][]axisRef) {
	for t := s.next(); t.text != "]"; t = s.next() {
		switch {
		case t.text == ",", len(dims) > 0 && len(t.text) > 1 && t.text[0] == 'p': // a priority
			continue
		case t.text != "{" || len(dims) == maxRank:
			s.fail(t, "want the axes of a dimension, in {}")
			return nil
		}
		dims = append(dims, s.axes(m))
	}
	return dims
}

// axes reads "x", "y":(2)4, ? up to the closing brace.
func (s *scanner) axes(m mesh) (list []axisRef) {
	for t := s.next(); t.text != "}"; t = s.next() {
		switch {
		case t.text == ",", t.text == "?":
			continue
		case t.text == ":" && len(list) > 0:
			pre, size := s.numbers("(", ")"), s.number(s.next())
			whole := m.axes[list[len(list)-1].at].size
			if len(pre) != 1 || pre[0] < 1 || size < 1 || pre[0] > whole || whole%(pre[0]*min(size, whole)) != 0 {
				s.fail(t, "want a part of an axis of %d devices", whole)
				return nil
			}
			list[len(list)-1].pre, list[len(list)-1].size = pre[0], min(size, whole)
			continue
		case t.kind != quoted:
			s.fail(t, "want the name of an axis")
			return nil
		}
		at := m.axis(strings.Trim(t.text, `"`))
		if at < 0 || len(list) == maxRank {
			s.fail(t, "the mesh has no such axis")
			return nil
		}
		list = append(list, axisRef{at, 1, m.axes[at].size})
	}
	return list
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

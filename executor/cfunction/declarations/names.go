package declarations

import "maps"

// Names are what texts of C define for declarations: typedefs of arithmetic types and of pointers to them, typedefs of
// structures, and enumerators. Its zero value has none.
type Names struct {
	typedefs   map[string]Type
	structures map[string]structure
	constants  map[string]enumerator
}

// enumerator is a constant of an enumeration, and the file that defines it.
type enumerator struct {
	value int64
	file  string
}

// With returns the names of both. Those of more take precedence.
func (n Names) With(more Names) Names {
	both := n.clone()
	maps.Copy(both.typedefs, more.typedefs)
	maps.Copy(both.structures, more.structures)
	maps.Copy(both.constants, more.constants)
	return both
}

// clone returns a copy to which names can be added.
func (n Names) clone() Names {
	c := Names{map[string]Type{}, map[string]structure{}, map[string]enumerator{}}
	maps.Copy(c.typedefs, n.typedefs)
	maps.Copy(c.structures, n.structures)
	maps.Copy(c.constants, n.constants)
	return c
}

// Constants returns the values of the enumerators that files define for which of is true.
func (n Names) Constants(of func(file string) bool) map[string]int64 {
	values := map[string]int64{}
	for name, c := range n.constants {
		if of(c.file) {
			values[name] = c.value
		}
	}
	return values
}

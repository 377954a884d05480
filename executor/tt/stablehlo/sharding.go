package stablehlo

import (
	"fmt"
	"slices"
)

// Sharding tells which part of an array each device holds. The zero value means that every device holds all of it.
type Sharding struct {
	Tiles []int64 // the number of parts along each dimension
	Parts []int   // the part that each device holds, in row-major order of Tiles; devices can hold the same part
}

// Split reports whether a device holds less than the whole array.
func (s Sharding) Split() bool {
	return slices.ContainsFunc(s.Tiles, func(n int64) bool { return n > 1 })
}

// PartDimensions returns the dimensions of each part of an array.
func (s Sharding) PartDimensions(dimensions []int64) []int64 {
	part := slices.Clone(dimensions)
	for i, n := range s.Tiles {
		part[i] /= n
	}
	return part
}

// CheckFor returns an error unless an array of these dimensions has such parts, all of the same size.
func (s Sharding) CheckFor(dimensions []int64) error {
	if !s.Split() {
		return nil
	}
	if len(s.Tiles) != len(dimensions) {
		return fmt.Errorf("it splits %d dimensions and the array has %d", len(s.Tiles), len(dimensions))
	}
	for i, n := range s.Tiles {
		if dimensions[i] == Open || dimensions[i]%n != 0 {
			return fmt.Errorf("it splits dimension %d into %d parts, which are not of the same size; zonemark "+
				"supports equal parts", i, n)
		}
	}
	return nil
}

// shardings of an argument or a result, as the program writes them. Programs that JAX exports have several that say the
// same.
type shardings struct {
	hlo      string // mhlo.sharding, a string
	shardy   string // sdy.sharding, an attribute of the dialect sdy (Shardy)
	frontend string // the same as a string, in mhlo.frontend_attributes
}

// resolve reads the sharding of a value for a program of so many partitions.
func (text shardings) resolve(partitions int, meshes map[string]mesh) (Sharding, error) {
	switch {
	case text.hlo != "":
		return ParseSharding(text.hlo, partitions)
	case text.shardy != "":
		return parseShardy(text.shardy, partitions, meshes)
	case text.frontend != "":
		return parseShardy(text.frontend, partitions, meshes)
	}
	return Sharding{}, nil
}

// resolveShardings reads the shardings of all values if the program has several partitions. The error names the value
// and its sharding.
func (sig *Signature) resolveShardings(meshes map[string]mesh) error {
	if sig.Partitions <= 1 {
		return nil
	}
	for _, list := range [][]Value{sig.Arguments, sig.Results} {
		for i := range list {
			v := &list[i]
			var err error
			if v.Sharding, err = v.written.resolve(sig.Partitions, meshes); err == nil {
				err = v.Sharding.CheckFor(v.Type.Dimensions)
			}
			if err != nil {
				return fmt.Errorf("%s: sharding %s: %w", v.Name, v.written.text(), err)
			}
			sig.Shardy = sig.Shardy || v.written.shardy != "" || v.written.frontend != ""
		}
	}
	return nil
}

// text returns the sharding that resolve reads.
func (text shardings) text() string {
	for _, s := range []string{text.hlo, text.shardy, text.frontend} {
		if s != "" {
			return s[:min(len(s), maxToken)]
		}
	}
	return "(none)"
}

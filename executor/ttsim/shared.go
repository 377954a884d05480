package ttsim

import (
	"fmt"
	"slices"
)

// checkCores returns an error if a core is to run two programs.
func checkCores(list []placement) error {
	for i, p := range list {
		for _, other := range list[:i] {
			if at := sharedTile(p, other); at != nil && p.core == other.core {
				return fmt.Errorf("%s and %s are both for %s of the tile %s", other.name, p.name, p.core.name, at)
			}
		}
	}
	return nil
}

// checkShared returns an error if the programs of a tile use the same memory.
func checkShared(list []placement) error {
	for i, p := range list {
		for _, other := range list[:i] {
			at := sharedTile(p, other)
			if at == nil {
				continue
			}
			for _, s := range p.image.extents() {
				for _, o := range other.image.extents() {
					if uint64(s.address) < o.end && uint64(o.address) < s.end {
						return fmt.Errorf("%s (%s at %#x) and %s (%s at %#x) use the same memory of the tile %s; "+
							"link them to other addresses", other.name, o.name, o.address, p.name, s.name, s.address, at)
					}
				}
			}
		}
	}
	return nil
}

// sharedTile returns a tile that both placements have, or nil.
func sharedTile(a, b placement) *tile {
	for i := range a.tiles {
		if slices.Contains(b.tiles, a.tiles[i]) {
			return &a.tiles[i]
		}
	}
	return nil
}

// extent is a part of L1 that a program uses.
type extent struct {
	name    string
	address uint32
	end     uint64
}

// extents returns all parts of L1 that an image uses.
func (m *image) extents() (list []extent) {
	for _, s := range m.segments {
		list = append(list, extent{"a segment", s.address, s.end()})
	}
	for _, p := range m.layout.places() {
		list = append(list, extent{p.name, p.address, uint64(p.address) + uint64(p.bytes())})
	}
	return list
}

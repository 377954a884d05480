// Package repeats finds texts that may be equal among very many.
package repeats

import (
	"hash/maphash"
	"slices"
)

// Finder finds texts that may be equal. It takes 8 bytes of memory for each text.
type Finder struct {
	seed   maphash.Seed
	hashes []uint64
}

// Add adds a text.
func (f *Finder) Add(text string) {
	if f.hashes == nil {
		f.seed = maphash.MakeSeed()
	}
	f.hashes = append(f.hashes, maphash.String(f.seed, text))
}

// Suspect returns a function that reports whether a text may have been added several times. It returns nil if all texts
// are distinct.
func (f *Finder) Suspect() func(text string) bool {
	slices.Sort(f.hashes)
	several := map[uint64]bool{}
	for i := 1; i < len(f.hashes); i++ {
		if f.hashes[i] == f.hashes[i-1] {
			several[f.hashes[i]] = true
		}
	}
	if len(several) == 0 {
		return nil
	}
	return func(text string) bool { return several[maphash.String(f.seed, text)] }
}

package suite

import (
	"fmt"
	"hash/maphash"
	"slices"

	"zonemark/invocations"
)

// nameHashes finds names that may be equal. It takes 8 bytes of memory for each name.
type nameHashes struct {
	seed maphash.Seed
	list []uint64
}

func (h *nameHashes) add(name string) {
	if h.list == nil {
		h.seed = maphash.MakeSeed()
	}
	h.list = append(h.list, maphash.String(h.seed, name))
}

// repeated returns a function that reports whether a name may have been added several times. It returns nil if all
// names are distinct.
func (h *nameHashes) repeated() func(name string) bool {
	slices.Sort(h.list)
	several := map[uint64]bool{}
	for i := 1; i < len(h.list); i++ {
		if h.list[i] == h.list[i-1] {
			several[h.list[i]] = true
		}
	}
	if len(several) == 0 {
		return nil
	}
	return func(name string) bool { return several[maphash.String(h.seed, name)] }
}

// distinctNames returns an error if two points have the same name. It looks only at the names for which suspect returns
// true; nil suspects none.
func (s *Suite) distinctNames(suspect func(name string) bool, base invocations.Invocation,
	override func(*invocations.Invocation)) (err error) {
	if suspect == nil {
		return nil
	}
	lines := map[string]int{} // of entries, by name
	walked := s.walk(base, override, func(v invocations.Invocation, line int) bool {
		if !suspect(v.Name) {
			return true
		}
		if earlier, taken := lines[v.Name]; taken {
			err = &Error{File: s.File, Line: line, Key: "invocation",
				Err: fmt.Errorf("the name %q is taken by the entry on line %d: give each its own name", v.Name, earlier)}
			return false
		}
		lines[v.Name] = line
		return true
	})
	if walked != nil {
		return walked
	}
	return err
}

package sandbox

import (
	"maps"
	"slices"
)

// Support is what the machine offers a child of this process, as found by Probe. The zero value offers nothing.
type Support struct {
	Layers  []Layer          // available, those of every profile
	Missing map[Layer]string // the others, with the reason
	ids     idRanges         // what a user namespace maps
}

// Has reports whether the machine offers a layer.
func (s Support) Has(l Layer) bool { return slices.Contains(s.Layers, l) }

// Without returns s as if the machine lacked a layer, for the given reason. The other namespaces go together with the
// user namespace: Probe has shown only that they work inside it. s stays as it is.
func (s Support) Without(l Layer, reason string) Support {
	gone := []Layer{l}
	if l == LayerUser && s.Has(LayerUser) {
		gone = append(gone, LayerMount, LayerNet, LayerIPC, LayerPID)
	}
	r := Support{Missing: maps.Clone(s.Missing), ids: s.ids}
	if r.Missing == nil {
		r.Missing = map[Layer]string{}
	}
	for _, have := range s.Layers {
		if slices.Contains(gone, have) {
			r.Missing[have] = reason
		} else {
			r.Layers = append(r.Layers, have)
		}
	}
	return r
}

// Only returns s without the layers that a profile does not have.
func (s Support) Only(p Profile) Support {
	r := Support{Missing: maps.Clone(s.Missing), ids: s.ids}
	for _, l := range s.Layers {
		if slices.Contains(p.Layers(), l) {
			r.Layers = append(r.Layers, l)
		}
	}
	maps.DeleteFunc(r.Missing, func(l Layer, _ string) bool { return !slices.Contains(p.Layers(), l) })
	return r
}

// missing returns the layers of a profile that s does not offer, each with a reason.
func (s Support) missing(p Profile) map[Layer]string {
	reasons := map[Layer]string{}
	for _, l := range p.Layers() {
		if s.Has(l) {
			continue
		}
		reasons[l] = s.Missing[l]
		if reasons[l] == "" {
			reasons[l] = "not probed"
		}
	}
	return reasons
}

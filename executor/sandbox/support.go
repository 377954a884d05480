package sandbox

import (
	"maps"
	"slices"
)

// Support is what the machine offers a child of this process, as found by Probe. The zero value offers nothing.
type Support struct {
	Layers  []Layer          // available, in the order of AllLayers
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
		gone = append(gone, LayerMount, LayerNet, LayerIPC)
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

// missing returns the layers that s does not offer, each with a reason.
func (s Support) missing() map[Layer]string {
	reasons := map[Layer]string{}
	for _, l := range AllLayers() {
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

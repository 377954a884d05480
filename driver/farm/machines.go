package farm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/driver/journal"
	"zonemark/driver/machine"
)

// Machine is a machine that measured shards.
type Machine struct {
	Environment map[string]string
	Shards      []int // that were measured there, in part or as a whole
}

// findMachines finds the machines that measured the shards.
func (m *Merged) findMachines() {
	at := map[string]int{}
	for _, s := range m.Shards {
		for _, h := range append([]journal.Header{s.Header}, s.Resumes...) {
			key := machine.Fingerprint(h.Environment)
			i, known := at[key]
			if !known {
				i, at[key] = len(m.Machines), len(m.Machines)
				m.Machines = append(m.Machines, Machine{Environment: h.Environment})
			}
			if shards := &m.Machines[i].Shards; !slices.Contains(*shards, s.Header.Shard.Index) {
				*shards = append(*shards, s.Header.Shard.Index)
			}
		}
	}
}

// Differences returns what the environments of the machines do not agree on, a sentence for each entry. Load, which
// always differs, is left out.
func (m *Merged) Differences() (list []string) {
	keys := map[string]bool{}
	for _, one := range m.Machines {
		for key := range one.Environment {
			keys[key] = true
		}
	}
	delete(keys, "load")
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var values []string
		for _, one := range m.Machines {
			if value := fmt.Sprintf("%q", one.Environment[key]); !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		if len(values) > 1 {
			list = append(list, key+" is "+strings.Join(values, ", "))
		}
	}
	return list
}

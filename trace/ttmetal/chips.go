package ttmetal

import "strings"

// Chip is what a processor of Tenstorrent can do at most.
type Chip struct {
	Name         string
	coreFLOPS    float64 // of a core's matrix engine in a second at LoFi, the lowest of the fidelities
	DRAMBytes    float64 // that the DRAM moves in a second
	dramReaders  int64   // cores that read weights that are sharded over the DRAM, one for each port
	architecture string  // as tt-metal names it; only the first chip of an architecture stands for it
}

// chips are the chips that shares of the peak are known for.
//
// A matrix engine of Wormhole and Blackhole makes 4,096 multiplications and additions in a cycle at LoFi (tt-metal,
// tech_reports/matrix_engine/matrix_engine.md), one of Grayskull 2,048 (tt-metal, performance models of matmul and
// convolution, tensix_mul_adds_per_cycle_lofi). Clocks and DRAM bandwidths are those of docs.tenstorrent.com,
// aibs/wormhole/specifications (n150, n300: 1 GHz; 288 GB/s for each of the chips) and aibs/blackhole/specifications
// (up to 1.35 GHz; p100a 448, p150a 512 GB/s), and of the announcement of Grayskull (e150: 1.2 GHz, 118.4 GB/s). The
// DRAM has 12 ports that are used on Wormhole, 8 on the p150 and 7 on the p100, by which tt-metal shards weights.
var chips = []Chip{
	{"e150", 2048 * 1.2e9, 118.4e9, 8, "grayskull"},
	{"n150", 4096 * 1e9, 288e9, 12, "wormhole_b0"},
	{"n300", 4096 * 1e9, 288e9, 12, "wormhole_b0"},
	{"p150", 4096 * 1.35e9, 512e9, 8, "blackhole"},
	{"p100", 4096 * 1.35e9, 448e9, 7, "blackhole"},
}

// ChipNames are the names of the chips whose peaks are known.
func ChipNames() (names []string) {
	for _, c := range chips {
		names = append(names, c.Name)
	}
	return names
}

// ChipNamed returns the chip of a name, nil if there is none.
func ChipNamed(name string) *Chip {
	for i := range chips {
		if chips[i].Name == name {
			return &chips[i]
		}
	}
	return nil
}

// chipOf returns the chip that stands for an architecture, nil if none does.
func chipOf(architecture string) *Chip {
	for i := range chips {
		if strings.EqualFold(chips[i].architecture, architecture) {
			return &chips[i]
		}
	}
	return nil
}

// phases is how often the matrix engine goes over its inputs at a fidelity; 0: the fidelity is not known.
func phases(fidelity string) float64 {
	switch fidelity {
	case "LoFi":
		return 1
	case "HiFi2":
		return 2
	case "HiFi3":
		return 3
	case "HiFi4":
		return 4
	}
	return 0
}

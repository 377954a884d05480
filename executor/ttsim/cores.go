package ttsim

import (
	"fmt"
	"strings"
)

// core is one of the five RISC-V cores of a Tensix tile.
type core struct {
	name  string
	held  uint32 // bit of the reset register that holds the core
	start uint32 // address in L1 at which it begins when it is let out of reset
}

// resetAll is the value of the reset register that holds all cores.
const resetAll = 0x47800

// cores are the cores of a tile in the order in which the simulator steps them. The addresses are those that hold
// unless registers override them.
var cores = [...]core{
	{"BRISC", 0x800, 0},
	{"TRISC0", 0x1000, 0x6000},
	{"TRISC1", 0x2000, 0xA000},
	{"TRISC2", 0x4000, 0xE000},
	{"NCRISC", 0x40000, 0x12000},
}

// brisc is the core that runs a program of one file.
var brisc = cores[0]

// coreOf returns the core of a name, in any case of letters.
func coreOf(name string) (core, error) {
	var names []string
	for _, c := range cores {
		if strings.EqualFold(c.name, name) {
			return c, nil
		}
		names = append(names, strings.ToLower(c.name))
	}
	return core{}, fmt.Errorf("no core %q; want one of %s", name, strings.Join(names, ", "))
}

// tile is the place of a Tensix tile: a chip, and column and row in its grid of Tensix tiles, from 0.
type tile struct{ chip, column, row int }

func (t tile) String() string {
	text := fmt.Sprintf("%d,%d", t.column, t.row)
	if t.chip > 0 {
		text += fmt.Sprintf(" of chip %d", t.chip)
	}
	return text
}

// place is where a tile is reached: a chip and the tile's coordinates on its NoC.
type place struct {
	chip int
	noc  uint32 // x | y<<6
}

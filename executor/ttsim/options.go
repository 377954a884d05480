package ttsim

import (
	"fmt"
	"strconv"

	"zonemark/invocations"
)

// These are the keys of invocations.Artifact.Options.
const (
	OptionSimulator = "simulator"   // path of libttsim.so
	optionCycles    = "cycle-limit" // maximum of cycles; then a call has failed
	optionL1        = "l1"          // places of the objects of a flat binary
)

// These are bounds of the cycles that a call may take. The default takes a functional simulator some seconds. 32-bit
// counters do not reach beyond the maximum.
const (
	cyclesDefault = 20_000_000
	maxCycles     = 1<<32 - 1
)

// Options returns the options of programs for the simulator.
func Options() []invocations.Option {
	return []invocations.Option{
		{Name: OptionSimulator, Placeholder: "file", Kind: invocations.FileOption,
			Usage: "Tenstorrent's simulator libttsim.so, which runs RISC-V programs; TT_METAL_SIMULATOR when left out"},
		{Name: optionCycles, Placeholder: "n",
			Usage: "simulated cycles after which a RISC-V program has failed; 20,000,000 when left out"},
		{Name: optionL1, Placeholder: "layout",
			Usage: "places in a flat binary for ttsim, which has no symbols that name them: " +
				"\"mailbox=0x20000 input0=0x10000:1024xi32 output0=0x11000:i32 load=0\""},
	}
}

// options holds the parsed options of an artifact.
type options struct {
	simulator string // empty for the runtime's
	cycles    int64
	l1        string
}

func parseOptions(given map[string]string) (options, error) {
	o := options{simulator: given[OptionSimulator], cycles: cyclesDefault, l1: given[optionL1]}
	if value := given[optionCycles]; value != "" {
		var err error
		if o.cycles, err = strconv.ParseInt(value, 0, 64); err != nil || o.cycles < 1 || o.cycles > maxCycles {
			return o, fmt.Errorf(
				"option %s=%s: want a number of cycles from 1 to %d",
				optionCycles,
				value,
				int64(maxCycles),
			)
		}
	}
	return o, nil
}

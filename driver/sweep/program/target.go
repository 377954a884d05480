package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/driver/sweep/operations"
)

// Target says what runs the programs.
type Target struct {
	Runtime string            // of the invocations: PJRT or IREE
	Options map[string]string // of the artifacts, by the runtime's keys: "plugin", "device", …
	Device  string            // for messages: "cpu"
	// Tenstorrent says that the compiler is Tenstorrent's, which takes a math fidelity and converts to Bfp8_b.
	Tenstorrent bool
	// Emulate rounds to block formats in float32, by operations of the program. That shows their accuracy, not their
	// speed. Without it, configurations with block formats that the device does not have are not applied.
	Emulate bool
}

// The runtimes.
const (
	PJRT = "tt"
	IREE = "iree"
)

// compileOptions is the key of the options of PJRT's compilers, NAME=VALUE each, separated by spaces.
const compileOptions = "compile-options"

// Extension returns the file name extension of programs for the runtime.
func (t *Target) Extension() string {
	if t.Runtime == IREE {
		return ".mlir"
	}
	return ".stablehlo"
}

// NotApplied is a variable of a configuration that a target does not apply, and why.
type NotApplied struct{ Variable, Reason string }

func (n NotApplied) String() string { return n.Variable + ": " + n.Reason }

// Refusal is the error of a configuration that a target has no program for: it cannot be applied, and is not measured.
type Refusal struct{ NotApplied }

func (r *Refusal) Error() string { return r.String() }

// formats decides on the data formats: it returns the formats that the program has, and the options of the compiler.
// Block formats are emulated, or left to Tenstorrent's compiler, which converts programs in bfloat16.
func (t *Target) formats(c *operations.Configuration) (replaced bool, options []string, err error) {
	names := append(c.Inputs(), "output", "intermed")
	blocks, converted := 0, 0
	for _, name := range names {
		if f := c.Format(name); f.Block() {
			blocks++
			if f == operations.Bfp8B {
				converted++
			}
		}
	}
	switch {
	case blocks == 0 || t.Emulate:
		return false, nil, nil
	case t.Tenstorrent && converted == len(names):
		return true, []string{"enable_bfp8_conversion=true"}, nil
	}
	i := slices.IndexFunc(names, func(name string) bool { return c.Format(name).Block() })
	reason := fmt.Sprintf("%s has no %s; emulated formats would show its accuracy", t.Device, c.Format(names[i]))
	if t.Tenstorrent {
		reason = "Tenstorrent's compiler converts whole programs to Bfp8_b, and to no other block format"
	}
	return false, nil, &Refusal{NotApplied{names[i] + "_df", reason}}
}

// Refuses returns why the target cannot apply a configuration, nil if Build has a program for it. It makes no program.
func (t *Target) Refuses(c *operations.Configuration) *Refusal {
	var refused *Refusal
	if _, _, err := t.formats(c); errors.As(err, &refused) {
		return refused
	}
	if _, err := define(c); err != nil {
		return &Refusal{NotApplied{string(c.Type), err.Error()}}
	}
	return nil
}

// unapplied lists what a target does not apply of a configuration that it has a program for.
func (t *Target) unapplied(c *operations.Configuration) []NotApplied {
	var list []NotApplied
	if !t.Tenstorrent {
		list = append(list, NotApplied{"math_fidelity", t.Device + " multiplies in the precision of its element types"})
	}
	if c.Int("approximate_mode") == 1 {
		list = append(list, NotApplied{"approximate_mode", "a StableHLO program cannot ask for approximations"})
	}
	for _, name := range append(c.Inputs(), "output") {
		if c.Int(name+"_ublock_order") != 1 {
			list = append(list, NotApplied{name + "_ublock_order", "tensors have no order of ublocks"})
		}
		if c.Int(name+"_buf_size_mb") != 2 {
			list = append(list, NotApplied{name + "_buf_size_mb",
				"a StableHLO program has no buffers between operations"})
		}
	}
	return list
}

// fidelityOption returns the compiler's option for the math fidelity, empty if there is none.
func (t *Target) fidelityOption(c *operations.Configuration) []string {
	if !t.Tenstorrent {
		return nil
	}
	return []string{"math_fidelity=" + strings.ToLower(c.Text("math_fidelity"))}
}

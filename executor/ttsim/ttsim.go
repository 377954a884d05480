// Package ttsim runs bare RISC-V programs on simulated Tenstorrent cards: on the five RISC-V cores of Tensix tiles of a
// Wormhole or Blackhole, in Tenstorrent's simulator ttsim, a shared library with a flat C interface (version 1.10). It
// knows nothing of tt-metal.
//
// # What a program must look like
//
// A program is a static ELF file for RV32IM without compressed instructions (-march=rv32im -mabi=ilp32). Every segment
// must lie inside the L1 memory of the core, which has 1464 KiB on Wormhole and 1536 KiB on Blackhole, from address 0.
// Alternatively a program is the bare bytes of such memory ("flat binary"). The core begins at address 0. If the entry
// lies elsewhere and the program leaves the first eight bytes free, a jump to the entry is written there. The host
// communicates with the program through these objects, which are symbols of the ELF file with their sizes:
//
//   - mailbox, 16 bytes, four 32-bit words: status (0 while the program runs, 1 done, 2 failed), begin and end (the
//     core's cycle counter WALL_CLOCK_L, at 0xFFB121F0, before and after the work, both 0 if the program does not read
//     it), and code (the program's own number of its failure).
//   - input0, input1, … and output0, output1, …: buffers. Inputs are filled with the inputs of an invocation, outputs
//     are compared with its expected outputs. Their elements are of type i32, or of the type behind the name, as in
//     input0_ui8 or output1_i64.
//   - param_NAME, 4 bytes: a number that --param NAME=VALUE sets. Without that flag the file's value stays.
//   - zone_NAME, pairs of 32-bit words: the cycle counter at begin and end of a stretch of the work.
//   - tensix_grid: the host writes the tiles of the program into it; see program.writeGrid.
//
// For a flat binary the option l1 states where they are: "mailbox=0x20000 input0=0x10000:1024xi32 output0=0x20010:i32
// param_n=0x2000c load=0".
//
// A manifest (*.tensix) makes one program of several ELF files, each for a core of one or several tiles; see manifest.
// The core then begins at an address of its own (see cores) instead of 0.
//
// Before each call all cores are held in reset and the whole L1 of each tile is written again. Memory that the program
// does not fill is zero, and so are outputs and mailboxes. A call takes the cores out of reset, clocks the simulator
// until no status is 0, and holds the cores in reset again. The time of a call is the time that this takes on the host.
// The cycles from the least begin to the greatest end are reported separately, as simulated cycles.
//
// A simulator can be started once in a process, and its fatal errors end the process with a text on standard output.
// Therefore it runs in a sandboxed executor that serves the rounds of one invocation, or of one group of variants.
package ttsim

import (
	"path/filepath"
	"strings"

	"zonemark/executor"
	"zonemark/invocations/remedy"
)

// SimulatorVariable names the simulator's shared library if the option does not. tt-metal reads it, too.
const SimulatorVariable = "TT_METAL_SIMULATOR"

// Runtime runs programs on a simulator. Use New to make one.
type Runtime struct {
	library string // path of the simulator; empty if there is none
	machine *machine
}

// New returns the runtime with the simulator that TT_METAL_SIMULATOR names, looked up with getenv.
func New(getenv func(name string) string) Runtime {
	return Runtime{library: getenv(SimulatorVariable), machine: &machine{}}
}

// Name returns the name that a user writes after --runtime.
func (Runtime) Name() string { return Name }

// Name is the name of the runtime.
const Name = "ttsim"

// extension is the extension of programs. Flat binaries have any other and need --runtime.
const extension = ".elf"

// isProgram reports whether a file has the name of a program: an ELF file or a manifest of several.
func isProgram(name string) bool {
	return strings.EqualFold(filepath.Ext(name), extension) || isManifest(name)
}

// Recognizes reports whether path has the name of a program for the simulator, or is a folder that holds one.
func Recognizes(path string) bool { return executor.HasArtifact(path, isProgram) }

// NeedsNewProcess returns why the next invocation needs a new process, if the simulator of this process has run.
func (r Runtime) NeedsNewProcess() string {
	if r.machine.card == nil {
		return ""
	}
	return "a simulator can be started once in a process"
}

// simulator returns the library that an invocation asks for.
func (r Runtime) simulator(o options) (string, error) {
	switch {
	case o.simulator != "":
		return o.simulator, nil
	case r.library != "":
		return r.library, nil
	}
	return "", remedy.New("no simulator is there", remedy.Remedy{
		Kind: remedy.File, Name: OptionSimulator, Value: "Tenstorrent's libttsim.so", Variable: SimulatorVariable})
}

var (
	_ executor.Runtime   = Runtime{}
	_ executor.SingleUse = Runtime{}
)

// Package ttsim runs bare RISC-V programs on a simulated Tenstorrent card: on BRISC, the first RISC-V core of the first Tensix core of a Wormhole or Blackhole, in
// Tenstorrent's simulator ttsim, a shared library with a flat C interface (version 1.10). It knows nothing of tt-metal.
//
// # What a program must look like
//
// A program is a static ELF file for RV32IM without compressed instructions (-march=rv32im -mabi=ilp32), with every segment inside the L1 memory of the core, 1464 KiB
// on Wormhole and 1536 KiB on Blackhole, from address 0; or the bare bytes of such memory ("flat binary"). The core begins at address 0. An entry elsewhere is reached by a jump that is
// written there, when the program leaves the first eight bytes free. These objects, symbols of an ELF file with their sizes, are how it is spoken to:
//
//   - mailbox, 16 bytes, four 32-bit words: status (0 while it runs, 1 done, 2 failed), begin and end (the core's cycle counter WALL_CLOCK_L, at 0xFFB121F0, before and after
//     the work, both 0 when the program does not read it), and code (the program's own number for what failed).
//   - input0, input1, … and output0, output1, …: buffers, filled with the inputs of an invocation, and compared with its expected outputs. Their elements are of type i32, or
//     of the one behind the name, as in input0_ui8 or output1_i64.
//   - param_NAME, 4 bytes: a number that --param NAME=VALUE sets, else what the file holds.
//
// For a flat binary the option l1 says where they are: "mailbox=0x20000 input0=0x10000:1024xi32 output0=0x20010:i32 param_n=0x2000c load=0".
//
// Before each call the core is held in reset and L1 is written anew, as far as program and buffers reach: what the program does not fill is zero, and so are outputs and mailbox. A call lets BRISC out of reset,
// clocks the simulator until the status is not 0, and holds the core in reset again. Its time is what that takes on the host; the difference of end and begin is reported apart, as
// simulated cycles.
//
// A simulator can be started once in a process, and its fatal errors end the process with a text on standard output: it runs in a sandboxed executor that serves
// the rounds of one invocation, or of one group of variants.
package ttsim

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
)

// SimulatorVariable names the simulator's shared library where the option does not; tt-metal takes it from there, too.
const SimulatorVariable = "TT_METAL_SIMULATOR"

// Runtime runs programs on a simulator. It must be made by New.
type Runtime struct {
	library string // of the simulator; empty: none
	machine *machine
}

// New is the runtime with the simulator that getenv's TT_METAL_SIMULATOR names.
func New(getenv func(name string) string) Runtime {
	return Runtime{library: getenv(SimulatorVariable), machine: &machine{}}
}

// Name is what a user writes after --runtime.
func (Runtime) Name() string { return Name }

// Name is that of the runtime.
const Name = "ttsim"

// extension is that of programs; flat binaries have any other and need --runtime.
const extension = ".elf"

// Recognizes says whether path is named as a program for the simulator, or is a folder that holds one.
func Recognizes(path string) bool {
	program := func(name string) bool { return strings.EqualFold(filepath.Ext(name), extension) }
	if program(path) {
		return true
	}
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() && program(e.Name()) })
}

// Spent says that the simulator of this process has run.
func (r Runtime) Spent() string {
	if r.machine.card == nil {
		return ""
	}
	return "a simulator can be started once in a process"
}

// simulator is the library that an invocation asks for.
func (r Runtime) simulator(o options) (string, error) {
	switch {
	case o.simulator != "":
		return o.simulator, nil
	case r.library != "":
		return r.library, nil
	}
	return "", errors.New("no simulator is there: name Tenstorrent's libttsim.so by --simulator or by the variable " + SimulatorVariable)
}

var (
	_ executor.Runtime = Runtime{}
	_ executor.Spent   = Runtime{}
)

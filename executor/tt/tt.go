// Package tt runs StableHLO programs (MLIR text or bytecode) on devices that come with a PJRT plugin: Tenstorrent's, or any other, such as XLA's for the CPU. The
// plugin compiles the program and runs it; this package gives it inputs, times whole executions up to their completion events, and reads results.
package tt

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/tt/pjrt"
)

// Runtime runs StableHLO programs. It must be made by New.
type Runtime struct {
	plugins  Plugins
	compiled Compiled
	clients  *clients
}

// New is the runtime with the plugins that are on this machine, and the programs that they have compiled before.
func New(plugins Plugins, compiled Compiled) Runtime {
	return Runtime{plugins, compiled, &clients{open: map[string]*client{}}}
}

// Name is what a user writes after --runtime.
func (Runtime) Name() string { return Name }

// Name is that of the runtime.
const Name = "tt"

// extensions are those of StableHLO programs. MLIR's own belong to IREE unless the user says otherwise.
func extensions() []string { return []string{".stablehlo", ".mlir", ".mlirbc"} }

// Recognizes says whether path is certainly a StableHLO program by its name, or a folder that holds one.
func Recognizes(path string) bool {
	certain := func(name string) bool { return strings.EqualFold(filepath.Ext(name), extensions()[0]) }
	if certain(path) {
		return true
	}
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() && certain(e.Name()) })
}

// outOfMemory marks an error of the plugin that says that memory did not suffice.
func outOfMemory(err error) error {
	var failed *pjrt.Error
	if errors.As(err, &failed) && failed.Code == pjrt.ResourceExhausted {
		return &executor.MemoryError{Err: err}
	}
	return err
}

var _ executor.Runtime = Runtime{}

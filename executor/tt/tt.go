// Package tt runs StableHLO programs (MLIR text or bytecode) on devices that come with a PJRT plugin: Tenstorrent's, or
// any other, such as XLA's for the CPU. The plugin compiles the program and runs it. This package provides inputs,
// times whole executions until their results are ready, and reads results.
package tt

import (
	"errors"
	"path/filepath"
	"strings"

	"zonemark/executor"
	"zonemark/executor/tt/pjrt"
)

// Runtime runs StableHLO programs. Use New to make one.
type Runtime struct {
	plugins  Plugins
	compiled Compiled
	clients  *clients
}

// New returns the runtime with the plugins on this machine, and with the programs that they have compiled before.
func New(plugins Plugins, compiled Compiled) Runtime {
	return Runtime{plugins, compiled, &clients{open: map[string]*client{}}}
}

// Name returns the name that a user writes after --runtime.
func (Runtime) Name() string { return Name }

// Name is the name of the runtime.
const Name = "tt"

// certainExtension is that of StableHLO programs which no other runtime takes.
const certainExtension = ".stablehlo"

// extensions returns the extensions of StableHLO programs. MLIR's own extension belongs to IREE unless the user says
// otherwise.
func extensions() []string { return []string{certainExtension, ".mlir", ".mlirbc"} }

// Recognizes reports whether path has the name of a StableHLO program that no other runtime takes, or is a folder that
// holds one.
func Recognizes(path string) bool {
	return executor.HasArtifact(path, func(name string) bool {
		return strings.EqualFold(filepath.Ext(name), certainExtension)
	})
}

// outOfMemory marks an error of the plugin that reports a lack of memory.
func outOfMemory(err error) error {
	var failed *pjrt.Error
	if errors.As(err, &failed) && failed.Code == pjrt.ResourceExhausted {
		return &executor.MemoryError{Err: err}
	}
	return err
}

var _ executor.Runtime = Runtime{}

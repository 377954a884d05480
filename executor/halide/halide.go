// Package halide runs pipelines that Halide has compiled ahead of time. An artifact is a shared library with them, an
// archive or an object file, which is linked first, or the source of generators, which are built first. The package reads what the pipelines say of themselves, finds
// the sizes of their buffers, prepares these in memory for the timing loop, and reads the times of single Funcs from
// the profiler that a pipeline may carry.
//
// Generators may also build for Hexagon, whose pipelines an emulator calls once: they are checked and counted, not
// timed.
//
// The package does not know how calls are timed or how results are shown. It runs no pipelines for a GPU: such ones are
// described as skipped.
package halide

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/halide/metadata"
)

// Name is the name of the runtime.
const Name = "halide"

// Runtime is the runtime for Halide pipelines.
type Runtime struct {
	getenv func(name string) string
	errors *errorTexts
}

var (
	_ executor.Runtime  = Runtime{}
	_ executor.Builder  = Runtime{}
	_ executor.Emulator = Runtime{}
	_ executor.Placer   = (*program)(nil)
)

// New returns the runtime. getenv looks up environment variables; CC may name the compiler that links.
func New(getenv func(name string) string) Runtime {
	return Runtime{getenv: getenv, errors: newErrorTexts()}
}

// Name returns "halide".
func (Runtime) Name() string { return Name }

// Recognizes reports whether path is named like a shared library, an archive, an object file or the source of a
// generator, or is a folder that holds one of the first three. Folders with sources hold more than generators, so these
// are named one by one.
func Recognizes(path string) bool {
	if info, err := os.Stat(path); (err != nil || !info.IsDir()) && FromGenerator(path) {
		return true
	}
	return executor.HasArtifact(path, isArtifact)
}

// largestAsked is the size of files in bytes that Holds reads.
const largestAsked = 256 << 20

// Holds reports whether a library, archive or object file, or one of those in a folder, has a pipeline. Other runtimes
// have files of such names, too. A file that cannot be read, or is very large, may have one.
func Holds(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		if err != nil || !isArtifact(path) || info.Size() > largestAsked {
			return true
		}
		f, err := metadata.Read(path)
		return err != nil || len(f.Pipelines) > 0
	}
	entries, _ := os.ReadDir(path) // a folder that cannot be read holds nothing
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		if e.IsDir() || !isArtifact(e.Name()) {
			return false
		}
		f, err := metadata.Read(filepath.Join(path, e.Name()))
		return err == nil && len(f.Pipelines) > 0
	})
}

func isArtifact(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".so", ".a", ".o":
		return filepath.Ext(name) != filepath.Base(name)
	}
	return false
}

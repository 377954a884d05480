// Package hat runs HAT packages. A package is a .hat file, which is both a C header and a TOML description, beside a
// shared library, a static archive or an object file with functions that take plain C arguments. The package reads the
// file, links static code into a shared library, hands typed prototypes of the functions to package cfunction, and
// writes durations back into the file without changing any other byte. The format is that of hatlib 0.0.41 and of the
// Accera compiler, which are frozen.
//
// The package does not know how calls are made, timed or compared. It runs no GPU code: such functions are described as
// skipped.
package hat

import (
	"path/filepath"
	"strings"

	"zonemark/executor"
)

const (
	packageSuffix = ".hat"
	globalsSuffix = "_Globals.hat" // Accera's list of runtime globals; no functions, and made for another system
)

// Runtime is the runtime for HAT packages. Its zero value is ready to use.
type Runtime struct {
	// Getenv looks up environment variables. CC may name the compiler that links. If it is nil, no variable is set.
	Getenv func(name string) string
}

func (r Runtime) getenv(name string) string {
	if r.Getenv == nil {
		return ""
	}
	return r.Getenv(name)
}

// Name is the name of the runtime.
const Name = "hat"

// Name returns "hat".
func (Runtime) Name() string { return Name }

// Recognizes reports whether path is a .hat file or a folder that holds one.
func Recognizes(path string) bool { return executor.HasArtifact(path, isPackage) }

func isPackage(path string) bool {
	name := filepath.Base(path)
	return filepath.Ext(name) == packageSuffix && name != packageSuffix && !strings.HasSuffix(name, globalsSuffix)
}

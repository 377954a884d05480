// Package hat runs HAT packages: a .hat file, which is C header and TOML description at once, beside a shared library, a static
// archive or an object file with functions that take plain C arguments. It reads the file, works out the layout of every argument,
// links static code into a shared library, prepares argument sets in memory for the timing loop, and writes durations back into the
// file without touching any other byte. The format is that of hatlib 0.0.41 and of the Accera compiler, which are frozen.
//
// The package knows nothing of how calls are timed or of how results are shown, and it runs no GPU code: functions of that kind are described as skipped.
package hat

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	packageSuffix = ".hat"
	globalsSuffix = "_Globals.hat" // Accera's list of runtime globals: no functions, and made for another system
)

// Runtime is the runtime for HAT packages. Its zero value is ready to use.
type Runtime struct {
	// Getenv looks up environment variables, of which CC may name the compiler that links; nil: none is set.
	Getenv func(name string) string
}

func (r Runtime) getenv(name string) string {
	if r.Getenv == nil {
		return ""
	}
	return r.Getenv(name)
}

// Name is that of the runtime.
const Name = "hat"

// Name is "hat".
func (Runtime) Name() string { return Name }

// Recognizes says whether path is a .hat file, or a folder that holds one.
func Recognizes(path string) bool {
	if isPackage(path) {
		return true
	}
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isPackage(e.Name()) })
}

func isPackage(path string) bool {
	name := filepath.Base(path)
	return filepath.Ext(name) == packageSuffix && name != packageSuffix && !strings.HasSuffix(name, globalsSuffix)
}

// Package dl opens shared libraries and calls their functions without cgo. It is the only user of purego, so that the
// rest of zonemark depends on a few functions and not on a foreign-function library. It knows nothing of runtimes or of
// timing.
package dl

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// MaxArguments is the number of arguments that Call can pass.
const MaxArguments = 32

// Library is a loaded shared library. Copies refer to the same library; the zero value is a library that is not open.
type Library struct{ image *image }

type image struct {
	path   string
	handle uintptr // 0 after Close
}

// Open loads the shared library path with all its symbols resolved (RTLD_NOW) and none of them visible to libraries
// that are loaded later (RTLD_LOCAL). The system's loader searches for a path without a slash. The library's
// constructors run before Open returns. An error names the path and the loader's own message and, if the file is not a
// library for this machine, what the file is.
func Open(path string) (Library, error) { return openWith(path, open) }

// OpenOwn is Open for a library whose functions are timed: its code lies on pages of physical memory that only this process
// uses, where the system allows that (see ownText). Of large libraries, OwnUsed moves what is used.
func OpenOwn(path string) (Library, error) {
	l, err := Open(path)
	if err == nil {
		l.ownText()
	}
	return l, err
}

// OpenGlobal opens a library as Open does, with its symbols visible to all libraries that are loaded later
// (RTLD_GLOBAL). It is for libraries such as libpython, which extension modules use without naming them.
func OpenGlobal(path string) (Library, error) { return openWith(path, openGlobal) }

func openWith(path string, open func(string) (uintptr, error)) (Library, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return Library{}, fmt.Errorf("open library %q: not a file name", path)
	}
	// Mapping a truncated library succeeds, and then SIGBUS ends the process when the loader touches the missing pages.
	if reason := truncation(path); reason != "" {
		return Library{}, fmt.Errorf("open library %s: %s", path, reason)
	}
	// The loader keeps the text of its last error per thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := open(path)
	if err != nil {
		if reason := unsuitable(path); reason != "" {
			return Library{}, fmt.Errorf("open library %s: %s (the loader says: %w)", path, reason, err)
		}
		return Library{}, fmt.Errorf("open library %s: %w", path, err)
	}
	return Library{&image{path, h}}, nil
}

// Lookup returns the address of a symbol that the library, or a library that it depends on, defines. The address is
// valid until Close.
func (l Library) Lookup(name string) (uintptr, error) {
	if l.image == nil || l.image.handle == 0 {
		return 0, fmt.Errorf("look up %q: the library is not open", name)
	}
	if name == "" || strings.ContainsRune(name, 0) {
		return 0, fmt.Errorf("look up %q in %s: not a symbol name", name, l.image.path)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, err := lookup(l.image.handle, name)
	if err == nil && p == 0 {
		err = errors.New("the symbol's address is zero")
	}
	if err != nil {
		return 0, fmt.Errorf("look up %s in %s: %w", name, l.image.path, err)
	}
	return p, nil
}

// Close unloads the library, unless it was opened more than once. Addresses from Lookup are invalid afterwards.
func (l Library) Close() error {
	if l.image == nil || l.image.handle == 0 {
		return errors.New("close library: it is not open")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h := l.image.handle
	l.image.handle = 0
	if err := closeHandle(h); err != nil {
		return fmt.Errorf("close library %s: %w", l.image.path, err)
	}
	return nil
}

// Call calls the C function at fn on the thread's system stack and returns the value of the integer result register.
// Arguments are integers and pointers, at most MaxArguments of them; pointers into Go memory stay valid during the
// call. Call panics if fn is 0 or if there are too many arguments.
//
//go:uintptrescapes
func Call(fn uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}

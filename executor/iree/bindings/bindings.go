// Package bindings finds IREE's Python bindings in an installation of packages, and says which Python loads them. It
// loads nothing.
package bindings

import (
	"fmt"
	"path/filepath"
	"strconv"

	"zonemark/executor/iree/libpython"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
)

// Bindings are the extension module of the wheel iree-base-runtime.
type Bindings struct {
	Path   string            // of the extension module
	python libpython.Version // the version that it is built for
	stable bool              // built for the stable ABI: runs on that version and any later one
}

// component is IREE's name among those that zonemark installs.
const component = "iree"

// bindingsName matches the names that the wheels give it: _runtime.cpython-311-x86_64-linux-gnu.so,
// _runtime.cpython-313t-darwin.so, _runtime.abi3.so, _runtime.cp311-win_amd64.pyd.
var bindingsName = lazyregexp.New(`^_runtime\.(?:(?:cpython-|cp)3(\d{1,3})(t?)\b.*|abi3)\.?(?:so|pyd)$`)

// firstStable is the first Python whose stable ABI has what the bindings need.
var firstStable = libpython.Version{Major: 3, Minor: 12}

// Find finds the extension module below a site-packages folder: IREE's runtime, or its variant with Tracy.
func Find(site string, traced bool) (Bindings, error) {
	folder, what := "_runtime_libs", "IREE's runtime"
	if traced {
		folder, what = "_runtime_libs_tracy", "the Tracy-enabled variant of IREE's runtime"
	}
	pattern := filepath.Join(site, "iree", folder, "_runtime.*")
	found, err := filepath.Glob(pattern)
	if err != nil {
		return Bindings{}, fmt.Errorf("%s: %w", pattern, err)
	}
	for _, path := range found {
		if b, ok := parse(path); ok {
			return b, nil
		}
	}
	return Bindings{}, remedy.With(fmt.Errorf("%s is not in %s", what, site),
		remedy.Remedy{Kind: remedy.Install, Name: component},
		remedy.Remedy{Kind: remedy.Act, Value: "install iree-base-runtime there"})
}

func parse(path string) (Bindings, bool) {
	m := bindingsName().FindStringSubmatch(filepath.Base(path))
	switch {
	case m == nil:
		return Bindings{}, false
	case m[1] == "":
		return Bindings{path, firstStable, true}, true
	}
	minor, _ := strconv.Atoi(m[1]) // at most a few digits
	return Bindings{path, libpython.Version{Major: 3, Minor: minor, FreeThreaded: m[2] != ""}, false}, true
}

// Fit returns an error that says why a Python cannot load the bindings.
func (b Bindings) Fit(python libpython.Version) error {
	another := remedy.Remedy{Kind: remedy.Act, Value: "give the library of a Python that fits"}
	install := remedy.Remedy{Kind: remedy.Install, Name: component}
	switch {
	case b.python == python,
		b.stable && python.Major == b.python.Major && python.Minor >= b.python.Minor && !python.FreeThreaded:
		return nil
	case b.stable:
		return remedy.With(fmt.Errorf("IREE's runtime %s is for Python %v and later, the shared library is Python %v",
			b.Path, b.python, python), another, install)
	}
	return remedy.With(fmt.Errorf("IREE's runtime %s is for Python %v, the shared library is Python %v",
		b.Path, b.python, python), another, install)
}

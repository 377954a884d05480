package bindings

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor/iree/libpython"
	"zonemark/invocations/remedy"
)

func TestBindings(t *testing.T) {
	site := t.TempDir()
	for _, traced := range []bool{false, true} {
		if _, err := Find(site, traced); err == nil || !strings.Contains(err.Error(), site) ||
			!strings.Contains(remedy.Told(err, nil), "install iree") {
			t.Errorf("an empty folder: %v", err)
		}
	}
	version := func(minor int, free bool) libpython.Version {
		return libpython.Version{Major: 3, Minor: minor, FreeThreaded: free}
	}
	for _, c := range []struct {
		name string
		fits map[libpython.Version]bool // nil: not the bindings
	}{
		{"_runtime.cpython-311-x86_64-linux-gnu.so",
			map[libpython.Version]bool{version(11, false): true, version(12, false): false, version(10, false): false}},
		{"_runtime.cpython-310-darwin.so",
			map[libpython.Version]bool{version(10, false): true, version(11, false): false}},
		{"_runtime.abi3.so", map[libpython.Version]bool{version(12, false): true, version(14, false): true,
			version(11, false): false, version(13, true): false}},
		{"_runtime.cpython-313t-x86_64-linux-gnu.so",
			map[libpython.Version]bool{version(13, true): true, version(13, false): false}},
		{"_runtime.cp311-win_amd64.pyd", map[libpython.Version]bool{version(11, false): true}},
		{"_runtime.pyi", nil},
		{"_runtime.cpython-311.so.bak", nil},
	} {
		b, ok := parse(filepath.Join(site, c.name))
		if ok != (c.fits != nil) {
			t.Errorf("%s: recognised: %v", c.name, ok)
		}
		for v, want := range c.fits {
			err := b.Fit(v)
			if (err == nil) != want {
				t.Errorf("%s in Python %v: %v", c.name, v, err)
			}
			if err != nil && (!strings.Contains(err.Error(), "Python "+v.String()) ||
				!strings.Contains(remedy.Told(err, nil), "install iree")) {
				t.Errorf("%s: the error does not name %v and a remedy: %v", c.name, v, err)
			}
		}
	}
}

func FuzzBindings(f *testing.F) {
	f.Add("_runtime.cpython-311-x86_64-linux-gnu.so", 11)
	f.Add("_runtime.abi3.so", 12)
	f.Add("_runtime.cp311-win_amd64.pyd", 3)
	f.Fuzz(func(t *testing.T, name string, minor int) {
		if b, ok := parse(name); ok {
			v := libpython.Version{Major: 3, Minor: minor}
			if err := b.Fit(v); err == nil && !strings.Contains(name, fmt.Sprint(minor)) &&
				!strings.HasPrefix(filepath.Base(name), "_runtime.abi3") {
				t.Errorf("%q fits Python %v", name, v)
			}
		}
	})
}

package iree

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/executor/iree/libpython"
	"zonemark/invocations/remedy"
)

func TestParameterFiles(t *testing.T) {
	for value, want := range map[string]map[string][]string{
		"":                             {},
		"w.irpa":                       {"": {"w.irpa"}},
		"model=w.irpa":                 {"model": {"w.irpa"}},
		"a=1.gguf,b=2.irpa,a=3.irpa,4": {"a": {"1.gguf", "3.irpa"}, "b": {"2.irpa"}, "": {"4"}},
		"a=x=y.irpa":                   {"a": {"x=y.irpa"}},
	} {
		got, err := parameterFiles(map[string]string{optionParameterFiles: value})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", value, err, diff)
		}
	}
	for _, value := range []string{",", "a=", "w.irpa,", "=,"} {
		if got, err := parameterFiles(map[string]string{optionParameterFiles: value}); err == nil ||
			!strings.Contains(err.Error(), "[SCOPE=]PATH") {
			t.Errorf("%q gives %v: %v", value, got, err)
		}
	}
}

func TestTaskThreads(t *testing.T) {
	for value, want := range map[string]int{"": 0, "1": 1, "64": 64} {
		if n, err := taskThreads(map[string]string{optionDevice: taskDevice, optionTaskThreads: value}); n != want ||
			err != nil {
			t.Errorf("%q gives %d: %v", value, n, err)
		}
	}
	for _, value := range []string{"0", "-1", "65", "two", "1.5"} {
		if n, err := taskThreads(map[string]string{optionDevice: taskDevice, optionTaskThreads: value}); err == nil {
			t.Errorf("%q gives %d", value, n)
		}
	}
}

func TestBindings(t *testing.T) {
	site := t.TempDir()
	for _, traced := range []bool{false, true} {
		if _, err := findBindings(site, traced); err == nil || !strings.Contains(err.Error(), site) ||
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
		b, ok := parseBindings(filepath.Join(site, c.name))
		if ok != (c.fits != nil) {
			t.Errorf("%s: recognised: %v", c.name, ok)
		}
		for v, want := range c.fits {
			err := b.fit(v)
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

func TestOneLine(t *testing.T) {
	for message, want := range map[string]string{
		"Error invoking function: c/runtime/src/iree/modules/hal/utils/buffer_diagnostics.c:225: INVALID_ARGUMENT; " +
			"input1 shape dimension 0 mismatch; expected 4 but have 5; expected shape `4`, actual shape `5`; " +
			"while invoking native function hal.buffer_view.assert; while calling import; \n[ 0] bytecode " +
			"module@1:236 -": "Error invoking function: INVALID_ARGUMENT; input1 shape dimension 0 mismatch; " +
			"expected 4 but have 5; expected shape `4`, actual shape `5`",
		"no such function": "no such function",
		"two\nlines":       "two lines",
	} {
		if got := oneLine(message); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func FuzzParameterFiles(f *testing.F) {
	f.Add("a=1.gguf,b=2.irpa,4")
	f.Add(",=,")
	f.Fuzz(func(t *testing.T, value string) {
		files, err := parameterFiles(map[string]string{optionParameterFiles: value})
		n := 0
		for _, paths := range files {
			n += len(paths)
		}
		if err == nil && value != "" && n != strings.Count(value, ",")+1 {
			t.Errorf("%q names %d files", value, n)
		}
	})
}

func FuzzBindings(f *testing.F) {
	f.Add("_runtime.cpython-311-x86_64-linux-gnu.so", 11)
	f.Add("_runtime.abi3.so", 12)
	f.Add("_runtime.cp311-win_amd64.pyd", 3)
	f.Fuzz(func(t *testing.T, name string, minor int) {
		if b, ok := parseBindings(name); ok {
			v := libpython.Version{Major: 3, Minor: minor}
			if err := b.fit(v); err == nil && !strings.Contains(name, fmt.Sprint(minor)) &&
				!strings.HasPrefix(filepath.Base(name), "_runtime.abi3") {
				t.Errorf("%q fits Python %v", name, v)
			}
		}
	})
}

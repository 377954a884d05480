package csource

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/invocations"
)

// What is built names its library. That is moved with it, and nothing else changes.
func TestBuiltMoves(t *testing.T) {
	source := cfunctiontest.WriteKernels(t, cfunctiontest.Kernels)
	a := buildC(t, source, t.TempDir(), nil)
	of := func(path string) string {
		t.Helper()
		list, err := Companions(path)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s needs %v, %v", path, list, err)
		}
		return list[0]
	}
	library, before := of(a.Built), describedBy(t, a.Built)
	moved := filepath.Join(t.TempDir(), "moved.so")
	code, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(moved, code, 0o755); err != nil {
		t.Fatal(err)
	}
	copied := cfunctiontest.Write(t, t.TempDir(), filepath.Base(a.Built), read(t, a.Built))
	if err := Relocate(copied, func(path string) string {
		if path != library {
			t.Errorf("asked to move %s, not %s", path, library)
		}
		return moved
	}); err != nil {
		t.Fatal(err)
	}
	if of(copied) != moved || of(a.Built) != library || describedBy(t, copied) != before {
		t.Errorf("after the move: %s", read(t, copied))
	}
	a.Built = copied
	mismatch, err := callC(t, a, invocations.Invocation{Function: "scaled",
		Parameters: map[string]string{"n": "4", "a": "2"}, Verify: invocations.Verification{Reference: "scale"}})
	if mismatch != "" || err != nil {
		t.Errorf("the moved library: %q, %v", mismatch, err)
	}
	if list, err := Companions(source); list != nil || err != nil {
		t.Errorf("a source needs %v, %v", list, err)
	}
	if err := Relocate(source, func(string) string { return "" }); err != nil || read(t, source) != cfunctiontest.Kernels {
		t.Errorf("the source was changed; error %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// describedBy returns the file without the path of the library.
func describedBy(t *testing.T, path string) string {
	t.Helper()
	b, err := readBuilt(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(read(t, path), b.Library, "LIBRARY")
}

func TestLoadErrors(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string { return cfunctiontest.Write(t, folder, name, text) }
	library := file("text.so", "GROUP ( libc.so.6 )")
	for _, c := range []struct{ built, want string }{
		{"", "kernels.c must be built before it is loaded; build the artifact first"},
		{filepath.Join(folder, "gone"+builtSuffix), "build it again"},
		{file("old.hat", "[functions]\n"), "was not built by this version of zonemark"},
		{file("empty"+builtSuffix, ""), "was not built by this version of zonemark"},
		{file("a"+builtSuffix, `{"library":"`+folder+`/gone.so"}`),
			"kernels.c: the library " + folder + "/gone.so is missing"},
		{file("b"+builtSuffix, `{"library":"."}`), `the path of the library "." is not absolute`},
		{file("c"+builtSuffix, `{"library":"`+library+`"}`), "kernels.c: library " + library + ": it is no ELF"},
	} {
		_, err := Runtime{}.Load(invocations.Artifact{Path: "kernels.c", Built: c.built})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", filepath.Base(c.built), err, c.want)
		}
	}
}

// Files come with bundles of others. A function that they describe can be called, or has an error.
func FuzzBuilt(f *testing.F) {
	f.Add([]byte(`{"library":"/","functions":[{"symbol":"f","parameters":[{"name":"n","element":"int64"},` +
		`{"name":"x","element":"float32","bounds":[["+","n",1],4],"const":true},{"element":"uint8","bounds":[7]}],` +
		`"result":"float64"},{"symbol":"g","problem":"no"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := cfunctiontest.Write(t, t.TempDir(), "x"+builtSuffix, string(data))
		b, err := readBuilt(path)
		if err != nil {
			return
		}
		b.Library = path
		l, err := b.library("kernels.c")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range l.Functions {
			if (f.Prototype == nil) == (f.Err == nil) {
				t.Errorf("%+v", f)
			}
			if f.Prototype != nil {
				_ = f.Prototype.Describe(&invocations.Function{}, nil) // an error says why it cannot be called
			}
		}
	})
}

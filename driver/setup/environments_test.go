package setup

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/python"
)

// interpreterWith returns a stand-in for an interpreter that says that it is p, with defaults for what p leaves out.
func interpreterWith(t *testing.T, p python.Interpreter) (path string) {
	t.Helper()
	if p.Version == "" {
		p.Version = "3.12.1"
	}
	p.Implementation, p.Executable, p.Venv = "cpython", "/env/bin/python", true
	answer, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return fakePython(t, string(answer))
}

// packaged returns a package in a folder; nil, which stands for a missing package, for the version "".
func packaged(version, site string) *python.Distribution {
	if version == "" {
		return nil
	}
	return &python.Distribution{Version: version, Site: site}
}

// environmentOf returns the folder of the virtual environment of an interpreter.
func environmentOf(interpreter string) string { return filepath.Dir(filepath.Dir(interpreter)) }

type comparableDescribed interface {
	comparable
	described
}

// testFind checks that an environment of the user is used if it holds the packages, whichever way it is named. A named one that lacks a
// package is an error, which says how to get it; an activated one is skipped.
func testFind[T comparableDescribed](t *testing.T, e environment[T], find func(Options) (T, error), whole string, want T,
	lacking map[string]string) {
	t.Helper()
	ways := func(path string) map[string]Options {
		named := homeOf(t)
		named.Python = path
		return map[string]Options{"--python": named, "$" + e.variable: homeOf(t, e.variable, path),
			"activated": homeOf(t, "VIRTUAL_ENV", environmentOf(path))}
	}
	for by, o := range ways(whole) {
		if found, err := find(o); err != nil || found != want {
			t.Errorf("%s: found %+v, error %v, want %+v", by, found, err, want)
		}
	}
	var none *NotInstalledError
	for path, lacks := range lacking {
		for by, o := range ways(path) {
			_, err := find(o)
			if by == "activated" {
				if !errors.As(err, &none) || none.Component != e.component().Name {
					t.Errorf("activated, lacks %s: error %v", lacks, err)
				}
				continue
			}
			for _, want := range []string{by + ": /env/bin/python lacks " + lacks + ": ", "-m pip install " + e.pins} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		}
	}
	for _, o := range []Options{homeOf(t), homeOf(t, "VIRTUAL_ENV", t.TempDir())} {
		if _, err := find(o); !errors.As(err, &none) || none.Component != e.component().Name ||
			!strings.Contains(err.Error(), "zonemark setup "+none.Component) {
			t.Errorf("error %v, want that it is not installed", err)
		}
	}
}

// testManaged checks that the environment that zonemark installed is found by its manifest, without starting a program, and missing parts of it
// are reported. The function describe makes an environment in the component's folder and enters it into the manifest;
// what it returns is what is to be found, and a part whose absence is noticed.
func testManaged[T comparableDescribed](t *testing.T, e environment[T], find func(Options) (T, error),
	describe func(at func(elements ...string) string, m *Manifest) (want T, part string)) {
	t.Helper()
	o, c := homeOf(t), e.component()
	folder, err := c.Folder(o)
	if err != nil {
		t.Fatal(err)
	}
	at := func(elements ...string) string {
		path := filepath.Join(append([]string{folder}, elements...)...)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte("not a program"), 0o644)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	m := Manifest{Name: c.Name, Version: c.Version}
	want, part := describe(at, &m)
	if err := writeManifest(folder, m); err != nil {
		t.Fatal(err)
	}
	if found, err := find(o); err != nil || found != want {
		t.Errorf("found %+v, error %v, want %+v", found, err, want)
	}
	named := homeOf(t, e.variable, want.found().Place)
	if found, err := find(named); err != nil || found != want {
		t.Errorf("named by its interpreter: found %+v, error %v, want %+v", found, err, want)
	}
	other := filepath.Join(folder, environmentFolder, "lib", "python3.12", "site-packages", "other-1.0.dist-info")
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := find(named); err == nil || !strings.Contains(err.Error(), "not a working Python") {
		t.Errorf("with a package that the manifest does not tell of: error %v, want that its interpreter is asked", err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	state := func() Status {
		list, err := Components{c}.List(o)
		if err != nil || len(list) != 1 || list[0].Folder != folder {
			t.Fatalf("list %+v, error %v", list, err)
		}
		return list[0]
	}
	if s := state(); s.State != Installed || s.Bytes == 0 {
		t.Errorf("%+v", s)
	}
	if err := os.Remove(part); err != nil {
		t.Fatal(err)
	}
	var none *NotInstalledError
	if _, err := find(o); !errors.As(err, &none) || !strings.Contains(err.Error(), part+" is gone") {
		t.Errorf("error %v", err)
	}
	if s := state(); s.State != Partial || !strings.Contains(s.Note, "is gone") {
		t.Errorf("%+v", s)
	}
	if reason := c.Broken(folder+"x", m); !strings.Contains(reason, "the folder was moved") {
		t.Errorf("an installation outside of its folder: %q", reason)
	}
	if reason := c.Broken(folder, Manifest{}); reason != undescribed {
		t.Errorf("a manifest without a description: %q", reason)
	}
}

// A path that leaves the folder is not in it.
func TestBrokenEnvironment(t *testing.T) {
	folder := t.TempDir()
	path := folder + string(filepath.Separator) + filepath.Join("..", filepath.Base(folder))
	if reason := brokenEnvironment(folder, path); !strings.Contains(reason, "is not in "+folder) {
		t.Errorf("%s: %q", path, reason)
	}
}

// Where nothing may be installed, a missing component is an error at once.
func TestFindOnly(t *testing.T) {
	for _, c := range All() {
		o := homeOf(t)
		o.FindOnly = true
		_, err := c.Ensure(t.Context(), o)
		var none *NotInstalledError
		found, _ := os.ReadDir(o.Home)
		if !errors.As(err, &none) && c.Name != zig().row.Name || len(found) > 0 { // a zig may be on PATH
			t.Errorf("%s: error %v, files %v", c.Name, err, found)
		}
	}
}

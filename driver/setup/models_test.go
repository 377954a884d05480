package setup

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modelsPython returns a stand-in for an interpreter with these versions of JAX and Keras; an empty one is not there.
func modelsPython(t *testing.T, jax, keras string) string {
	t.Helper()
	site := t.TempDir()
	p := python{Version: "3.12.1", Implementation: "cpython", Executable: "/env/bin/python", Site: site, Venv: true}
	if jax != "" {
		p.JAX = &distribution{jax, site}
	}
	if keras != "" {
		p.Keras = &distribution{keras, site}
	}
	answer, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return fakePython(t, string(answer))
}

// An environment of the user is used if it has both packages. A named one that lacks a package is an error; an
// activated one is skipped.
func TestFindModels(t *testing.T) {
	folder := func(python string) string { return filepath.Dir(filepath.Dir(python)) }
	for _, test := range []struct{ jax, keras, lacks string }{{"0.6.2", "3.12.0", ""}, {"0.6.2", "", "keras"},
		{"", "3.12.0", "jax"}, {"", "", "jax and keras"}} {
		path := modelsPython(t, test.jax, test.keras)
		named := homeOf(t)
		named.Python = path
		for by, o := range map[string]Options{"--python": named,
			"$ZONEMARK_MODELS_PYTHON": homeOf(t, ModelsPythonVariable, path)} {
			found, err := FindModels(o)
			if test.lacks == "" {
				if err != nil || found.JAX != test.jax || found.Keras != test.keras ||
					found.Interpreter != "/env/bin/python" ||
					found.Managed {
					t.Errorf("%s: found %+v, error %v", by, found, err)
				}
				continue
			}
			if want := by + ": /env/bin/python lacks " + test.lacks + ": "; err == nil ||
				!strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), modelsPins) {
				t.Errorf("error %v, want %q in it", err, want)
			}
		}
		found, err := FindModels(homeOf(t, "VIRTUAL_ENV", folder(path)))
		var none *NotInstalledError
		if test.lacks == "" && (err != nil || found.JAX != test.jax) ||
			test.lacks != "" && (!errors.As(err, &none) || none.Component != "models") {
			t.Errorf("activated, lacks %q: found %+v, error %v", test.lacks, found, err)
		}
	}
	list, err := All().List(homeOf(t, ModelsPythonVariable, modelsPython(t, "0.6.2", "3.12.0")))
	at := slices.IndexFunc(list, func(s Status) bool { return s.Name == "models" && s.State == Existing })
	if err != nil || at < 0 || list[at].Version != "0.6.2-keras3.12.0" {
		t.Errorf("list %+v, error %v", list, err)
	}
}

// The environment that zonemark installed is found by its manifest, and missing parts of it are reported.
func TestManagedModels(t *testing.T) {
	o := homeOf(t)
	c := modelsComponent()
	folder, err := c.Folder(o)
	if err != nil {
		t.Fatal(err)
	}
	want := Models{
		Python:      "3.11.7",
		Interpreter: filepath.Join(folder, "venv", "bin", "python"),
		JAX:         jaxVersion,
		Keras:       kerasVersion,
	}
	err = errors.Join(
		os.MkdirAll(filepath.Dir(want.Interpreter), 0o755),
		os.WriteFile(want.Interpreter, []byte("not a program"), 0o755),
		writeManifest(folder, Manifest{Name: c.Name, Version: c.Version, Models: &want}),
	)
	if err != nil {
		t.Fatal(err)
	}
	want.Managed = true
	if found, err := FindModels(o); err != nil || found != want {
		t.Errorf("found %+v, error %v, want %+v", found, err, want)
	}
	if err := os.Remove(want.Interpreter); err != nil {
		t.Fatal(err)
	}
	var none *NotInstalledError
	if _, err := FindModels(o); !errors.As(err, &none) || !strings.Contains(err.Error(), "python is gone") {
		t.Errorf("error %v", err)
	}
}

// Pythons for which the packages have no wheels are not taken.
func TestUnfitForModels(t *testing.T) {
	for version, want := range map[string]string{"3.10.0": "", "3.13.9": "", "3.14.0": "is Python 3.14.0, and the " +
		"pinned packages are made for 3.10 to 3.13", "3.9.0": "3.10 or later"} {
		p := python{Version: version, Implementation: "cpython", Venv: true}
		if got := p.unfitFor(newestModelsPython); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// The environment that models are really exported with, by the variables of the environment or in the user's cache.
func TestRealModels(t *testing.T) {
	found, err := FindModels(ownOptions())
	if err != nil {
		missing(t, "%v", err)
	}
	if !isFile(found.Interpreter) || found.JAX == "" || found.Keras == "" || found.Python == "" {
		t.Errorf("%+v", found)
	}
}

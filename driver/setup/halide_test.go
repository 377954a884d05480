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

// halidePython returns a stand-in for an interpreter with a version of Halide, and the folder of its packages. An empty
// version is not there.
func halidePython(t *testing.T, version string) (interpreter, site string) {
	t.Helper()
	site = t.TempDir()
	p := python{Version: "3.12.1", Implementation: "cpython", Executable: "/env/bin/python", Site: site, Venv: true}
	if version != "" {
		p.Halide = &distribution{version, site}
	}
	answer, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return fakePython(t, string(answer)), site
}

// An environment of the user is used if it has a release of Halide that is supported, whole. A named one that lacks it
// is an error; an activated one without Halide is skipped.
func TestFindHalide(t *testing.T) {
	for _, test := range []struct {
		version string
		folder  bool
		refused string // in the error; empty if it is used
	}{
		{"21.0.0", true, ""},
		{"19.0.0", true, ""},
		{"21.0.0", false, "lacks the folder"},
		{"18.0.0", true, "19 to 21 are supported: \"/env/bin/python -m pip install halide==21.0.0\""},
		{"22.0.0", true, "19 to 21 are supported"},
		{"new", true, "19 to 21 are supported"},
		{"", true, "lacks halide: "},
	} {
		path, site := halidePython(t, test.version)
		if test.folder {
			if err := os.Mkdir(filepath.Join(site, "halide"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		named := homeOf(t)
		named.Python = path
		activated := homeOf(t, "VIRTUAL_ENV", filepath.Dir(filepath.Dir(path)))
		for by, o := range map[string]Options{"--python": named, "activated": activated,
			"$ZONEMARK_HALIDE_PYTHON": homeOf(t, HalidePythonVariable, path)} {
			found, err := FindHalide(o)
			var none *NotInstalledError
			switch {
			case test.version == "" && by == "activated":
				if !errors.As(err, &none) || none.Component != "halide" {
					t.Errorf("activated, no Halide: error %v", err)
				}
			case test.refused != "":
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("%s, %q: error %v, want %q in it", by, test.version, err, test.refused)
				}
			default:
				want := Halide{"3.12.1", "/env/bin/python", filepath.Join(site, "halide"), test.version, false}
				if err != nil || found != want {
					t.Errorf("%s, %q: found %+v, error %v, want %+v", by, test.version, found, err, want)
				}
			}
		}
		list, err := All().List(named)
		at := slices.IndexFunc(list, func(s Status) bool { return s.Name == "halide" && s.State == Existing })
		if err != nil || (at >= 0) != (test.refused == "") {
			t.Errorf("%q: list %+v, error %v", test.version, list, err)
		}
	}
}

// The environment that zonemark installed is found by its manifest, and missing parts of it are reported.
func TestManagedHalide(t *testing.T) {
	o := homeOf(t)
	c := halideComponent()
	folder, err := c.Folder(o)
	if err != nil {
		t.Fatal(err)
	}
	want := Halide{
		Python:      "3.11.7",
		Interpreter: filepath.Join(folder, "venv", "bin", "python"),
		Folder:      filepath.Join(folder, "venv", "site", "halide"),
		Version:     halideVersion,
	}
	err = errors.Join(
		os.MkdirAll(filepath.Dir(want.Interpreter), 0o755),
		os.MkdirAll(want.Folder, 0o755),
		os.WriteFile(want.Interpreter, []byte("not a program"), 0o755),
		writeManifest(folder, Manifest{Name: c.Name, Version: c.Version, Halide: &want}),
	)
	if err != nil {
		t.Fatal(err)
	}
	want.Managed = true
	if found, err := FindHalide(o); err != nil || found != want {
		t.Errorf("found %+v, error %v, want %+v", found, err, want)
	}
	if err := os.Remove(want.Folder); err != nil {
		t.Fatal(err)
	}
	var none *NotInstalledError
	if _, err := FindHalide(o); !errors.As(err, &none) || !strings.Contains(err.Error(), "halide is gone") {
		t.Errorf("error %v", err)
	}
	outside := want
	outside.Folder = filepath.Join(folder, "..", "halide")
	if reason := brokenHalide(folder, Manifest{Halide: &outside}); !strings.Contains(reason, "the folder was moved") {
		t.Errorf("an installation outside of its folder: %q", reason)
	}
}

// The pins are those of the release that is named.
func TestHalideRequirements(t *testing.T) {
	if !strings.Contains(halideRequirements, "\n"+halidePin+" ") {
		t.Errorf("the requirements pin another version than %s", halideVersion)
	}
}

// The environment that generators are really built in, by the variables of the environment or in the user's cache.
func TestRealHalide(t *testing.T) {
	found, err := FindHalide(ownOptions())
	if err != nil {
		missing(t, "%v", err)
	}
	if !isFile(found.Interpreter) || !isFolder(filepath.Join(found.Folder, "include")) || found.Python == "" {
		t.Errorf("%+v", found)
	}
}

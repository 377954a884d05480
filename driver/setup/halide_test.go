package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
	"zonemark/invocations/testneeds"
)

// halidePython returns a stand-in for an interpreter with a version of Halide, and the folder of its packages. An empty
// version is not there.
func halidePython(t *testing.T, version string) (interpreter, site string) {
	t.Helper()
	site = t.TempDir()
	return interpreterWith(t, python.Interpreter{Site: site, Halide: packaged(version, site)}), site
}

// An environment with a release of Halide that is not supported, or not whole, is refused.
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
	} {
		path, site := halidePython(t, test.version)
		if test.folder {
			if err := os.Mkdir(filepath.Join(site, "halide"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		o := homeOf(t, HalidePythonVariable, path)
		if test.refused == "" {
			without, _ := halidePython(t, "")
			testFind(t, halideEnvironment(), FindHalide, path,
				Halide{"3.12.1", "/env/bin/python", filepath.Join(site, "halide"), test.version},
				map[string]string{without: "halide"})
		} else if _, err := FindHalide(o); err == nil || !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%q: error %v, want %q in it", test.version, err, test.refused)
		}
		list, err := All().List(o)
		at := slices.IndexFunc(list, func(s Status) bool { return s.Name == "halide" && s.State == Existing })
		if err != nil || (at >= 0) != (test.refused == "") {
			t.Errorf("%q: list %+v, error %v", test.version, list, err)
		}
	}
}

func TestManagedHalide(t *testing.T) {
	testManaged(t, halideEnvironment(), FindHalide, func(at func(...string) string, m *Manifest) (Halide, string) {
		h := Halide{
			Python:      "3.11.7",
			Interpreter: at("venv", "bin", "python"),
			Folder:      at("venv", "site", "halide"),
			Version:     halideVersion,
		}
		m.Halide = &h
		return h, h.Folder
	})
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
		testneeds.Missing(t, err)
	}
	if !files.IsFile(found.Interpreter) || !files.IsFolder(filepath.Join(found.Folder, "include")) || found.Python == "" {
		t.Errorf("%+v", found)
	}
}

package libpython

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeTree writes files below a folder, with FOLDER in their contents replaced by it.
func writeTree(t *testing.T, tree map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, content := range tree {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(content, "FOLDER", folder)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestFiles(t *testing.T) {
	folder := writeTree(t, map[string]string{
		"venv/bin/python":                                 "",
		"venv/pyvenv.cfg":                                 "home = FOLDER/python/bin\nversion = 3.11.7\n",
		"python/bin/python3":                              "",
		"python/lib/libpython3.11.so.1.0":                 "",
		"python/lib/python3.11/os.py":                     "",
		"python/lib/python3.11/json/tool.py":              "",
		"python/lib/python3.11/json/__pycache__/tool.pyc": "",
		"python/lib/python3.11/site-packages/numpy.py":    "",
		"python/lib/python3.11/test/test_os.py":           "",
		"python/lib/python3.11/config-3.11/Makefile":      "",
		"python/lib/python3.12/os.py":                     "",
	})
	in := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	got, err := Files(Options{Library: in("python/lib/libpython3.11.so.1.0"), Executable: in("venv/bin/python")})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got.Files)
	want := []string{in("python/lib/libpython3.11.so.1.0"), in("python/lib/python3.11/json/tool.py"),
		in("python/lib/python3.11/os.py"), in("venv/bin/python"), in("venv/pyvenv.cfg")}
	if !slices.Equal(got.Files, want) || got.Home != in("python/bin") || got.Configuration != in("venv/pyvenv.cfg") {
		t.Errorf("%+v, want the files %q", got, want)
	}
	alone, err := Files(Options{Library: in("python/lib/libpython3.11.so.1.0"), Executable: in("python/bin/python3")})
	if err != nil || alone.Configuration != "" || alone.Home != in("python/bin") {
		t.Errorf("of an installation: %+v, %v", alone, err)
	}
	if _, err := Files(Options{Executable: in("none/bin/python")}); err == nil {
		t.Error("files of an interpreter that is not there")
	}
}

func TestRelocate(t *testing.T) {
	folder := writeTree(t, map[string]string{
		"pyvenv.cfg": "home = /here/bin\nversion = 3.11.7\nexecutable = /here/bin/python3.11\ncommand = /here/bin/python3 -m venv x\n",
		"torn.cfg":   "version = 3.11.7\n",
	})
	path := filepath.Join(folder, "pyvenv.cfg")
	if err := Relocate(path, func(p string) string { return "/there" + p }); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if want := "home = /there/here/bin\nversion = 3.11.7\n"; err != nil || string(content) != want {
		t.Errorf("%q, %v, want %q", content, err, want)
	}
	if err := Relocate(filepath.Join(folder, "torn.cfg"), nil); err == nil {
		t.Error("an environment without a home was moved")
	}
}

func TestVersionOf(t *testing.T) {
	for library, want := range map[string]string{
		"/x/libpython3.11.so.1.0": "3.11", "libpython3.13t.so.1.0": "3.13", "libpython3.12.dylib": "3.12", "Python": "3.*",
		"libpython.so": "3.*",
	} {
		if got := versionOf(library); got != want {
			t.Errorf("%s: %q, want %q", library, got, want)
		}
	}
}

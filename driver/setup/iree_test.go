package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
	"zonemark/invocations/testneeds"
)

// ireePython returns a stand-in for an interpreter, in an environment that looks like one with IREE's wheels. An empty
// version stands for a missing package.
func ireePython(t *testing.T, runtimeVersion, compilerVersion string) (path, site string) {
	t.Helper()
	site = t.TempDir()
	p := python.Interpreter{Version: "3.59.7", BasePrefix: "/nowhere", Site: site, Runtime: packaged(runtimeVersion, site),
		Compiler: packaged(compilerVersion, site)}
	if runtimeVersion != "" {
		if err := os.MkdirAll(filepath.Join(site, "iree", "_runtime_libs"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if compilerVersion != "" {
		libs := filepath.Join(site, "iree", "compiler", "_mlir_libs")
		if err := errors.Join(os.MkdirAll(libs, 0o755),
			os.WriteFile(filepath.Join(libs, "iree-compile"+executableSuffix()), nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return interpreterWith(t, p), site
}

// Versions are checked early. The error names both and the remedy.
func TestFindVersions(t *testing.T) {
	for _, test := range []struct {
		runtime, compiler string
		want              []string // in the error; empty if it is found
	}{
		{"3.13.0", "3.13.0", nil},
		{"3.13.1", "3.13.0", nil},
		{"3.8.0", "3.8.0rc20251001", nil},
		{"3.10.0", "", nil},
		{"3.7.1", "3.7.1", []string{"iree-base-runtime 3.7.1", "3.8 to 3.13", "pip install"}},
		{"3.14.0", "3.14.0", []string{"iree-base-runtime 3.14.0", "3.8 to 3.13"}},
		{"2.9.0", "2.9.0", []string{"iree-base-runtime 2.9.0"}},
		{"20241104.1068", "", []string{"iree-base-runtime 20241104.1068"}},
		{"3.13.0", "3.12.0", []string{"iree-base-compiler 3.12.0", "iree-base-runtime 3.13.0", "same release",
			"pip install"}},
	} {
		path, site := ireePython(t, test.runtime, test.compiler)
		for by, o := range map[string]Options{"--python": homeOf(t),
			"$" + PythonVariable: homeOf(t, PythonVariable, path)} {
			if by == "--python" {
				o.Python = path
			}
			found, err := FindIREE(o)
			if len(test.want) == 0 {
				compile := ""
				if test.compiler != "" {
					compile = filepath.Join(site, "iree", "compiler", "_mlir_libs", "iree-compile")
				}
				if err != nil || found.Version != test.runtime || found.CompilerVersion != test.compiler ||
					found.Site != site || found.Compile != compile {
					t.Errorf("%s %q %q: found %+v, error %v", by, test.runtime, test.compiler, found, err)
				}
				if found.LibPython != "" || !strings.Contains(found.NoLibPython, "libpython3.59") {
					t.Errorf("%s: library %q, reason %q; there is none", by, found.LibPython, found.NoLibPython)
				}
				continue
			}
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s %q %q: error %v, want %q in it", by, test.runtime, test.compiler, err, want)
				}
			}
		}
	}
}

// What variables name takes precedence over what is found in an environment.
func TestFindIREE(t *testing.T) {
	with, site := ireePython(t, "3.13.0", "3.13.0")
	without, _ := ireePython(t, "", "3.13.0")
	want, err := describeIREE(python.Interpreter{Version: "3.59.7", Executable: "/env/bin/python", BasePrefix: "/nowhere", Site: site,
		Runtime: packaged("3.13.0", site), Compiler: packaged("3.13.0", site)})
	if err != nil {
		t.Fatal(err)
	}
	testFind(t, ireeEnvironment(), FindIREE, with, want, map[string]string{without: "iree-base-runtime"})
	var none *NotInstalledError
	library := filepath.Join(t.TempDir(), "libpython3.11.so")
	if err := os.WriteFile(library, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := FindIREE(
		homeOf(t, "VIRTUAL_ENV", environmentOf(with), LibPythonVariable, library, CAPIVariable, library),
	)
	if err != nil || found.LibPython != library || found.CAPI != library || found.NoLibPython != "" {
		t.Errorf("found %+v, error %v", found, err)
	}
	for _, want := range []string{LibPythonVariable + "=" + library, CAPIVariable + "=" + library,
		VersionVariable + "=3.13.0", PythonVariable + "=/env/bin/python"} {
		if !slices.Contains(found.Environment(), want) {
			t.Errorf("%q lacks %q", found.Environment(), want)
		}
	}
	for _, name := range []string{LibPythonVariable, SiteVariable, CompileVariable, ToolsVariable, CAPIVariable,
		PythonVariable} {
		_, err := FindIREE(homeOf(t, "VIRTUAL_ENV", environmentOf(with), name, filepath.Join(t.TempDir(), "gone")))
		if err == nil || !strings.Contains(err.Error(), "$"+name) || errors.As(err, &none) {
			t.Errorf("$%s names what is not there: error %v", name, err)
		}
	}
}

// A program that does not answer the probe, or answers nonsense, is not accepted as Python.
func TestNoPython(t *testing.T) {
	for _, answer := range []string{"", "{}", "hello", `{"version":"3"}`,
		`{"version":"3.11.2","executable":"/x","runtime":{"version":"3.13.0"}}`} {
		o := homeOf(t)
		o.Python = fakePython(t, answer)
		if _, err := FindIREE(o); err == nil || !strings.Contains(err.Error(), o.Python) {
			t.Errorf("answer %q: error %v", answer, err)
		}
	}
	o := homeOf(t)
	o.Python = filepath.Join(t.TempDir(), "python9")
	if _, err := FindIREE(o); err == nil || !strings.Contains(err.Error(), "there is no such Python interpreter") {
		t.Errorf("error %v", err)
	}
	if _, err := InstallIREE(t.Context(), o); err == nil ||
		!strings.Contains(err.Error(), "there is no such Python interpreter") {
		t.Errorf("error %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := InstallIREE(t.Context(), homeOf(t)); err == nil ||
		!strings.Contains(err.Error(), "no Python 3.10 or later") ||
		!strings.Contains(err.Error(), "--python") {
		t.Errorf("error %v", err)
	}
}

// Interpreters that cannot make an environment are refused with the reason.
func TestUnfit(t *testing.T) {
	for _, test := range []struct {
		p    python.Interpreter
		want string
	}{
		{python.Interpreter{Version: "3.10.1", Implementation: "cpython", Venv: true}, ""},
		{python.Interpreter{Version: "3.9.18", Implementation: "cpython", Venv: true}, "3.10 or later"},
		{python.Interpreter{Version: "2.7.18", Implementation: "cpython", Venv: true}, "3.10 or later"},
		{python.Interpreter{Version: "3.11.2", Implementation: "cpython"}, "apt install python3.11-venv"},
		{python.Interpreter{Version: "3.11.2", Implementation: "pypy", Venv: true}, "not CPython"},
	} {
		if got := test.p.Unfit(); !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%+v: %q, want %q", test.p, got, test.want)
		}
	}
}

func TestManagedIREE(t *testing.T) {
	testManaged(t, ireeEnvironment(), FindIREE, func(at func(...string) string, m *Manifest) (IREE, string) {
		found := IREE{
			Python: "3.11.7", Interpreter: at(python.Of("venv")), LibPython: at("libpython.so"),
			Compile: at("venv", "iree-compile"), Version: ireeVersion,
		}
		found.Site, found.Tools = filepath.Dir(found.Compile), filepath.Dir(found.Compile)
		m.IREE = &found
		return found, found.Compile
	})
}

// TestRealIREE checks the real environment with IREE, which variables name or which is in the user's cache.
func TestRealIREE(t *testing.T) {
	found, err := FindIREE(ownOptions())
	if err != nil {
		testneeds.Missing(t, err)
	}
	if found.Compile == "" || found.LibPython == "" {
		t.Errorf("no compiler or no shared library of Python: %+v", found)
	}
	for _, tool := range []string{"iree-benchmark-module", "iree-dump-module", "iree-profile"} {
		if path := filepath.Join(found.Tools, tool+executableSuffix()); !files.IsFile(path) {
			t.Errorf("no %s", path)
		}
	}
}

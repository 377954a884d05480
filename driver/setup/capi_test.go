package setup

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup/command"
	"zonemark/invocations/testneeds"
)

// The error names all missing tools at once.
func TestBuildToolsMissing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the C runtime is built on Linux only")
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CC", "")
	t.Setenv("CXX", "")
	o := homeOf(t)
	_, err := capiComponent().Ensure(t.Context(), o)
	for _, want := range []string{"a C compiler", "a C++ compiler", "cargo", "zonemark setup iree"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	wantFile(t, filepath.Join(o.Home, "runtimes", "iree-capi-"+ireeVersion), false)
}

// A cargo that is rustup's, without a toolchain, is told from one that works and one that fails in another way.
func TestCargoWithoutToolchain(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the C runtime is built on Linux only")
	}
	t.Setenv("CC", "true")
	t.Setenv("CXX", "true")
	const stub = "echo 'error: rustup could not choose a version of cargo to run' >&2; exit 1"
	for script, want := range map[string]string{
		stub:                                 "a Rust toolchain: ",
		"echo 'cargo 1.94.0'":                "",
		"echo 'no such library' >&2; exit 3": "",
	} {
		folder := t.TempDir()
		t.Setenv("PATH", folder+":/usr/bin:/bin")
		if err := os.WriteFile(filepath.Join(folder, "cargo"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := findBuildTools(homeOf(t))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "rustup default stable")) {
			t.Errorf("%s: error %v, want %q in it", script, err, want)
		}
	}
}

func TestCheckCrate(t *testing.T) {
	folder := t.TempDir()
	if err := checkCrate(folder, "abc"); err == nil {
		t.Error("a folder without a checksum passes")
	}
	for text, want := range map[string]string{`{"files":{},"package":"abc"}`: "", `{"package":"def"}`: `"def"`,
		`{"files":{}}`: `""`, `{`: "JSON"} {
		if err := os.WriteFile(filepath.Join(folder, ".cargo-checksum.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := checkCrate(folder, "abc"); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", text, err, want)
		}
	}
}

func TestParseNinja(t *testing.T) {
	for line, want := range map[string][2]int{"[12/373] Building C object x.o": {12, 373}, "[374/373] x": {},
		"ninja: no work to do.": {}, "[1/2]": {}, "[-1/2] x": {}, "[99999999999/2] x": {}} {
		done, total, ok := parseNinja(line)
		if ok != (want != [2]int{}) || ok && [2]int{done, total} != want {
			t.Errorf("%q: %d of %d, %v; want %v", line, done, total, ok, want)
		}
	}
}

// A library whose size has changed since it was built is not used.
func TestFindCAPI(t *testing.T) {
	o := homeOf(t)
	c := capiComponent()
	folder, err := c.Folder(o)
	if err != nil {
		t.Fatal(err)
	}
	var none *NotInstalledError
	if _, err := FindCAPI(o); !errors.As(err, &none) || none.Component != c.Name {
		t.Errorf("error %v", err)
	}
	library := filepath.Join(folder, capiLibrary)
	m := Manifest{Name: c.Name, Version: c.Version, Artifacts: []Artifact{fourOf(capiLibrary)}}
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(library, []byte("four"), 0o644),
		writeManifest(folder, m)); err != nil {
		t.Fatal(err)
	}
	if path, err := FindCAPI(o); err != nil || path != library {
		t.Errorf("found %q, error %v", path, err)
	}
	if err := os.WriteFile(library, []byte("fous"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := FindCAPI(o); !errors.As(err, &none) || !strings.Contains(err.Error(), "changed since it was installed") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(library, []byte("thr"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := FindCAPI(o); !errors.As(err, &none) || !strings.Contains(err.Error(), "has 3 bytes, and had 4") {
		t.Errorf("error %v", err)
	}
	if err := checkCAPI(library); err == nil || !strings.Contains(err.Error(), library) {
		t.Errorf("what is no library passes, error %v", err)
	}
	removed, err := All().Remove(o, "iree-capi")
	if err != nil || len(removed) != 1 || removed[0].Folder != folder {
		t.Errorf("removed %+v, error %v", removed, err)
	}
	wantFile(t, folder, false)
	for _, name := range []string{"iree-capi", "iree", "iree-capi-9.9", "nothing", "", "..", "../runtimes"} {
		if removed, err := All().Remove(o, name); err == nil {
			t.Errorf("removed %+v by the name %q", removed, name)
		}
	}
}

// A library that was really built exports what executors need.
func TestRealCAPI(t *testing.T) {
	path, err := FindCAPI(ownOptions())
	if err != nil {
		if command.LookUp("cargo") == "" || command.LookUp("cmake") == "" {
			t.Skipf("%v; and it cannot be built here", err)
		}
		testneeds.Missing(t, err)
	}
	if err := checkCAPI(path); err != nil {
		t.Error(err)
	}
}

// The flags for GCC are used only with GCC, not with other compilers of that name.
func TestIsGCC(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the C runtime is built on Linux only")
	}
	for _, c := range []struct {
		macros  string
		without string // flag that it does not take
		want    bool
	}{
		{"#define __GNUC__ 12", "", true}, {"#define __GNUC__ 12", "-flto", false}, {"#define __GNUC__ 4\n#define " +
			"__clang__ 1", "", false}, {"#define __TINYC__ 928", "", false}, {"", "", false},
	} {
		compiler := filepath.Join(t.TempDir(), "cc")
		script := "#!/bin/sh\n[ \"$1 $2\" = '-m64 -dM' ] && printf '%s\\n' '" + c.macros +
			"' && exit\nfor flag; do [ \"$flag\" = '" + c.without + "' ] && exit 1; done\nexit 0\n"
		if err := os.WriteFile(compiler, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		b := &buildTools{compiler: []string{compiler, "-m64"}}
		if b.gcc = isGCC(b.compiler); b.gcc != c.want {
			t.Errorf("a compiler that defines %q and does not take %q is GCC: %v", c.macros, c.without, b.gcc)
		}
		if linked := strings.Contains(strings.Join(b.capiLinkFlags(), " "), "-flto"); linked != c.want {
			t.Errorf("a compiler that defines %q: linked with %q", c.macros, b.capiLinkFlags())
		}
	}
	if isGCC([]string{filepath.Join(t.TempDir(), "none")}) {
		t.Error("a compiler that is not there is GCC")
	}
}

// A library that a variable names is listed, unless it is the one that zonemark has installed.
func TestListNamedLibraries(t *testing.T) {
	o := homeOf(t)
	named := filepath.Join(t.TempDir(), "mine.so")
	if err := os.WriteFile(named, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := capiComponent()
	folder, err := c.Folder(o)
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(folder, capiLibrary)
	m := Manifest{Name: c.Name, Version: c.Version, Artifacts: []Artifact{fourOf(capiLibrary)}}
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(installed, []byte("four"), 0o644),
		writeManifest(folder, m)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]State{named: Existing, installed: "", named + ".gone": Unusable, "": ""} {
		with := o
		with.Variables = o.Variables.With(CAPIVariable + "=" + path)
		list, err := All().List(with)
		if err != nil {
			t.Fatal(err)
		}
		var states []State
		for _, s := range list {
			if s.Name == c.Name {
				states = append(states, s.State)
				if s.State == Existing && s.Folder != filepath.Dir(named) ||
					s.State == Unusable && !strings.Contains(s.Note, CAPIVariable) {
					t.Errorf("%+v", s)
				}
			}
		}
		wanted := []State{Installed}
		if want != "" {
			wanted = append(wanted, want)
		}
		if !slices.Equal(states, wanted) {
			t.Errorf("$%s=%s: %q, want %q", CAPIVariable, path, states, wanted)
		}
	}
}

package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The pins that are built in can be read, and every package has hashes.
func TestRequirements(t *testing.T) {
	for _, test := range []struct {
		text  string
		names string
	}{
		{ireeRequirements, "iree-base-compiler iree-base-runtime ml-dtypes mpmath numpy sympy"},
		{cmakeRequirements, "cmake ninja"},
		{halideRequirements, "halide numpy"},
		{modelsRequirements, "absl-py h5py jax jaxlib keras markdown-it-py mdurl ml-dtypes namex numpy opt-einsum " +
			"optree packaging pygments rich scipy typing-extensions"},
	} {
		all, err := parseRequirements(test.text)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range all {
			names = append(names, r.name)
			if len(r.hashes) == 0 || !strings.Contains(r.text, r.name+"==") {
				t.Errorf("%s: %d hashes, text %q", r.name, len(r.hashes), r.text)
			}
		}
		if got := strings.Join(names, " "); got != test.names {
			t.Errorf("packages %s, want %s", got, test.names)
		}
	}
	if !strings.Contains(ireeRequirements, ireeRuntime+"=="+ireeVersion+" ") ||
		!strings.Contains(ireeRequirements, ireeCompiler+"=="+ireeVersion+" ") {
		t.Errorf("the requirements pin another version than %s", ireeVersion)
	}
	if !strings.Contains(modelsRequirements, "\njax=="+jaxVersion+" ") ||
		!strings.Contains(modelsRequirements, "\nkeras=="+kerasVersion+" ") {
		t.Errorf("the requirements pin other versions than %s", modelsPins)
	}
}

func TestRequirementsRefused(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	for text, want := range map[string]string{
		"":         "no package",
		"# a\n":    "no package",
		"a==1.0\n": "no hash",
		"a==1.0 \\\n    --hash=sha256:" + sum + " \\\n":  "line 2: the last package is cut",
		"a==1.0 \\\n    --hash=sha256:" + sum[1:] + "\n": "line 2: want --hash",
		"a==1.0 \\\n    --hash=md5:" + sum + "\n":        "line 2: want --hash",
		"a>=1.0 \\\n    --hash=sha256:" + sum + "\n":     "line 1: want NAME==VERSION",
		"a==1.0\nb==1.0 \\\n    --hash=sha256:" + sum + "\n": "line 2: the package before it " +
			"has no hash",
		"--index-url x\na==1.0 \\\n    --hash=sha256:" + sum + "\n":                 "line 1: want NAME==VERSION",
		"a==1.0 ; python_version < '3' \\\n--hash=sha256:" + sum + "\nb @ file:x\n": "line 3: want NAME==VERSION",
	} {
		if _, err := parseRequirements(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzRequirements(f *testing.F) {
	f.Add(cmakeRequirements)
	f.Add("a==1.0 ; python_full_version < '3.11' \\\n    --hash=sha256:" + strings.Repeat("ab", 32) + "\n")
	f.Add("a==1 \\\n\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseRequirements(text)
		if err != nil {
			return
		}
		for _, r := range all {
			again, err := parseRequirements(r.text)
			if err != nil || len(again) != 1 || again[0].name != r.name || len(again[0].hashes) != len(r.hashes) {
				t.Errorf("%q alone reads as %+v, error %v", r.text, again, err)
			}
		}
	})
}

func FuzzManifest(f *testing.F) {
	f.Add(
		[]byte(
			`{"name":"iree","version":"3.13.0","when":"2026-01-02T03:04:05Z","bytes":1,` +
				`"artifacts":[{"name":"a.whl","sha256":"00","bytes":1}],"iree":{"interpreter":"/x"}}`,
		),
	)
	f.Add([]byte(`{"name":"iree","version":"3.13.0","bytes":-1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(data, "iree", ireeVersion)
		if err != nil {
			return
		}
		if m.Name != "iree" || m.Bytes < 0 {
			t.Errorf("%+v passes", m)
		}
		// Whatever it names, nothing outside the component's folder is used, and nothing panics.
		if brokenIREE(t.TempDir(), m) == "" {
			t.Errorf("%+v passes for an environment", m)
		}
		brokenCAPI(t.TempDir(), m)
		if brokenModels(t.TempDir(), m) == "" {
			t.Errorf("%+v passes for an environment of models", m)
		}
	})
}

func FuzzPython(f *testing.F) {
	f.Add(
		[]byte(
			`{"version":"3.11.7","executable":"/usr/bin/python3","implementation":"cpython",` +
				`"config":{"LIBDIR":"/usr/lib","INSTSONAME":"libpython3.11.so.1.0"},` +
				`"runtime":{"version":"3.13.0","site":"/s"}}`,
		),
	)
	f.Add([]byte(`{"version":"3.13.0t","executable":"python","base_prefix":"..","config":{"LDVERSION":"3.13t"}}`))
	f.Add([]byte(`{"version":"3.","config":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parsePython(data)
		if err != nil {
			return
		}
		p.unfit()
		for _, folder := range p.libraryFolders() {
			if !filepath.IsAbs(folder) {
				t.Errorf("%+v: looks for a library in %q", p, folder)
			}
		}
		for _, name := range p.libraryNames() {
			if name == "" || strings.HasSuffix(name, ".a") {
				t.Errorf("%+v: looks for a library %q", p, name)
			}
		}
		if p.Runtime != nil && checkIREE(p) == nil {
			if major, lesser, ok := minor(p.Runtime.Version); !ok || major != ireeMajor || lesser < oldestIREE ||
				lesser > newestIREE {
				t.Errorf("%+v passes", p.Runtime)
			}
		}
	})
}

func FuzzLoaderCache(f *testing.F) {
	f.Add(
		"2 libs found in cache\n\tlibpython3.11.so.1.0 (libc6,x86-64) => " +
			"/usr/lib/libpython3.11.so.1.0\n\tlibpython3.11.so.1.0 (libc6) => /usr/lib32/libpython3.11.so.1.0\n",
	)
	f.Add(" => \n")
	f.Fuzz(func(t *testing.T, text string) {
		for name, path := range parseLoaderCache(text) {
			if name == "" || !filepath.IsAbs(path) || !strings.Contains(text, path) {
				t.Errorf("%q is at %q", name, path)
			}
		}
	})
}

func TestLoaderCache(t *testing.T) {
	kind := map[string]string{"amd64": "libc6,x86-64", "arm64": "libc6,AArch64"}[runtime.GOARCH]
	if runtime.GOOS != "linux" || kind == "" {
		t.Skipf("the loader of %s/%s writes no such list", runtime.GOOS, runtime.GOARCH)
	}
	known := parseLoaderCache(
		"1 libs found\n\tliba.so (" + kind + ") => /lib/liba.so\n\tliba.so (" + kind + ") => /usr/lib/liba.so\nCache " +
			"generated by: ldconfig\n",
	)
	if len(known) != 1 || known["liba.so"] != "/lib/liba.so" {
		t.Errorf("known: %v", known)
	}
}

// A shared library that lies next to the interpreter's configuration is found though the configuration names a static
// one.
func TestLibrary(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("libraries have other names there")
	}
	prefix := t.TempDir()
	p := python{
		Version:    "3.59.1",
		Executable: "/nowhere/python",
		BasePrefix: prefix,
		Config:     map[string]string{"LDLIBRARY": "libpython3.59.a", "LIBDIR": "relative"},
	}
	if path, reason := p.library(); path != "" || !strings.Contains(reason, "libpython3.59.so.1.0") ||
		!strings.Contains(reason, "apt install") {
		t.Errorf("found %q, reason %q", path, reason)
	}
	want := filepath.Join(prefix, "lib", "libpython3.59.so")
	if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if path, reason := p.library(); path != want || reason != "" {
		t.Errorf("found %q, reason %q", path, reason)
	}
}

func TestMinor(t *testing.T) {
	for version, want := range map[string][2]int{"3.13.0": {3, 13}, "3.13": {3, 13}, "3.8.0rc1": {3, 8},
		"20241104.1068": {}, "3": {}, "": {}, "a.b": {}, "3.-1": {}} {
		major, lesser, ok := minor(version)
		if [2]int{major, lesser} != want || ok != (want != [2]int{}) {
			t.Errorf("%q: %d.%d, %v, want %v", version, major, lesser, ok, want)
		}
	}
}

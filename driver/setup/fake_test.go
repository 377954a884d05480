package setup

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"zonemark/driver/setup/python"
	"zonemark/invocations/environ"
	"zonemark/invocations/files"
	"zonemark/invocations/testneeds"
)

// wheelFile is a tiny package that a test makes itself.
type wheelFile struct {
	name string // name of the file
	data []byte
	pin  string // its line of a requirements file
}

// makeWheel makes the wheel of a package that is empty except for its name.
func makeWheel(t *testing.T, name string) wheelFile {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	info := name + "-1.0.dist-info/"
	files := [][2]string{
		{name + "/__init__.py", fmt.Sprintf("name = %q\n", name)},
		{info + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
	}
	record := info + "RECORD,,\n"
	for _, f := range files {
		sum := sha256.Sum256([]byte(f[1]))
		record += fmt.Sprintf("%s,sha256=%s,%d\n", f[0], base64.RawURLEncoding.EncodeToString(sum[:]), len(f[1]))
	}
	for _, f := range append(files, [2]string{info + "RECORD", record}) {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return wheelFile{
		name + "-1.0-py3-none-any.whl",
		out.Bytes(),
		fmt.Sprintf("%s==1.0 \\\n    --hash=sha256:%x\n", name, sha256.Sum256(out.Bytes())),
	}
}

func (f wheelFile) put(t *testing.T, folder string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, f.name), f.data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// pipFrom makes pip look in one folder and nowhere else.
func pipFrom(t *testing.T, o *Options) (folder string) {
	t.Helper()
	folder = t.TempDir()
	o.Variables = o.Variables.With(
		"PIP_CONFIG_FILE="+os.DevNull, "PIP_NO_CACHE_DIR=1", "PIP_NO_INDEX=1", "PIP_FIND_LINKS="+folder)
	return folder
}

// basePython returns this machine's Python, which makes environments.
func basePython(t *testing.T) python.Interpreter {
	t.Helper()
	base, err := python.Find(python.Newest)
	if err != nil {
		testneeds.Missing(t, err)
	}
	return base
}

// templates has the turns of tests that make the same template.
var templates sync.Mutex

// copyingPython returns a stand-in for this machine's Python. It copies an environment that was made once for all runs
// of the tests, since making one, with pip in it, takes longer than the rest of a test. Pip stays where it is: each copy
// has a link to it. TestBrokenPackages makes an environment.
func copyingPython(t *testing.T) python.Interpreter {
	t.Helper()
	base := basePython(t)
	if runtime.GOOS == "windows" { // the stand-in is a shell script
		return base
	}
	templates.Lock()
	defer templates.Unlock()
	of := sha256.Sum256([]byte(base.Executable))
	name := fmt.Sprintf("python/copied-%s-%x", base.Version, of[:8])
	template, err := testneeds.Kept(t, name, func(folder string) error { return makeTemplate(base, folder) })
	if err != nil {
		t.Fatal(err)
	}
	base.Executable = filepath.Join(t.TempDir(), "python")
	script := fmt.Sprintf(`#!/bin/sh -e
[ "$1 $2 $3 $4" = "-I -m venv --clear" ]
rm -rf "$5"
cp -a '%[1]s/environment' "$5"
ln -s '%[1]s/pip' "$5"/lib/python*/site-packages
`, template)
	if err := os.WriteFile(base.Executable, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return base
}

// makeTemplate makes an environment in a folder, and puts its pip beside it.
func makeTemplate(base python.Interpreter, folder string) error {
	environment := filepath.Join(folder, "environment")
	out, err := exec.Command(base.Executable, "-I", "-m", "venv", environment).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s -m venv: %w\n%s", base.Executable, err, out)
	}
	site, err := filepath.Glob(filepath.Join(environment, "lib", "python*", "site-packages"))
	if err != nil || len(site) != 1 {
		return fmt.Errorf("packages are in %q: %w", site, err)
	}
	for _, pattern := range []string{"setuptools*", "pkg_resources", "*distutils*"} { // which newer environments have not
		rest, _ := filepath.Glob(filepath.Join(site[0], pattern))
		for _, path := range rest {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return errors.Join(err, os.Rename(filepath.Join(site[0], "pip"), filepath.Join(folder, "pip")))
}

// pythonComponent returns a component of the given pins, in an environment that base makes.
func pythonComponent(requirements string, base python.Interpreter) Component {
	return Component{
		Name: "fake", Version: "1.0", Plan: "installing fake 1.0",
		Install: func(ctx context.Context, w *Work) (Manifest, error) {
			artifacts, err := wheels{requirements: requirements, yourself: "or do it yourself"}.install(ctx, w, base)
			return Manifest{Python: base.Version, Artifacts: artifacts}, err
		},
		Broken: func(folder string, m Manifest) string {
			if path := python.Of(filepath.Join(folder, environmentFolder)); !files.IsFile(path) {
				return path + " is gone"
			}
			return ""
		},
	}
}

// fileComponent returns a component of one file that this process writes. It counts the installations.
func fileComponent(count *atomic.Int32, during func(ctx context.Context, w *Work) error) Component {
	return Component{
		Name: "file", Version: "2", Plan: "writing file 2",
		Install: func(ctx context.Context, w *Work) (Manifest, error) {
			count.Add(1)
			if err := during(ctx, w); err != nil {
				return Manifest{}, err
			}
			return Manifest{}, os.WriteFile(filepath.Join(w.Folder, "payload"), []byte("payload"), 0o644)
		},
		Broken: func(folder string, m Manifest) string {
			if !files.IsFile(filepath.Join(folder, "payload")) {
				return "payload is gone"
			}
			return ""
		},
	}
}

// fakePython returns an interpreter that answers the probe with a text, and nothing else.
func fakePython(t *testing.T, answer string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for an interpreter is a shell script")
	}
	path := filepath.Join(t.TempDir(), "bin", "python")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat <<'END'\n"+answer+"\nEND\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// homeOf returns options with a cache of the test's own and, of the variables that are looked up, only those in pairs.
// Programs also get the test's own variables.
func homeOf(t *testing.T, variables ...string) Options {
	t.Helper()
	all := environ.OfProcess().Without("VIRTUAL_ENV", PythonVariable, LibPythonVariable, SiteVariable, CompileVariable,
		ToolsVariable, CAPIVariable, ONNXVariable, VersionVariable, ModelsPythonVariable, HalidePythonVariable,
		HalideFolderVariable, HalideVersionVariable, HexagonCompilerVariable,
		HexagonEmulatorVariable, PJRTPluginVariable, PJRTCPUVariable, PJRTTTVariable)
	for i := 0; i+1 < len(variables); i += 2 {
		all = all.With(variables[i] + "=" + variables[i+1])
	}
	return Options{Home: t.TempDir(), Variables: all}
}

// ownOptions returns the options of a user who starts zonemark in the test's environment.
func ownOptions() Options { return Options{Variables: environ.OfProcess()} }

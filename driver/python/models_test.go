package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
)

// TestModels runs the tests of the exporter of models with an interpreter that has JAX and Keras, and its programs on
// XLA's CPU plugin. Without one of them, the test is skipped; in CI it fails.
func TestModels(t *testing.T) {
	if testing.Short() {
		t.Skip("traces and compiles models")
	}
	interpreter, plugin := setuptest.Models(t).Interpreter, setuptest.PJRTCPU(t)
	source, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	packages, binary := setuptest.PythonPackages(t, interpreter, "pytest==9.0.2"), filepath.Join(t.TempDir(), "zonemark")
	if out, err := exec.Command("go", "build", "-o", binary, "zonemark/cmd/zonemark").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(source, "tests", "models", "test_*.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	home, path := t.TempDir(), source+string(os.PathListSeparator)+packages
	for _, file := range files { // in processes of their own, as JAX keeps what it compiled
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider", file)
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+path,
				"ZONEMARK_BINARY="+binary, "ZONEMARK_HOME="+home, setup.PJRTCPUVariable+"="+plugin)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), "skipped") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
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
	packages := setuptest.PythonPackages(t, interpreter, "pytest==9.0.2")
	binary, err := setuptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	tests := filepath.Join(source, "tests", "models")
	files, err := filepath.Glob(filepath.Join(tests, "test_*.py"))
	if err != nil {
		t.Fatal(err)
	}
	shipped := []string{filepath.Join(tests, "test_convolutional.py"), filepath.Join(tests, "test_models.py")}
	others := slices.DeleteFunc(slices.Clone(files), func(file string) bool { return slices.Contains(shipped, file) })
	if len(others) != len(files)-len(shipped) {
		t.Fatalf("%q are not among the tests", shipped)
	}
	home, path := testneeds.Cache(t, ""), source+string(os.PathListSeparator)+packages
	// JAX and Keras are imported once for many files: that takes longer than most of their tests. The shipped models take
	// longer than all else; of them, the small size has one in test_plugin.py.
	for name, files := range map[string][]string{"shipped": shipped, "others": others} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "shipped" && !testsize.Large() {
				t.Skip("the shipped models run in the large size")
			}
			// Pytest would look through all objects several times at its end.
			arguments := []string{"-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception"}
			cmd := exec.Command(interpreter, append(arguments, files...)...)
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+path,
				"ZONEMARK_BINARY="+binary, "ZONEMARK_HOME="+home, setup.PJRTCPUVariable+"="+plugin)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), "skipped") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

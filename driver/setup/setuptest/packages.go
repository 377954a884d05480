package setuptest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations/testneeds"
)

// PythonPackages returns a folder with Python packages, for PYTHONPATH or a .pth file of an environment of the
// interpreter. They are arguments of "pip install". The folder stays in the cache that all tests of a user share, since
// installing takes longer than most tests. If pip cannot install them, the test is skipped, or fails under CI=true.
func PythonPackages(t testing.TB, interpreter string, packages ...string) string {
	t.Helper()
	tag, err := exec.Command(interpreter, "-c", "import sys; print(sys.implementation.cache_tag, end='')").Output()
	if err != nil {
		testneeds.Missing(t, fmt.Errorf("%s: %w", interpreter, err))
	}
	name := strings.Join(append([]string{string(tag)}, packages...), "-")
	folder, err := testneeds.Kept(t, filepath.Join("python", name), func(folder string) error {
		environment := folder + "-environment" // pip may be there in virtual environments only
		if err := run(exec.Command(interpreter, "-m", "venv", environment)); err != nil {
			return err
		}
		install := slices.Concat([]string{"-m", "pip", "install", "-q", "--target", folder}, packages)
		return run(exec.Command(filepath.Join(environment, "bin", "python"), install...))
	})
	testneeds.Missing(t, err)
	return folder
}

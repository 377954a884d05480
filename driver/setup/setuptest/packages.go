package setuptest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	folder, err := pythonPackages(testneeds.Cache(t, "python"), interpreter, packages)
	testneeds.Missing(t, err)
	return folder
}

func pythonPackages(cache, interpreter string, packages []string) (folder string, err error) {
	tag, err := exec.Command(interpreter, "-c", "import sys; print(sys.implementation.cache_tag, end='')").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", interpreter, err)
	}
	folder = filepath.Join(cache, strings.Join(append([]string{string(tag)}, packages...), "-"))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	partial, err := os.MkdirTemp(cache, "partial-") // other tests may install at the same time
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(partial)
	// Pip may be there in virtual environments only.
	environment, installed := filepath.Join(partial, "environment"), filepath.Join(partial, "installed")
	install := slices.Concat([]string{"-m", "pip", "install", "-q", "--target", installed}, packages)
	for _, cmd := range []*exec.Cmd{
		exec.Command(interpreter, "-m", "venv", environment),
		exec.Command(filepath.Join(environment, "bin", "python"), install...),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("install %s: %w\n%s", strings.Join(packages, " "), err, out)
		}
	}
	if err := os.Rename(installed, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return folder, nil
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/environ"
	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary zonemark itself if it is called by that name, so that every test runs the real program
// with its real child processes.
func TestMain(m *testing.M) {
	testscript.Main(withRuntimes{m}, map[string]func(){"zonemark": main, "madeup": madeUpMain})
}

// withRuntimes runs the tests in an environment that names the installed runtimes, since programs that tests start have
// a cache of their own without runtimes.
type withRuntimes struct{ *testing.M }

// sharedFolder is removed when all tests of the package have ended, so that they can share what takes long to make.
var sharedFolder string

// Run runs the tests.
func (m withRuntimes) Run() int {
	var err error
	if sharedFolder, err = os.MkdirTemp("", "zonemark-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(sharedFolder)
	for _, entry := range setuptest.Environment() {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.M.Run()
}

// sized returns how much a test does: as little as finds its mistakes, or all if ZONEMARK_TEST_LARGE is set, which
// takes much longer.
func sized(small, large int) int {
	if os.Getenv("ZONEMARK_TEST_LARGE") != "" {
		return large
	}
	return small
}

// cacheForTests returns the cache that all tests of a user share, so that libraries are built once.
func cacheForTests(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("zonemark-test-cache-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestScripts runs testdata/script/*.txtar, each of which is a session at a terminal. If IREE and Halide are installed,
// they are in their environment. A script that needs one begins with "[!iree] skip" or "[!halide] skip", which never
// skips in CI.
func TestScripts(t *testing.T) {
	cache := cacheForTests(t)
	iree, noIREE := setup.FindIREE(setup.Options{Variables: environ.OfProcess()})
	halide, noHalide := setup.FindHalide(setup.Options{Variables: environ.OfProcess()})
	missing := map[string]error{"iree": noIREE, "halide": noHalide}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("ZONEMARK_HOME", cache)
			e.Setenv("TESTDATA", filepath.Join(here, "testdata"))
			e.Setenv("TRACES", filepath.Join(here, "..", "..", "trace", "testdata"))
			e.Setenv("EXAMPLE", filepath.Join(here, "example"))
			e.Setenv("IREE", filepath.Join(here, "..", "..", "executor", "iree", "testdata"))
			e.Setenv("HALIDE", filepath.Join(here, "..", "..", "executor", "halide", "testdata"))
			var found []string
			if noIREE == nil {
				found = append(found, iree.Environment()...)
			}
			if noHalide == nil {
				found = append(found, halide.Environment()...)
			}
			for _, entry := range found {
				name, value, _ := strings.Cut(entry, "=")
				e.Setenv(name, value)
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			err, known := missing[name]
			if !known {
				return false, fmt.Errorf("no condition %q", name)
			}
			return err == nil || os.Getenv("CI") == "true", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"counts": countLines, "json": countEvents, "until": until},
	})
}

// command returns zonemark as a command, for tests that are not scripts.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "zonemark"
	cmd.Env = append(os.Environ(), "ZONEMARK_HOME="+cacheForTests(t))
	return cmd
}

// Package e2e helps tests that run zonemark as its users do: the program itself, with its child processes. Each package
// below it holds the tests of one subject, so that Go keeps their results apart: what is not changed is not run again.
// Tests that need no process of zonemark do not belong here.
package e2e

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zonemark/driver/environ"
	"zonemark/driver/files"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/race"
)

// Main builds zonemark and runs the tests of a package. without names folders of the module, from its top, whose change
// does not concern the tests: their results are kept if nothing else is changed.
func Main(m *testing.M, without ...string) {
	os.Exit(run(m, without))
}

func run(m *testing.M, without []string) int {
	defer os.RemoveAll(Shared())
	setuptest.Environment() // finds the runtimes once, before a test names others
	err := lookAt(without)
	if err == nil {
		_, err = built()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// NotMeasuring are the folders of what begins when the results are there: reports, comparisons, models of costs. They
// are for Main of tests that only measure.
var NotMeasuring = []string{
	"driver/report", "driver/compare", "driver/costmodel", "driver/tune", "driver/doctor", "driver/halide", "docs",
	"cmd/zonemark/internal/comparing", "cmd/zonemark/internal/estimating", "cmd/zonemark/internal/fitting",
	"cmd/zonemark/internal/traceverbs", "cmd/zonemark/internal/tuning", "cmd/zonemark/internal/doctoring",
	"cmd/zonemark/internal/halidebench", "cmd/zonemark/internal/halidecases", "cmd/zonemark/internal/commands",
}

// built makes the program, watched by the race detector if the tests are, and returns its folder. Tests of all packages
// share it; Go makes it anew if a source has changed.
var built = sync.OnceValues(func() (folder string, err error) {
	top, err := top()
	if err != nil {
		return "", err
	}
	checkout := fnv.New64a()
	checkout.Write([]byte(top))
	folder = filepath.Join(os.TempDir(), fmt.Sprintf("zonemark-test-program-%d-%x", os.Getuid(), checkout.Sum64()))
	arguments := []string{"build", "-buildvcs=false"}
	cgo := "CGO_ENABLED=0"
	if race.Enabled {
		folder, arguments, cgo = folder+"-race", append(arguments, "-race"), "CGO_ENABLED=1"
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(folder+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close() // which unlocks it
	for _, err := files.TryLock(lock); err != nil; _, err = files.TryLock(lock) {
		if !errors.Is(err, files.ErrLocked) {
			return "", err
		}
		time.Sleep(20 * time.Millisecond) // tests of another package build the same
	}
	cmd := exec.Command("go", append(arguments, "-o", filepath.Join(folder, "zonemark"), "zonemark/cmd/zonemark")...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build zonemark: %w\n%s", err, out)
	}
	return folder, nil
})

// top returns the top of the module, in which the working folder lies.
func top() (string, error) {
	folder, err := os.Getwd()
	for ; err == nil; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("the tests do not run in the module's checkout")
		}
	}
	return "", err
}

// lookAt looks at every source of the program but those in the folders without, so that Go runs the tests again if one
// of them has changed.
func lookAt(without []string) error {
	top, err := top()
	if err != nil {
		return err
	}
	for _, part := range []string{"cmd", "driver", "executor", "invocations", "trace", "go.mod", "go.sum"} {
		err := filepath.WalkDir(filepath.Join(top, part), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			switch {
			case e.IsDir() && (e.Name() == "testdata" || slices.Contains(without, filepath.ToSlash(name))):
				return filepath.SkipDir
			case e.IsDir() || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			_, err = os.Stat(path)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Top returns the path of a file of the checkout, by the elements of its path from the top.
func Top(t testing.TB, elements ...string) string {
	t.Helper()
	folder, err := top()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(append([]string{folder}, elements...)...)
}

// Example returns the path of one of the shipped examples.
func Example(t testing.TB, elements ...string) string {
	t.Helper()
	return Top(t, append([]string{"cmd", "zonemark", "example"}, elements...)...)
}

// Testdata returns the path of what tests of several packages measure.
func Testdata(t testing.TB, elements ...string) string {
	t.Helper()
	return Top(t, append([]string{"cmd", "zonemark", "internal", "e2e", "testdata"}, elements...)...)
}

// Shared returns a folder that all tests of a package share, so that what takes long is made once. It is removed when
// they have ended.
var Shared = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "zonemark-test-")
	if err != nil {
		panic(err)
	}
	return folder
})

// Cache returns the cache that all tests of a user share, so that libraries are built once.
func Cache(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("zonemark-test-cache-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Program returns the path of zonemark.
func Program(t testing.TB) string {
	t.Helper()
	folder, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "zonemark")
}

// Environment returns the environment of programs that tests start: that of the tests, with zonemark first on PATH, and
// what names the installed runtimes, since those programs have a cache of their own without runtimes.
func Environment() []string {
	folder, _ := built() // Main has seen that it is there
	path := "PATH=" + folder + string(filepath.ListSeparator) + os.Getenv("PATH")
	return environ.Of(setuptest.Environment()...).With(os.Environ()...).With(path).Entries()
}

// Command returns zonemark as a command, for tests that are not scripts.
func Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(Program(t), args...)
	cmd.Args[0] = "zonemark"
	cmd.Env = append(Environment(), "ZONEMARK_HOME="+Cache(t))
	return cmd
}

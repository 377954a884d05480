// Package e2e helps tests that run zonemark as its users do: the program itself, with its child processes. Each package
// below it holds the tests of one subject, so that Go keeps their results apart: what is not changed is not run again.
// Tests that need no process of zonemark do not belong here.
package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/environ"
	"zonemark/invocations/testneeds"
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
		_, err = setuptest.Program()
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
	"cmd/zonemark/internal/traceverbs", "cmd/zonemark/internal/ttreport",
	"cmd/zonemark/internal/statstable", "cmd/zonemark/internal/tuning", "cmd/zonemark/internal/doctoring",
	"cmd/zonemark/internal/halidebench", "cmd/zonemark/internal/halidecases", "cmd/zonemark/internal/commands",
}

// lookAt looks at every source of the program but those in the folders without, so that Go runs the tests again if one
// of them has changed.
func lookAt(without []string) error {
	top, err := setuptest.Top()
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
	folder, err := setuptest.Top()
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
	return testneeds.Cache(t, "")
}

// Program returns the path of zonemark.
func Program(t testing.TB) string {
	t.Helper()
	program, err := setuptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// Environment returns the environment of programs that tests start: that of the tests, with zonemark first on PATH, and
// what names the installed runtimes, since those programs have a cache of their own without runtimes.
func Environment() []string {
	program, _ := setuptest.Program() // Main has seen that it is there
	path := "PATH=" + filepath.Dir(program) + string(filepath.ListSeparator) + os.Getenv("PATH")
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

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary zonemark itself if it is called by that name. Package testscript does not know the
// name: a command of testscript.Main starts a process, whatever testscript.Params say, and those of TestScripts must not.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "zonemark" {
		main()
	}
	testscript.Main(withRuntimes{m}, map[string]func(){"madeup": madeUpMain})
}

// withRuntimes runs the tests in an environment that names the installed runtimes, since programs that tests start have
// a cache of their own without runtimes.
type withRuntimes struct{ *testing.M }

// Run runs the tests, with zonemark first on PATH.
func (m withRuntimes) Run() int {
	status, err := m.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}

func (m withRuntimes) run() (int, error) {
	folder, err := os.MkdirTemp("", "zonemark-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	if err := placeProgram(folder); err != nil {
		return 0, err
	}
	path := "PATH=" + folder + string(filepath.ListSeparator) + os.Getenv("PATH")
	for _, entry := range append(setuptest.Environment(), path) {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			return 0, err
		}
	}
	return m.M.Run(), nil
}

// placeProgram makes this test binary a program zonemark in a folder.
func placeProgram(folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" {
		return os.Symlink(self, filepath.Join(folder, "zonemark"))
	}
	program, err := os.ReadFile(self) // links are a privilege there
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "zonemark.exe"), program, 0o755)
}

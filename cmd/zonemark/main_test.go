package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary zonemark itself if it is called by that name.
func TestMain(m *testing.M) {
	testscript.Main(withRuntimes{m}, map[string]func(){"zonemark": main, "madeup": madeUpMain})
}

// withRuntimes runs the tests in an environment that names the installed runtimes, since programs that tests start have
// a cache of their own without runtimes.
type withRuntimes struct{ *testing.M }

// Run runs the tests.
func (m withRuntimes) Run() int {
	for _, entry := range setuptest.Environment() {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.M.Run()
}

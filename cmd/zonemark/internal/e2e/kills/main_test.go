// Package kills tests what is left after drivers, executors and compilers have been killed, stopped or interrupted.
package kills

import (
	"os"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
)

// TestMain makes the test binary an executor if it is called zonemark, since a driver starts its own program.
func TestMain(m *testing.M) {
	if os.Args[0] == "zonemark" {
		p := program.Standard()
		os.Exit(hosting.Serve(p.Streams, os.Args[2:], p.Runtimes.Executors(p.Variables.Lookup), p.Runtimes.OptionsByName()))
	}
	e2e.Main(m)
}

//go:build !linux

package hosting

import (
	"os"
	"os/exec"

	"zonemark/cmd/zonemark/internal/cli"
)

// dieWithStarter does nothing where the system knows no such bond: the capture tool ends after its client, and that
// after its driver.
func dieWithStarter(*exec.Cmd) {}

// endAs returns the exit code with which another process ended; that of our own errors when a signal ended it, which
// only the document of the result tells.
func endAs(state *os.ProcessState) (code int, err error) {
	if code = state.ExitCode(); code < 0 {
		code = cli.ExitError
	}
	return code, nil
}

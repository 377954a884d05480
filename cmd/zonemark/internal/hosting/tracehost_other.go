//go:build !linux

package hosting

import (
	"os"
	"os/exec"

	"zonemark/cmd/zonemark/internal/cli"
)

// dieWithStarter does nothing, since this system cannot tie a process to another one. The capture tool ends after its
// client, and the client after its driver.
func dieWithStarter(*exec.Cmd) {}

// endAs returns the exit code with which another process ended; or the code of zonemark's own errors if a signal ended
// it. Only the document of the result then tells the signal.
func endAs(state *os.ProcessState) (code int, err error) {
	if code = state.ExitCode(); code < 0 {
		code = cli.ExitError
	}
	return code, nil
}

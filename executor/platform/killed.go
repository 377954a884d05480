package platform

import (
	"errors"
	"os/exec"
	"strings"
)

// killedParts are in what drivers of compilers print when a signal has ended the compiler proper: gcc's, and two of
// clang's.
var killedParts = [...]string{"signal terminated program", "unable to execute command: Killed", "failed due to signal"}

// Killed returns how a program was ended by a signal, or how a part of it was, as its output tells; empty if it ended by
// itself. That says nothing of what it was given to do.
func Killed(err error, output string) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return exit.String()
	}
	if err == nil {
		return ""
	}
	for line := range strings.Lines(output) {
		for _, part := range killedParts {
			if strings.Contains(line, part) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

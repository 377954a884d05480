//go:build !linux

package hosting

import (
	"os"
	"os/exec"
)

// outliveDriver does nothing: this system has no signal of the parent's death.
func outliveDriver(*exec.Cmd) {}

// becomeBuilder does nothing: this system limits no memory of compilers.
func becomeBuilder(int64) error { return nil }

// endBuilder ends the process.
func endBuilder() { os.Exit(exitParentGone) }

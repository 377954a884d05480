//go:build !linux

package sandbox

import (
	"fmt"
	"syscall"
)

// Become replaces this process by a program with these arguments, the first of which is its path, and with this
// environment. It returns only if it fails, as it always does on Windows.
func (a *Active) Become(program, environment []string) error {
	if err := a.Seal(); err != nil {
		return err
	}
	if err := syscall.Exec(program[0], program, environment); err != nil {
		return fmt.Errorf("%s: %w", program[0], err)
	}
	return nil
}

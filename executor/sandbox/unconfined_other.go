//go:build !linux

package sandbox

import (
	"os"
	"os/exec"
	"runtime"
)

// Probe finds no layer: all layers are mechanisms of Linux.
func Probe() Support {
	return Support{Missing: unconfined(Options{}, "there is no sandbox on "+runtime.GOOS).Missing}
}

// Configure prepares cmd to start a child that calls Enter. The child is not confined and outlives its parent.
// Configure returns an error if o does not make sense or if its mode is Require.
func Configure(cmd *exec.Cmd, o Options, s Support) error {
	if err := o.check(); err != nil {
		return err
	}
	ask := order{Options: o, ParentPID: os.Getpid()}
	if o.Mode != Off {
		ask.Missing = s.missing(o.Profile)
		if err := require(o, ask.Missing); err != nil {
			return err
		}
	}
	entry, err := ask.encode()
	if err != nil {
		return err
	}
	cmd.Env = append(withoutOrder(cmd.Environ()), entry)
	return nil
}

// Enter reports that no layer is in force, and why. It fails if the parent's order is damaged or demands a sandbox.
func Enter() (Active, error) {
	o, _, found, err := takeOrder()
	if err != nil {
		return Active{}, err
	}
	if !found {
		return unconfined(Options{Mode: Off}, "no parent asked for a sandbox"), nil
	}
	if o.Options.Mode == Off {
		return unconfined(o.Options, "switched off"), nil
	}
	a := unconfined(o.Options, "there is no sandbox on "+runtime.GOOS)
	return a, require(o.Options, a.Missing)
}

// Seal adds no layer on this system. It fails in mode Require.
func (a *Active) Seal() error { return require(a.options, a.Missing) }

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"zonemark/executor/sandbox/threads"

	"golang.org/x/sys/unix"
)

// Enter confines this process as its parent ordered by Configure. The child calls it first thing in main, before it
// starts goroutines or opens anything. It keeps the calling goroutine locked to its thread as long as it lives.
//
// Without an order in the environment (an executor started by hand), no layer is in force, and Active says so. An error
// means that the order is damaged, that Scratch cannot be used, that the parent is gone, or, in mode Require, a
// *MissingError. Layer seccomp is in force only after Seal.
func Enter() (Active, error) {
	o, parentMount, found, err := takeOrder()
	switch {
	case err != nil:
		return Active{}, err
	case !found:
		return unconfined(Options{Mode: Off}, "no parent asked for a sandbox"), nil
	case o.Options.Mode == Off:
		a := unconfined(o.Options, "switched off")
		a.parentPID = o.ParentPID
		return a, nil
	}
	if o.Role == roleFirst {
		beFirst(parentMount)
	}
	o.Options.processes = o.Role == roleInside || o.Options.Profile == Build
	a := Active{Missing: o.Missing, options: o.Options, parentPID: o.ParentPID}
	if err := enterProcesses(&a, o, parentMount); err != nil {
		return a, err
	}
	o.Options.exposed = o.Options.processes && !slices.Contains(a.Layers, LayerPID)
	a.options = o.Options
	if err := applyLayers(&a, o, parentMount); err != nil {
		return a, err
	}
	if err := checkParent(o.ParentPID); err != nil {
		return a, err
	}
	return a, require(o.Options, a.Missing)
}

// enterProcesses brings LayerPID into force if the profile has it. The process that the parent has started then becomes
// the host, and enterProcesses returns only in the one that is to be confined.
func enterProcesses(a *Active, o order, parentMount string) error {
	switch {
	case o.Options.Profile == Build:
		// It is the first process of its namespace. All others end with it, even if there can be no /proc of the namespace.
		a.apply(LayerPID, func() error { return mountProcesses(parentMount) })
		return nil
	case o.Options.Profile != Device:
		return nil
	case o.Role == roleInside:
		a.add(LayerPID)
		link, err := takeHostLink(o.Control)
		if err == nil {
			a.hand, a.noted = link.hand, link.refused
		}
		return err
	}
	if err := checkParent(o.ParentPID); err != nil {
		return err
	}
	a.apply(LayerPID, func() error { return hostProcesses(o, parentMount) })
	return nil
}

// applyLayers brings the layers into force, in an order in which no layer takes away what a later one needs.
func applyLayers(a *Active, o order, parentMount string) error {
	if err := regainScratch(o.Options.Scratch); err != nil {
		return err
	}
	a.apply(LayerUser, func() error { return ownNamespace(LayerUser, o.Namespaces[LayerUser]) })
	a.apply(LayerMount, func() (err error) {
		a.private, err = makeReadOnly(o.Options, parentMount)
		return err
	})
	a.apply(LayerNet, func() error {
		err := ownNamespace(LayerNet, o.Namespaces[LayerNet])
		if err != nil || !o.Options.AllowInet || o.Options.SharedNet != "" {
			return err
		}
		return loopbackUp()
	})
	a.apply(LayerIPC, func() error { return ownNamespace(LayerIPC, o.Namespaces[LayerIPC]) })
	if err := makeTemporaryFolder(o.Options.Scratch); err != nil {
		return err
	}
	if o.Options.Profile.hasHome() {
		if err := o.Options.makeHome(); err != nil {
			return fmt.Errorf("sandbox: the home of native code: %w", err)
		}
	}
	a.apply(LayerRlimit, func() error { return limitResources(o.Options, slices.Contains(a.Layers, LayerUser)) })
	if o.Options.OwnTemporary && !slices.Contains(a.Layers, LayerMount) {
		a.private = append(a.private, systemTemporary)
	}
	var endRules func()
	err := a.applyToThreads(
		threadLayer{LayerNoNewPrivs, givingUpPrivileges},
		threadLayer{LayerLandlock, func() (calls []threads.Call, err error) {
			calls = make([]threads.Call, 1)
			calls[0], endRules, err = restrictingFiles(append(o.Options.writable(), a.private...), o.Options)
			return calls, err
		}})
	if endRules != nil {
		endRules()
	}
	return err
}

// makeHome makes the folders of the home of native code.
func (o Options) makeHome() error {
	if o.Home == "" {
		if err := ownFolder(o.home()); err != nil {
			return err
		}
	}
	return ownFolder(filepath.Join(o.home(), ".cache"))
}

// temporaryFolder returns the folder for temporary files, which the parent passes to the child as TMPDIR: the system's
// own is read-only.
func temporaryFolder(scratch string) string { return filepath.Join(scratch, "tmp") }

func makeTemporaryFolder(scratch string) error {
	if err := ownFolder(temporaryFolder(scratch)); err != nil {
		return fmt.Errorf("sandbox: the scratch folder cannot be written: %w; "+
			"choose one that the executor's user may write", err)
	}
	return nil
}

// checkParent makes sure that the parent's death ends this process by SIGKILL.
func checkParent(parentPID int) error {
	// The kernel forgets the signal that the parent asked for when exec raises capabilities.
	c := dieWithParent()
	if err := unix.Prctl(int(c.Arguments[0]), c.Arguments[1], 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: %s: %w", c.Name, err)
	}
	if parent := os.Getppid(); parent != parentPID {
		return fmt.Errorf("sandbox: the parent is process %d, and not %d that ordered the sandbox: "+
			"it has ended, or the executor was not started by it directly", parent, parentPID)
	}
	return nil
}

// dieWithParent returns the call that asks for the signal of the parent's death, which belongs to a thread.
func dieWithParent() threads.Call {
	return threads.Control("signal of the parent's death", unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
}

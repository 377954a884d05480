package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// selfExecutable runs this program again, even if its file has been replaced or is in a place that this user may not
// read.
const selfExecutable = "/proc/self/exe"

// Enter confines this process as its parent ordered by Configure. The child calls it first thing in main, before it
// starts goroutines or opens anything. It replaces the process by a new image of the same program with the same
// arguments, descriptors and environment, because Landlock, no_new_privs and capabilities belong to a thread, and only
// exec passes them to every thread. In the new image, Enter returns.
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
		a := unconfined(o.Options, "switched off by --sandbox=off")
		a.parentPID = o.ParentPID
		return a, nil
	case o.Entered != nil:
		return Active{
			Layers:    o.Entered.Layers,
			Missing:   o.Entered.Missing,
			options:   o.Options,
			parentPID: o.ParentPID,
		}, nil
	}
	return enterFirst(o, parentMount)
}

// enterFirst brings every layer but seccomp into force and runs the program again. It returns only if it fails or if
// the program cannot be run again.
func enterFirst(o order, parentMount string) (Active, error) {
	a := Active{Missing: o.Missing, options: o.Options, parentPID: o.ParentPID}
	noAgain := unix.Access(selfExecutable, unix.X_OK) // fails if /proc is not mounted
	if noAgain != nil {
		// Without exec, these layers would be in force in one thread only.
		for _, l := range []Layer{LayerNoNewPrivs, LayerLandlock} {
			a.apply(l, func() error { return fmt.Errorf("%s cannot be run again: %w", selfExecutable, noAgain) })
		}
	}
	runtime.LockOSThread() // the layers belong to this thread, until exec makes it the only one
	if err := applyLayers(&a, o, parentMount); err != nil {
		return a, err
	}
	if err := require(o.Options, a.Missing); err != nil {
		return a, err
	}
	if noAgain != nil {
		runtime.UnlockOSThread()
		return a, nil
	}
	o.Entered = &enteredStage{Layers: a.Layers, Missing: a.Missing}
	return a, runAgain(o)
}

// applyLayers brings the layers into force, in an order in which no layer takes away what a later one needs.
func applyLayers(a *Active, o order, parentMount string) error {
	a.apply(LayerUser, func() error { return ownNamespace(LayerUser, o.Namespaces[LayerUser]) })
	var private []string
	a.apply(LayerMount, func() (err error) {
		private, err = makeReadOnly(o.Options, parentMount)
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
	a.apply(LayerRlimit, func() error { return limitResources(o.Options, slices.Contains(a.Layers, LayerUser)) })
	a.apply(LayerNoNewPrivs, giveUpPrivileges)
	a.apply(LayerLandlock, func() error { return restrictFiles(append(o.Options.writable(), private...), o.Options) })
	return nil
}

// temporaryFolder returns the folder for temporary files, which the parent passes to the child as TMPDIR: the system's
// own is read-only.
func temporaryFolder(scratch string) string { return filepath.Join(scratch, "tmp") }

func makeTemporaryFolder(scratch string) error {
	if err := os.Mkdir(temporaryFolder(scratch), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("sandbox: the scratch folder cannot be written: %w; "+
			"choose one that the executor's user may write", err)
	}
	return nil
}

// runAgain replaces this process by a new image of the program, which inherits this thread's layers. It returns only if
// it fails.
func runAgain(o order) error {
	// The signal of the parent's death belongs to the thread that first got it, and this may be another one.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: signal of the parent's death: %w", err)
	}
	if parent := os.Getppid(); parent != o.ParentPID {
		return fmt.Errorf("sandbox: the parent is process %d, and not %d that ordered the sandbox: "+
			"it has ended, or the executor was not started by it directly", parent, o.ParentPID)
	}
	entry, err := o.encode()
	if err != nil {
		return err
	}
	if err := unix.Exec(selfExecutable, os.Args, append(os.Environ(), entry)); err != nil {
		return fmt.Errorf("sandbox: running %s again: %w", selfExecutable, err)
	}
	return nil
}

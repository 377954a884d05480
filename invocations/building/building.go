// Package building runs the programs that make what is measured: compilers, linkers, generators, importers. What they
// read may be a stranger's, and some of them run a stranger's code, so they are confined. How, is up to those who make a
// Confine. The package imports nothing of zonemark.
package building

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Workshop is what builds are given.
type Workshop struct {
	Cache   string  // the folder below which results are kept; empty if there is none
	Confine Confine // of the programs that a build starts
}

// Access is what a program may use beside the system, its own installation, and what users allow all programs. Paths
// are absolute.
type Access struct {
	// Write are folders, of which there is at least one. The program's temporary files go into the first, and what it writes
	// there counts to its limit of memory.
	Write []string
	Read  []string // files and folders
	// Temporary says that the program writes to /tmp, whatever the environment says. It gets one of its own if possible.
	Temporary bool
	// Programs are those that it starts, with their installations: words of a command, of which those count that name a
	// program.
	Programs []string
}

// KilledError reports that a program was killed because it exceeded a limit, or could not be confined and did not run.
type KilledError struct{ Reason string }

func (e *KilledError) Error() string { return e.Reason }

// Confine changes a command that is not started yet, so that its program will be confined. Nil confines nothing.
type Confine func(cmd *exec.Cmd, a Access) (Confinement, error)

// Confinement is how a program is confined that was not started yet. Its functions may be nil.
type Confinement struct {
	// Watch looks after the program while it runs. Stop, which is called when it has ended, then returns a *KilledError if it was killed.
	Watch func(*os.Process) (stop func() error)
	// Release frees what the program has needed. It is called in any case.
	Release func()
}

// Scratch makes a folder of its own for what a program leaves that makes no files, below a cache if there is one. The
// caller calls remove.
func (w Workshop) Scratch() (folder string, remove func(), err error) {
	if w.Cache != "" {
		err = os.MkdirAll(w.Cache, 0o777)
	}
	if err == nil {
		folder, err = os.MkdirTemp(w.Cache, ".building-")
	}
	if err != nil {
		return "", nil, fmt.Errorf("%w; choose another cache folder", err)
	}
	return folder, func() { os.RemoveAll(folder) }, nil
}

// afterlife limits how long what a killed program has started may keep its output open.
const afterlife = 5 * time.Second

// Run runs a command, which exec.CommandContext must have made, to its end. All that it has started ends with its
// context, as far as the system lets it, and with this process. The error is that of cmd.Run, or says why it was killed.
func (c Confine) Run(cmd *exec.Cmd, a Access) error {
	// On Linux, the program gets a signal when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ownGroup(cmd)
	cmd.WaitDelay = cmp.Or(cmd.WaitDelay, afterlife)
	var confined Confinement
	if c != nil {
		var err error
		if confined, err = c(cmd, a); err != nil {
			return err
		}
	}
	if confined.Release != nil {
		defer confined.Release()
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var stop func() error
	if confined.Watch != nil {
		stop = confined.Watch(cmd.Process)
	}
	err := cmd.Wait()
	if stop != nil {
		if killed := stop(); killed != nil {
			return killed
		}
	}
	return err
}

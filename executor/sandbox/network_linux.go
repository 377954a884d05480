package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ConfigureNetwork prepares cmd to start a process that calls EnterNetwork and then starts confined children with Options.SharedNet: processes that
// have to reach each other and nobody else. It gets a user and a network namespace where s, from Probe, has LayerNet; where it has not (the zero
// Support has nothing), the process stays in the network of this one. The process itself is not confined otherwise.
//
// It leads a process group of its own and dies by SIGKILL with its parent; what Configure says of the thread that starts it holds here as well.
func ConfigureNetwork(cmd *exec.Cmd, s Support) error {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.Pdeathsig, attr.Setpgid = syscall.SIGKILL, true
	o := networkOrder{ParentPID: os.Getpid()}
	if s.Has(LayerNet) {
		flags := uintptr(unix.CLONE_NEWNET)
		if s.Has(LayerUser) {
			flags |= unix.CLONE_NEWUSER
		}
		setNamespaces(&attr, flags, s.ids)
		if o.Outside = namespaceLinks()[LayerNet]; o.Outside == "" {
			return fmt.Errorf("sandbox: the network namespace of this process cannot be told: see that /proc is mounted")
		}
	}
	entry, err := o.encode()
	if err != nil {
		return err
	}
	cmd.SysProcAttr = &attr
	cmd.Env = append(withoutNetworkOrder(withoutOrder(cmd.Environ())), entry)
	return nil
}

// EnterNetwork makes the network that ConfigureNetwork asked for usable: it checks that it is this process's own and brings its loopback interface up.
// It returns the link text of the network namespace outside, for Options.SharedNet; empty means that the network is the parent's.
//
// The caller locks its goroutine to its thread before, and stays on it as long as the process lives: the signal of the parent's death belongs to it.
func EnterNetwork() (outside string, err error) {
	o, found, err := takeNetworkOrder()
	if err != nil || !found {
		return "", err
	}
	// The kernel forgets the signal when an exec raises capabilities.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return "", fmt.Errorf("sandbox: signal of the parent's death: %w", err)
	}
	if parent := os.Getppid(); parent != o.ParentPID {
		return "", fmt.Errorf("sandbox: the parent is process %d, and not %d that ordered the network: it has ended, or this process was not started by it directly", parent, o.ParentPID)
	}
	if o.Outside == "" {
		return "", nil
	}
	if err := ownNamespace(LayerNet, o.Outside); err != nil {
		return "", fmt.Errorf("sandbox: no network of its own: %w", err)
	}
	if err := loopbackUp(); err != nil {
		return "", fmt.Errorf("sandbox: %w", err)
	}
	// What this thread starts from here on needs no privilege over the network.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return "", fmt.Errorf("sandbox: ambient capabilities: %w", err)
	}
	return o.Outside, nil
}

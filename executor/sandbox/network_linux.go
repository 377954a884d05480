package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ConfigureNetwork prepares cmd to start a process that calls EnterNetwork and then starts confined children with
// Options.SharedNet: processes that must reach each other and no others. The process gets a user and a network
// namespace if s, from Probe, has LayerNet. Otherwise (the zero Support has no layers) it stays in the network of this
// process. It is not confined in any other way.
//
// It leads a process group of its own and dies by SIGKILL with its parent. What Configure says about the thread that
// starts the child holds here as well.
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
			return fmt.Errorf("sandbox: the network namespace of this process cannot be told: " +
				"see that /proc is mounted")
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

// EnterNetwork prepares the network that ConfigureNetwork asked for: it checks that the network is this process's own
// and activates its loopback interface. It returns the link text of the network namespace outside, for
// Options.SharedNet; an empty text means that the network is the parent's.
//
// Before, the caller locks its goroutine to its thread, and it keeps that thread as long as the process lives: the
// signal of the parent's death belongs to the thread.
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
		return "", fmt.Errorf("sandbox: the parent is process %d, and not %d that ordered the network: "+
			"it has ended, or this process was not started by it directly", parent, o.ParentPID)
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
	// The programs that this thread starts from here on need no privilege over the network.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return "", fmt.Errorf("sandbox: ambient capabilities: %w", err)
	}
	return o.Outside, nil
}

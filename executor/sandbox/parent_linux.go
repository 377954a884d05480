package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Configure prepares cmd to start a child that calls Enter. It sets the child's namespaces, its environment (with
// TMPDIR in Scratch, and in profiles Device and Build HOME), a process group of its own, and its death by SIGKILL when the parent
// dies. It keeps what cmd.SysProcAttr already asks for, for example a pidfd. s comes from Probe.
//
// The kernel ties that death to the *thread* that starts the child: the caller calls runtime.LockOSThread in the
// goroutine that calls cmd.Start, and keeps that goroutine alive as long as the child. This process must start the
// child itself, not through another process.
//
// Configure returns an error if o does not make sense or, in mode Require, if s lacks a layer.
func Configure(cmd *exec.Cmd, o Options, s Support) error {
	if err := o.check(); err != nil {
		return err
	}
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.Pdeathsig, attr.Setpgid = syscall.SIGKILL, true
	ask := order{Options: o, ParentPID: os.Getpid()}
	links := namespaceLinks()
	if o.Mode != Off {
		ask.Missing = s.missing(o.Profile)
		if o.SharedNet != "" {
			delete(ask.Missing, LayerNet)
			links[LayerNet] = o.SharedNet
		}
		if err := require(o, ask.Missing); err != nil {
			return err
		}
		flags := uintptr(0)
		for _, n := range namespaces() {
			if s.Has(n.layer) && (n.layer != LayerPID || o.Profile == Build) && (n.layer != LayerNet || o.SharedNet == "") {
				flags |= n.flag
			}
		}
		setNamespaces(&attr, flags, s.ids)
		if flags&unix.CLONE_NEWPID != 0 { // the child does not see its parent, and asks for the signal itself
			attr.Pdeathsig, ask.ParentPID = 0, 0
		}
		ask.Namespaces = map[Layer]string{
			LayerUser: links[LayerUser],
			LayerNet:  links[LayerNet],
			LayerIPC:  links[LayerIPC],
		}
	}
	entry, err := ask.encode()
	if err != nil {
		return err
	}
	cmd.SysProcAttr = &attr
	cmd.Env = append(withoutNetworkOrder(withoutOrder(cmd.Environ())),
		entry, parentMountVariable+"="+links[LayerMount])
	if o.Mode != Off {
		cmd.Env = append(cmd.Env, "TMPDIR="+temporaryFolder(o.Scratch))
		if o.Profile.hasHome() {
			cmd.Env = append(cmd.Env, "HOME="+o.home(), "XDG_CACHE_HOME="+filepath.Join(o.home(), ".cache"))
		}
	}
	return nil
}

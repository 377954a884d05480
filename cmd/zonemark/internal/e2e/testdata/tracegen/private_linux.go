package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// outsideVariable is set in the run inside a private network namespace. It names the namespace outside.
const outsideVariable = "TRACEGEN_OUTSIDE"

// inPrivateNetwork runs the program again in a network namespace of its own, with the loopback interface up. The client
// announces itself by broadcasts, which should not be seen outside, and simultaneous captures then need no different
// ports. It returns false in the run inside, and, with a message, if the machine offers no such namespaces.
func inPrivateNetwork() (exit int, done bool, err error) {
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return 0, false, err
	}
	if outside := os.Getenv(outsideVariable); outside != "" {
		if outside == own {
			return 0, false, errors.New("the network namespace is not a private one")
		}
		return 0, false, loopbackUp()
	}
	inside := exec.Command("/proc/self/exe", os.Args[1:]...)
	inside.Env = append(os.Environ(), outsideVariable+"="+own)
	inside.Stdin, inside.Stdout, inside.Stderr = os.Stdin, os.Stdout, os.Stderr
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	if err := inside.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "tracegen: no private network (%v); going on with a loopback port\n", err)
		return 0, false, nil
	}
	if err := inside.Wait(); err != nil && inside.ProcessState == nil {
		return 0, false, err
	}
	return inside.ProcessState.ExitCode(), true, nil
}

// loopbackUp sets the loopback interface of this namespace up.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("loopback interface: %w", err)
	}
	return nil
}

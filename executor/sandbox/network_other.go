//go:build !linux

package sandbox

import (
	"os"
	"os/exec"
)

// ConfigureNetwork prepares cmd to start a process that calls EnterNetwork. This system has no network namespaces, so
// the process shares the network of this one, and it outlives this one.
func ConfigureNetwork(cmd *exec.Cmd, _ Support) error {
	entry, err := networkOrder{ParentPID: os.Getpid()}.encode()
	if err != nil {
		return err
	}
	cmd.Env = append(withoutNetworkOrder(withoutOrder(cmd.Environ())), entry)
	return nil
}

// EnterNetwork returns "": the network is the parent's, because this system has no network namespaces.
func EnterNetwork() (outside string, err error) {
	_, _, err = takeNetworkOrder()
	return "", err
}

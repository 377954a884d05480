//go:build !linux

package sandbox

import (
	"os"
	"os/exec"
)

// ConfigureNetwork prepares cmd to start a process that calls EnterNetwork. There are no network namespaces here, so that it shares the network of
// this process, which it outlives.
func ConfigureNetwork(cmd *exec.Cmd, _ Support) error {
	entry, err := networkOrder{ParentPID: os.Getpid()}.encode()
	if err != nil {
		return err
	}
	cmd.Env = append(withoutNetworkOrder(withoutOrder(cmd.Environ())), entry)
	return nil
}

// EnterNetwork says that the network is the parent's, as there are no network namespaces here.
func EnterNetwork() (outside string, err error) {
	_, _, err = takeNetworkOrder()
	return "", err
}

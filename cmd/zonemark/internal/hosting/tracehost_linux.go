package hosting

import (
	"os"
	"os/exec"
	"syscall"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/executor/sandbox/signals"
)

// dieWithStarter makes a process die with the thread that starts it.
func dieWithStarter(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

// endAs ends this process like another one. If that ended by a signal, endAs does not return. Else it returns the exit
// code.
func endAs(state *os.ProcessState) (code int, err error) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return cli.ExitError, signals.End(status.Signal())
	}
	return state.ExitCode(), nil
}

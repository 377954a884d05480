package hosting

import (
	"errors"
	"os"
	"os/exec"
)

// recordFile returns an error, since a process gets no further descriptors on Windows.
func recordFile() (*os.File, error) {
	return nil, errors.New("programs are not recorded on Windows")
}

// ownGroup does nothing: there are no process groups.
func ownGroup(*exec.Cmd) {}

// endGroup ends the program.
func endGroup(p *os.Process, _ os.Signal) {
	_ = p.Kill() // it may have ended
}

package bench

import "os/exec"

// ownGroup does nothing here: the context ends the program itself, by TerminateProcess.
func ownGroup(*exec.Cmd) {}

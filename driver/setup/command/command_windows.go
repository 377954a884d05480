package command

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing on Windows: only the program itself is killed when the context ends.
func OwnGroup(*exec.Cmd) {}

// inherit does nothing on Windows, where a file's lock belongs to one process.
func inherit(*exec.Cmd, *os.File) {}

package cli

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestColours: a terminal is painted unless the user says otherwise. Nothing else is.
func TestColours(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer master.Close()
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 25, Col: 80})
	}
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer terminal.Close()
	for _, c := range []struct {
		variables map[string]string
		want      bool
	}{
		{nil, true},
		{map[string]string{"TERM": "xterm-256color"}, true},
		{map[string]string{"TERM": "dumb"}, false},
		{map[string]string{"NO_COLOR": "1"}, false},
		{map[string]string{"NO_COLOR": ""}, true},
	} {
		lookup := func(name string) string { return c.variables[name] }
		if got := Colours(terminal, lookup); got != c.want {
			t.Errorf("%v: %v, want %v", c.variables, got, c.want)
		}
		if Colours(&bytes.Buffer{}, lookup) {
			t.Errorf("%v: a buffer is painted", c.variables)
		}
	}
}

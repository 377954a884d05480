// Package sandboxtest makes what native code must not reach, for tests.
package sandboxtest

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Terminal makes a terminal of a user, which lives as long as the test, and returns its path.
func Terminal(t *testing.T, uid int) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	path := fmt.Sprintf("/dev/pts/%d", number)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil && os.Getuid() == 0 {
		err = os.Chown(path, uid, uid)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

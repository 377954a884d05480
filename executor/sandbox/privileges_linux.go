package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// keptCapabilities let root continue to read files of other users. The other layers decide where it may write.
const keptCapabilities = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH

// giveUpPrivileges sets no_new_privs on the calling thread and makes sure that the next exec leaves it with at most
// keptCapabilities. Otherwise root could raise its limits again, and make writable what was mounted read-only.
func giveUpPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient capabilities: %w", err)
	}
	if os.Getuid() != 0 && os.Geteuid() != 0 {
		return nil // exec leaves an ordinary user without capabilities, and with no_new_privs it adds none
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // capabilities 0 to 31 and 32 to 63
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if sets[0].Permitted == 0 && sets[1].Permitted == 0 {
		return nil // this root has no privileges
	}
	for c := range uintptr(64) {
		held, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // the kernel knows no further capabilities
		}
		if err != nil {
			return fmt.Errorf("capability %d: %w", c, err)
		}
		if held == 0 || keptCapabilities>>c&1 != 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return fmt.Errorf("giving up capability %d: %w", c, err)
		}
	}
	// Programs that root executes also get its inheritable capabilities.
	sets[0].Inheritable, sets[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &sets[0]); err != nil {
		return fmt.Errorf("inheritable capabilities: %w", err)
	}
	return nil
}

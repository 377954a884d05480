package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"zonemark/executor/sandbox/threads"

	"golang.org/x/sys/unix"
)

// keptCapabilities let root continue to read files of other users. The other layers decide where it may write.
const keptCapabilities = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH

// givingUpPrivileges returns the calls that set no_new_privs on a thread and leave root with at most keptCapabilities,
// other users with none. Otherwise root could raise its limits again, and make writable what was mounted read-only. The
// signal of the parent's death goes to every thread, too, since native code may end those that have it.
func givingUpPrivileges() ([]threads.Call, error) {
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	sets := &[2]unix.CapUserData{} // capabilities 0 to 31 and 32 to 63
	if err := unix.Capget(header, &sets[0]); err != nil {
		return nil, fmt.Errorf("capabilities: %w", err)
	}
	calls := []threads.Call{
		threads.Control("no_new_privs", unix.PR_SET_NO_NEW_PRIVS, 1),
		threads.Control("ambient capabilities", unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL),
	}
	kept := uint32(0)
	if os.Getuid() == 0 || os.Geteuid() == 0 {
		kept = keptCapabilities
		if sets[0].Permitted != 0 || sets[1].Permitted != 0 { // else this root has no privileges
			bounds, err := lowerBounds()
			if err != nil {
				return nil, err
			}
			calls = append(calls, bounds...)
		}
	}
	sets[0] = unix.CapUserData{Permitted: sets[0].Permitted & kept, Effective: sets[0].Permitted & kept}
	sets[1] = unix.CapUserData{}
	return append(calls, threads.Call{
		Name: "capabilities", Number: unix.SYS_CAPSET,
		Arguments: [5]uintptr{uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(sets))},
		Holds:     [...]any{header, sets},
	}, dieWithParent()), nil
}

// lowerBounds returns the calls that keep a thread from ever getting other capabilities than keptCapabilities.
func lowerBounds() (calls []threads.Call, err error) {
	for c := range uintptr(64) {
		held, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // the kernel knows no further capabilities
		}
		if err != nil {
			return nil, fmt.Errorf("capability %d: %w", c, err)
		}
		if held != 0 && keptCapabilities>>c&1 == 0 {
			drop := threads.Control(fmt.Sprintf("giving up capability %d", c), unix.PR_CAPBSET_DROP, c)
			drop.Once = true // it needs a capability that is given up, too
			calls = append(calls, drop)
		}
	}
	return calls, nil
}

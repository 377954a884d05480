package threads

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Call is a system call that every thread makes. The assembly knows the layout.
type Call struct {
	Number    uintptr
	Arguments [5]uintptr
	Once      bool   // it fails in a thread that inherits its effect, where this does not matter
	Name      string // for errors
	Holds     any    // what arguments point to: it is then in the heap, where it does not move
}

// Control returns a call of prctl(2).
func Control(name string, arguments ...uintptr) Call {
	c := Call{Name: name, Number: unix.SYS_PRCTL}
	copy(c.Arguments[:], arguments)
	return c
}

// Here makes system calls in the calling thread, up to the first that fails.
func Here(calls []Call) error {
	defer runtime.KeepAlive(calls)
	for _, c := range calls {
		a := &c.Arguments
		if _, _, errno := unix.RawSyscall6(c.Number, a[0], a[1], a[2], a[3], a[4], 0); errno != 0 {
			return fmt.Errorf("%s: %w", c.Name, errno)
		}
	}
	return nil
}

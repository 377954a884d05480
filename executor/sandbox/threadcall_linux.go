package sandbox

import "golang.org/x/sys/unix"

// threadCall is a system call that every thread makes. The assembly knows the layout.
type threadCall struct {
	number    uintptr
	arguments [5]uintptr
	once      bool   // it fails in a thread that inherits its effect, where this does not matter
	name      string // for errors
	holds     any    // what arguments point to: it is then in the heap, where it does not move
}

// control returns a call of prctl(2).
func control(name string, arguments ...uintptr) threadCall {
	c := threadCall{name: name, number: unix.SYS_PRCTL}
	copy(c.arguments[:], arguments)
	return c
}

package sandbox

import (
	"zonemark/executor/sandbox/seccomp"
)

// Refusal is a system call that was refused to native code.
type Refusal = seccomp.Refusal

// Refused returns the system calls that were refused to native code since Refused was called last: those that start
// processes or programs, use sockets, signal or trace others, or concern mounts, namespaces and keys, and, in a
// supervised process, those about files. It is empty if layer seccomp is not in force or has no way to note calls (it
// needs Linux 5.7).
func (a *Active) Refused() []Refusal {
	if a.noted == nil {
		return nil
	}
	return a.noted()
}

// Supervised returns how many calls about files this process has made since Supervised was called last, if it is a
// supervised one; see Options.Supervise. Supervision makes such calls slower.
func (a *Active) Supervised() int64 {
	if a.supervised == nil {
		return 0
	}
	return a.supervised()
}

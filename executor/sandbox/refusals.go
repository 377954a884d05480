package sandbox

import (
	"slices"
	"sync"
)

// refusals are the names of the system calls that were refused. It is safe for concurrent use.
type refusals struct {
	mutex sync.Mutex
	names []string
}

func (r *refusals) add(name string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !slices.Contains(r.names, name) {
		r.names = append(r.names, name)
	}
}

// take returns the names since the last take, in the order of their first calls.
func (r *refusals) take() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	names := r.names
	r.names = nil
	return names
}

// Refused returns the names of the system calls that started processes or used sockets and were refused to native code
// since Refused was called last. It is empty if layer seccomp is not in force or has no way to note calls (it needs
// Linux 5.7).
func (a *Active) Refused() []string {
	if a.noted == nil {
		return nil
	}
	return a.noted()
}

package sandbox

import (
	"slices"
	"sync"
)

// Refusal is a system call that was refused to native code.
type Refusal struct {
	Call  string // its name
	Path  string // that it was about; empty if that is not known
	Write bool   // the path was to be written, or made
	Times int64
}

// mostRefusals is how many different ones are kept. Further ones are forgotten.
const mostRefusals = 64

// refusals are the system calls that were refused. It is safe for concurrent use.
type refusals struct {
	mutex sync.Mutex
	list  []Refusal
	made  int64 // calls about files that were supervised
}

// add notes a call, with a path or without.
func (r *refusals) add(call, path string, write bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	is := func(one Refusal) bool { return one.Call == call && one.Path == path }
	if i := slices.IndexFunc(r.list, is); i >= 0 {
		r.list[i].Times++
	} else if len(r.list) < mostRefusals {
		r.list = append(r.list, Refusal{Call: call, Path: path, Write: write, Times: 1})
	}
}

// count counts a supervised call.
func (r *refusals) count() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.made++
}

// take returns the calls since the last take, in the order in which they were first made.
func (r *refusals) take() []Refusal {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	list := r.list
	r.list = nil
	return list
}

// supervised returns how many supervised calls there were since it was called last.
func (r *refusals) supervised() int64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	n := r.made
	r.made = 0
	return n
}

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

// Package seccomp filters the system calls of a process, and answers those that a filter leaves open: the arbiter notes
// those that are refused, and makes calls about files in place of a supervised process. It knows no layer of the sandbox
// but this one.
package seccomp

import (
	"slices"
	"sync"
)

// Options are what a filter depends on.
type Options struct {
	Processes bool // the process may start processes
	Exposed   bool // it may start processes, and sees those of others
	Mounted   bool // mounts keep it from files that it may not write, and from changing their modes
	AllowInet bool // it may use sockets of the families AF_INET and AF_INET6
	AllowExec bool // it may become another program
	Supervise bool // the arbiter makes its calls about files
}

// Refusal is a system call that was refused to native code.
type Refusal struct {
	Call  string // its name
	Path  string // that it was about; empty if that is not known
	Write bool   // the path was to be written, or made
	Times int64
}

// mostRefusals is how many different ones are kept. Further ones are forgotten.
const mostRefusals = 64

// Refusals are the system calls that were refused. It is safe for concurrent use.
type Refusals struct {
	mutex sync.Mutex
	list  []Refusal
	made  int64 // calls about files that were supervised
}

// Add notes a call, with a path or without.
func (r *Refusals) Add(call, path string, write bool) {
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
func (r *Refusals) count() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.made++
}

// Take returns the calls since the last take, in the order in which they were first made.
func (r *Refusals) Take() []Refusal {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	list := r.list
	r.list = nil
	return list
}

// Supervised returns how many supervised calls there were since it was called last.
func (r *Refusals) Supervised() int64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	n := r.made
	r.made = 0
	return n
}

package watching

import (
	"sync"

	"zonemark/driver/executors"
	"zonemark/invocations/cgroups"
)

// groups are where this process can make control groups; nil: nowhere.
var groups = sync.OnceValue(func() *cgroups.Memory {
	m, _ := cgroups.FindMemory() // the watch holds the limit without them
	return m
})

// startGroup puts the process, with what it has started, into a control group of its own. Where that cannot be, the
// watch alone holds the limit.
func (w *watch) startGroup() {
	if !w.limits.Group || w.limits.MemoryBytes <= 0 || groups() == nil {
		return
	}
	g, err := groups().Limit(w.process.Pid, w.limits.MemoryBytes)
	if err != nil {
		return
	}
	w.group = g
	for list := Children(w.process.Pid); len(list) > 0; list = list[1:] {
		if g.Add(list[0]) == nil {
			list = append(list, Children(list[0])...)
		}
	}
}

// killedByGroup returns the limit of memory if the kernel has ended a process because its group had no memory left.
func (w *watch) killedByGroup() executors.Exceeded {
	if w.group == nil || !w.group.Killed() {
		return executors.Exceeded{}
	}
	return executors.Exceeded{Limit: executors.LimitMemory, Used: w.limits.MemoryBytes, Allowed: w.limits.MemoryBytes}
}

// endGroup removes the group.
func (w *watch) endGroup() {
	if w.group != nil {
		_ = w.group.Remove() // the next driver does, if a process has not ended yet
	}
}

package peaks

import (
	"runtime"

	"zonemark/executor/dl"
	"zonemark/executor/platform"
)

// job is a call of a kernel.
type job struct{ entry, rounds, from, to, bytes uintptr }

// crew is threads that do one job each at the same time, each on a CPU of its own.
type crew struct {
	start []chan struct{}
	done  chan struct{}
	loose error // why a thread is not bound to its CPU; nil if all are
}

// newCrew starts a thread for each job and binds it to one of the CPUs, if the system can do that.
func newCrew(jobs []job, cpus []int) *crew {
	c := &crew{done: make(chan struct{}, len(jobs))}
	bound := make(chan error, len(jobs))
	for i, j := range jobs {
		start := make(chan struct{}, 1)
		c.start = append(c.start, start)
		go func() {
			runtime.LockOSThread() // and never unlocked: the thread ends with its goroutine
			bound <- platform.Pin(cpus[i%len(cpus)])
			for range start {
				dl.Call(j.entry, j.rounds, j.from, j.to, j.bytes)
				c.done <- struct{}{}
			}
		}()
	}
	for range jobs {
		if err := <-bound; err != nil {
			c.loose = err
		}
	}
	return c
}

// work has every thread do its job once, and waits for the last one.
func (c *crew) work() error {
	for _, start := range c.start {
		start <- struct{}{}
	}
	for range c.start {
		<-c.done
	}
	return nil
}

// close ends the threads.
func (c *crew) close() {
	for _, start := range c.start {
		close(start)
	}
}

//go:build !linux

// Package watching holds limits of processes from outside.
package watching

import (
	"os"
	"time"

	"zonemark/driver/executors"
)

// Limits are the limits of an executor. They are not watched on this system.
type Limits struct {
	MemoryBytes, Threads int64
	Scratch, Except      string
	Waits, Family        bool
	Namespace, Build     bool
	OfGroup, Group       bool
}

func (l Limits) Watch(*os.Process) executors.Watch { return unwatched{} }

type unwatched struct{}

func (unwatched) Renew()                   {}
func (unwatched) Stopped() time.Duration   { return 0 }
func (unwatched) Starved() bool            { return false }
func (unwatched) Stop() executors.Exceeded { return executors.Exceeded{} }

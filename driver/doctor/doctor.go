// Package doctor finds what disturbs measurements on a machine: settings of the processor and the kernel, other load,
// limits of containers, and what zonemark itself cannot use here. Each finding has its evidence and the command that
// mends it. The package changes nothing. It reads the files that Linux offers about itself below a root, so that tests
// can make up machines; what only a running program can find out is given to it.
package doctor

import (
	"context"
	"io/fs"
	"time"
)

// Grade says how much a finding matters.
type Grade string

// The grades of findings, the worst first.
const (
	Disturbs Grade = "disturbs"    // measured times move by it now
	MayMove  Grade = "may disturb" // it can move times, or makes measuring harder
	Unknown  Grade = "not known"   // the system does not tell
	Good     Grade = "good"
)

// Grades returns all grades, the worst first.
func Grades() []Grade { return []Grade{Disturbs, MayMove, Unknown, Good} }

// Finding is what was found about one subject.
type Finding struct {
	Subject  string `json:"subject"` // such as "governor"
	Grade    Grade  `json:"grade"`
	Found    string `json:"found"`            // in words
	Evidence string `json:"evidence"`         // where it was seen, and what stood there
	Remedy   string `json:"remedy,omitempty"` // a command, or what to do; empty if there is nothing to do
}

// System is the machine that is examined.
type System struct {
	Files fs.FS         // the root of the file system, with proc and sys
	Watch time.Duration // how long load is watched
	PID   int           // of this process, whose own load does not count
	Given Given
}

// Given is what only a running program finds out.
type Given struct {
	Clock        string  // name of the clock that times batches
	ClockNote    string  // why it is not the processor's counter; empty if it is
	ResolutionNS float64 // shortest interval that the clock tells apart
	Counters     string  // why there are no hardware counters; empty if there are
	// Layers are the names of the sandbox's layers that work here. Missing are the others, with the reasons.
	Layers  []string
	Missing map[string]string
	NoGroup string // why no control group can hold the limit of memory; empty if one can
}

// Examine returns a finding for each subject. It takes as long as load is watched. The error is that of the context.
func Examine(ctx context.Context, s System) ([]Finding, error) {
	before := look(s.Files)
	timer := time.NewTimer(s.Watch)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
	}
	after := look(s.Files)
	var found []Finding
	for _, check := range []func(system, *watched) []Finding{
		load, stolen, throttling, swapping, // what happens now
		governor, turbo, threads, nodes, temperatures, power, // the processor
		hugePages, addressLayout, // memory
		machineKind, limits, allowedCPUs, // what the system is part of
		clock, counters, sandbox, // what zonemark can use
	} {
		found = append(found, check(system{s}, &watched{before, after})...)
	}
	return found, nil
}

//go:build linux && (amd64 || arm64)

package native

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
)

// knownTurns is the number of turns of knownLoop in a check. Each turn is two instructions, one of them a branch.
const knownTurns = 100_000

// knownLoop makes this many turns, at least one, of a loop of two instructions: count down, branch.
func knownLoop(turns uintptr)

// check compares the counts of every pass with a loop of known length, because a wrong count is worse than none.
// Afterwards no pass is selected.
func (c *Counters) check() error {
	for pass := range c.passes {
		for _, inherit := range []bool{false, true} {
			if err := c.begin(c.passes[pass], inherit); err != nil {
				return &CountersError{err.Error()}
			}
			if err := c.checkSelected(); err != nil {
				return err
			}
		}
	}
	return c.stop()
}

// checkSelected checks the selected events, read in each possible way.
func (c *Counters) checkSelected() error {
	counts, err := c.countKnown(c.read)
	if err != nil {
		return &CountersError{err.Error()}
	}
	if err := checkCounts(c.Selected(), counts, "read"); err != nil {
		return err
	}
	pages := c.Pages()
	if pages == nil {
		return nil
	}
	counts, err = c.countKnown(func(into []uint64) error { return tryPages(pages, into) })
	if err != nil {
		return &CountersError{err.Error()}
	}
	return checkCounts(c.Selected(), counts, "rdpmc")
}

// countKnown returns the counts of knownTurns turns without the reading around them. Each is the least of several: a
// signal to the Go runtime adds instructions and never removes any.
func (c *Counters) countKnown(read func([]uint64) error) ([]uint64, error) {
	n := len(c.selected)
	before, between, after := make([]uint64, n), make([]uint64, n), make([]uint64, n)
	loop, nothing := make([]uint64, n), make([]uint64, n)
	for try := range 5 {
		// There is nothing else between the readings: the long loop and the short one must have the same code around
		// them.
		errBefore := read(before)
		knownLoop(knownTurns + 1)
		errBetween := read(between)
		knownLoop(1)
		errAfter := read(after)
		if err := cmp.Or(errBefore, errBetween, errAfter); err != nil {
			return nil, err
		}
		for i := range n {
			long, short := between[i]-before[i], after[i]-between[i]
			if try == 0 || long < loop[i] {
				loop[i] = long
			}
			if try == 0 || short < nothing[i] {
				nothing[i] = short
			}
		}
	}
	for i := range loop {
		loop[i] -= min(loop[i], nothing[i])
	}
	return loop, nil
}

// checkCounts checks the counts of knownTurns turns. Instructions and branches must be right within 0.1 %. Cycles must
// be possible: no processor makes eight turns of a loop in one cycle.
func checkCounts(events []Event, counts []uint64, how string) error {
	const tolerance = 1000
	for i, e := range events {
		if e.Type != eventHardware {
			continue
		}
		n, wrong := counts[i], ""
		switch e.Config {
		case hardwareInstructions:
			if want := uint64(2 * knownTurns); max(n, want)-min(n, want) > want/tolerance {
				wrong = fmt.Sprint(want)
			}
		case hardwareBranches:
			if want := uint64(knownTurns); max(n, want)-min(n, want) > want/tolerance {
				wrong = fmt.Sprint(want)
			}
		case hardwareCycles:
			if least := uint64(knownTurns / 8); n < least {
				wrong = fmt.Sprintf("%d or more", least)
			}
		}
		if wrong != "" {
			return &CountersError{fmt.Sprintf("they count wrongly: %d %s by %s in a loop of %s", n, e.Name, how, wrong)}
		}
	}
	return nil
}

// tryPages calls readPages for the first time. It returns an error if a page allows rdpmc on a machine where the
// instruction faults.
func tryPages(pages []uintptr, into []uint64) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = errors.New("the kernel allows rdpmc, the processor refuses it")
		}
	}()
	readPages(&pages[0], uintptr(len(pages)), &into[0])
	return nil
}

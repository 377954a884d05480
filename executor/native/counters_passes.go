package native

import (
	"errors"
	"slices"
)

// openEvents opens cycles, instructions and the given events, and distributes them over passes. The trial takes about a
// millisecond on the calling thread. The error is a *CountersError if nothing can be counted.
func openEvents(events []Event, open eventOpener, trial func()) (*Counters, error) {
	c := &Counters{missing: map[string]string{}}
	if err := c.open(withBase(events), open); err != nil {
		c.Close()
		return nil, err
	}
	if err := c.arrange(trial); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// noHardware is the reason if the kernel knows none of the events.
const noHardware = "this machine offers no hardware counters (a virtual machine whose host keeps them)"

// isBase reports whether an event belongs to every pass: cycles and instructions, with which the others are compared.
func isBase(e Event) bool {
	return e.Type == eventHardware && (e.Config == hardwareCycles || e.Config == hardwareInstructions)
}

// withBase puts cycles and instructions before the others.
func withBase(events []Event) []Event {
	var all []Event
	for _, e := range StandardEvents() {
		if isBase(e) {
			all = append(all, e)
		}
	}
	for _, e := range events {
		if !isBase(e) {
			all = append(all, e)
		}
	}
	return all
}

// open opens every event twice and records those that are missing.
func (c *Counters) open(events []Event, open eventOpener) error {
	for _, e := range events {
		alone, err := open(e, false)
		var inherit openEvent
		if err == nil {
			c.alone = append(c.alone, alone)
			inherit, err = open(e, true)
		}
		var missing *refusal
		switch {
		case err == nil:
			c.inherit, c.events = append(c.inherit, inherit), append(c.events, e)
		case errors.As(err, &missing):
			c.missing[e.Name] = missing.reason
			if len(c.alone) > len(c.events) {
				c.alone = c.alone[:len(c.events)]
				alone.close()
			}
		default:
			return err
		}
	}
	if len(c.events) == 0 {
		return &CountersError{noHardware}
	}
	return nil
}

// arrange distributes the open events over as few passes as a first fit finds. Which events fit together depends on the
// processor and on other users of its counters, so arrange tries it.
func (c *Counters) arrange(trial func()) error {
	var base, rest []int
	for i, e := range c.events {
		if isBase(e) {
			base = append(base, i)
		} else {
			rest = append(rest, i)
		}
	}
	all := slices.Concat(base, rest)
	if lost, err := c.fits(all, trial); err != nil {
		return err
	} else if lost == nil {
		c.passes = [][]int{all}
		return nil
	}
	if len(base) > 0 {
		lost, err := c.fits(base, trial)
		if err != nil {
			return err
		}
		if lost != nil {
			return &CountersError{"cycles and instructions do not fit together: " + lost.what +
				"; the kernel's NMI watchdog or another program, such as perf, may use the counters"}
		}
	}
	for len(rest) > 0 {
		pass, left, err := c.fill(base, rest, trial)
		if err != nil {
			return err
		}
		if len(left) == len(rest) {
			break
		}
		c.passes, rest = append(c.passes, pass), left
	}
	if len(c.passes) == 0 && len(base) > 0 {
		c.passes = [][]int{base}
	}
	for _, i := range rest {
		c.missing[c.events[i].Name] = "the processor has no counter for it beside cycles and instructions"
	}
	if len(c.passes) == 0 {
		return &CountersError{
			"no event was counted the whole time; another program, such as perf, may use the counters",
		}
	}
	return nil
}

// fill adds as many of the events to base as fit. It also returns those that do not.
func (c *Counters) fill(base, events []int, trial func()) (pass, left []int, err error) {
	pass = base
	for _, i := range events {
		larger := append(slices.Clone(pass), i)
		lost, err := c.fits(larger, trial)
		switch {
		case err != nil:
			return nil, nil, err
		case lost == nil:
			pass = larger
		default:
			left = append(left, i)
		}
	}
	return pass, left, nil
}

// fits returns nil if the events are counted during the whole trial, else what is not counted.
func (c *Counters) fits(events []int, trial func()) (*notCounted, error) {
	err := c.begin(events, false)
	if err == nil {
		trial()
		err = c.read(make([]uint64, len(events)))
	}
	if stopped := c.stop(); err == nil {
		err = stopped
	}
	var lost *notCounted
	if errors.As(err, &lost) {
		return lost, nil
	}
	return nil, err
}

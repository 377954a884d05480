package rounds

import (
	"math"

	"zonemark/executor/native"
)

// cpuReads is the number of pairs of readings of the thread's CPU time; the shortest is what a reading takes.
const cpuReads = 20

// counters are events of the processor, of the thread that serves; see native.Counters.
type counters interface {
	Passes() int
	Select(pass int, inherit bool) error
	Selected() []native.Event
	Pages() []uintptr
	Read(into []uint64) error
}

// Instruments are what an executor measures with. What they say of themselves is found when a session first asks, and
// holds for the sessions after it.
type Instruments struct {
	around   surroundings // of the sessions and of what observes them
	clock    native.Clock
	counters counters // nil if nothing is counted

	canary    *native.Canary // nil if the clock is too coarse for one
	hasCanary bool           // canary is known
	readNS    float64        // CPU time that reading the thread's CPU time takes; 0: not known

	scalar scalarMoment // the latest look at scalar code

	systemSlower float64 // by which fraction the shortest call of the system takes longer in the sandbox
}

// newCanary returns a canary of the session's own. It returns nil if the clock is too coarse for probes.
func (i *Instruments) newCanary() *native.Canary {
	if !i.hasCanary {
		i.canary, i.hasCanary = native.NewCanary(i.clock), true
	}
	if i.canary == nil {
		return nil
	}
	own := *i.canary
	return &own
}

// cpuReadNS returns the CPU time, in nanoseconds, that reading the thread's CPU time takes.
func (i *Instruments) cpuReadNS() float64 {
	if i.readNS == 0 {
		i.readNS = math.Inf(1)
		for range cpuReads {
			before := i.around.cpuNS()
			i.readNS = min(i.readNS, float64(i.around.cpuNS()-before))
		}
	}
	return i.readNS
}

// NewInstruments returns those of an executor. counted may be nil: nothing is counted then. systemSlower is by which
// fraction the shortest call of the system takes longer in the sandbox.
func NewInstruments(counted *native.Counters, systemSlower float64) *Instruments {
	i := &Instruments{around: system{}, systemSlower: systemSlower}
	if counted != nil {
		i.counters = counted
	}
	return i
}

// SetClock sets the clock of the sessions. It is called once, before the first of them.
func (i *Instruments) SetClock(clock native.Clock) { i.clock = clock }

// HasClock reports whether the clock is set.
func (i *Instruments) HasClock() bool { return i.clock.Name != "" }

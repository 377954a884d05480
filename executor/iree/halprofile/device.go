package halprofile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// Sizes of records of devices up to the last field that is read here.
const (
	correlationBytes    = 72
	deviceDispatchBytes = 88
)

// correlates are the flags of a clock correlation that has a tick of the device and the host's time around it.
const correlates = 1<<0 | 1<<3

// deviceDispatch is a dispatch that a device has timed by a clock of its own; iree_hal_profile_dispatch_event_t.
type deviceDispatch struct {
	event      Event // without times
	device     uint32
	start, end uint64 // ticks
}

// correlation is a moment on the clocks of a device and of the host; iree_hal_profile_clock_correlation_record_t.
type correlation struct {
	tick   uint64
	hostNS int64 // on the system's monotonic clock
}

// clock holds the first and the last correlation of a device.
type clock struct{ first, last correlation }

// addCorrelation decodes a record of at least correlationBytes.
func (r *Records) addCorrelation(b []byte) error {
	le := binary.LittleEndian
	if le.Uint32(b[4:])&correlates != correlates {
		return nil
	}
	begin, end := int64(le.Uint64(b[56:])), int64(le.Uint64(b[64:]))
	c := correlation{tick: le.Uint64(b[24:]), hostNS: begin + (end-begin)/2}
	if begin < 0 || end < begin {
		return fmt.Errorf("a sample of clocks that was taken between %d and %d ns", begin, end)
	}
	device := le.Uint32(b[8:])
	if r.clocks == nil {
		r.clocks = make(map[uint32]clock)
	}
	known, found := r.clocks[device]
	if !found {
		known.first = c
	}
	known.last = c
	r.clocks[device] = known
	return nil
}

// addDeviceDispatch decodes a record of at least deviceDispatchBytes. Its device is that of the chunk.
func (r *Records) addDeviceDispatch(b []byte) error {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	d := deviceDispatch{
		event: Event{
			Kind: Dispatch, OnDevice: true, ID: u64(8), Submission: u64(16), CommandBuffer: u64(24),
			Function: FunctionKey{u64(32), u32(44)}, Command: u32(40),
			Workgroups: [3]uint32{u32(48), u32(52), u32(56)},
		},
		device: r.device, start: u64(72), end: u64(80),
	}
	if d.end < d.start {
		return fmt.Errorf("dispatch %d ends %d ticks before it begins", d.event.ID, d.start-d.end)
	}
	r.dispatches = append(r.dispatches, d)
	return nil
}

// onHostClock appends the dispatches of devices to the events, with times on the host's clock. A device's clock is taken
// to run evenly between its first and its last correlation.
func (r *Records) onHostClock() error {
	for _, d := range r.dispatches {
		c, known := r.clocks[d.device]
		if !known {
			return fmt.Errorf("device %d has dispatches, and no record relates its clock to the host's", d.device)
		}
		if c.last.tick <= c.first.tick || c.last.hostNS <= c.first.hostNS {
			return fmt.Errorf("device %d: its clock went from tick %d to %d while %d ns passed on the host", d.device,
				c.first.tick, c.last.tick, c.last.hostNS-c.first.hostNS)
		}
		start, ok := c.hostNS(d.start)
		end, also := c.hostNS(d.end)
		if !ok || !also {
			return errors.New("a dispatch is centuries away from the samples of its device's clock")
		}
		d.event.StartNS, d.event.EndNS = start, end
		r.Events = append(r.Events, d.event)
	}
	r.dispatches = nil
	return nil
}

// hostNS returns the time of a tick on the host's clock, and whether it is near enough to the correlations to be
// computed. Whole numbers keep the nanoseconds of clocks that have run for months.
func (c clock) hostNS(tick uint64) (ns int64, ok bool) {
	ticks, passed := c.last.tick-c.first.tick, uint64(c.last.hostNS-c.first.hostNS)
	since, before := tick-c.first.tick, tick < c.first.tick
	if before {
		since = c.first.tick - tick
	}
	high, low := bits.Mul64(since, passed)
	if high >= ticks {
		return 0, false
	}
	n, _ := bits.Div64(high, low, ticks)
	switch {
	case n > 1<<62:
		return 0, false
	case before:
		return c.first.hostNS - int64(n), true
	case c.first.hostNS > 1<<62:
		return 0, false
	}
	return c.first.hostNS + int64(n), true
}

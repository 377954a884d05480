package correlate

import (
	"iter"
	"strings"

	"zonemark/trace"
)

// deviceSource is a source that has zones of devices, as captures do.
type deviceSource interface {
	GPUZones() iter.Seq2[trace.GPUZone, error]
}

// placeDevices makes dispatches of the zones of devices: each that has no other inside ran one, on the device, by its
// own clock.
func (c *correlator) placeDevices(src trace.Source) {
	devices, ok := src.(deviceSource)
	if !ok || len(c.brackets.all) == 0 {
		return
	}
	outside, depth := 0, 0 // depth: of the zone before this one
	for z, err := range devices.GPUZones() {
		if err != nil {
			c.cut(err)
			break
		}
		leaf := depth <= z.Depth // what is inside comes before
		depth = z.Depth
		if !leaf || z.Location == nil || holdsDispatches(z.Location.Label()) {
			continue
		}
		b := c.deviceBracket(&z)
		if b == nil {
			outside++
			continue
		}
		b.device = true
		b.zones++
		if z.Unfinished {
			b.flags |= Unfinished
			continue
		}
		b.parts = append(b.parts, part{
			name: z.Location.Label(), location: z.Location, device: true, start: z.StartNS, end: z.StartNS + z.DurationNS,
			total: z.DurationNS, issued: true,
		})
	}
	if outside > 0 {
		c.warn("%d zones of devices belong to no invocation", outside)
	}
}

// holdsDispatches says whether a zone of a device stands for a buffer of commands, by IREE's names.
func holdsDispatches(name string) bool { return strings.HasPrefix(name, "iree_hal_") }

// deviceBracket returns the bracket of a zone of a device; nil if it is in none. Drivers record a zone when they issue
// it, in its call. The clock of the device may say that it ran in another call, since the two clocks are never quite in
// step. Some profilers record a zone only after it has ended; then the times of the zone decide.
func (c *correlator) deviceBracket(z *trace.GPUZone) *bracket {
	issued := c.brackets.findByTime(&note{thread: none, start: z.CPUStartNS}).index
	ran := c.brackets.findByTime(&note{thread: none, start: z.StartNS, duration: z.DurationNS})
	if ran.straddles {
		ran.index = ran.touched
	}
	at := issued
	if ran.index >= 0 && (issued < 0 || z.StartNS+z.DurationNS <= z.CPUStartNS) {
		at = ran.index
	}
	if at < 0 {
		return nil
	}
	return &c.brackets.all[at]
}

// settleDevice prepares a bracket whose dispatches ran on a device. The thread that waits, waits for the device: from
// the call to the first dispatch and after the last one, the time is the host's. The clock of the device may be beside
// that of the CPU: then the dispatches are moved into the bracket, together.
func (b *bracket) settleDevice() {
	if !b.device || len(b.parts) == 0 {
		return
	}
	b.waits = nil
	on := deviceSpan(b.parts)
	shift := int64(0)
	switch {
	case on.end-on.start > b.end-b.start:
		b.flags |= Straddled
	case on.start < b.start:
		shift = b.start - on.start
	case on.end > b.end:
		shift = b.end - on.end
	}
	for i := range b.parts {
		if p := &b.parts[i]; p.device {
			p.start, p.end = p.start+shift, p.end+shift
		}
	}
}

// deviceSpan returns the time from the start of the first dispatch on a device to the end of the last.
func deviceSpan(parts []part) (span segment) {
	known := false
	for _, p := range parts {
		switch {
		case !p.device:
		case !known:
			span, known = segment{p.start, p.end}, true
		default:
			span.start, span.end = min(span.start, p.start), max(span.end, p.end)
		}
	}
	return span
}

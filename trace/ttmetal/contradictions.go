package ttmetal

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"zonemark/invocations/stats"
)

// What one device cannot do. Real reports stay far below these limits; the first two are those of tt-perf-report.
const (
	mostOverlapNS   = 1e6  // by how much kernels may begin before those before them have ended…
	mostOverlapPart = 0.5  // … if that is more than this part of their time
	mostDisagreeing = 0.1  // by which part the duration and the cycles of a call may differ…
	leastDisagreeNS = 1000 // … if that is more than this
	mostRoundedNS   = 2    // by which kernels may be longer than the firmware around them, since both are rounded
	mostWindows     = 1000 // of bad calls, with which others are compared
	leastClockCalls = 3    // calls that tell the clock well enough to blame one of them
)

// contradict takes calls out of all sums if their times contradict those of others, or each other, and names them. A start
// that a core has kept from an earlier call makes a window of seconds that covers the kernels of other calls.
func (r *Report) contradict() {
	byDevice := map[int64][]*Call{}
	for i := range r.Calls {
		if c := &r.Calls[i]; c.FWNS >= 0 {
			byDevice[c.Device] = append(byDevice[c.Device], c)
		}
	}
	var covering, inner callExamples
	for _, number := range slices.Sorted(maps.Keys(byDevice)) {
		d := deviceCheck{calls: byDevice[number]}
		d.mhz = d.clock(r.tables.Device)
		for _, c := range d.disagreeing() {
			inner.add(c)
			c.forgetDevice()
		}
		for _, c := range d.covering() {
			covering.add(c)
			c.forgetDevice()
		}
	}
	covering.report(r, "of the device %s a window that covers other calls of the device (%s), which one device cannot "+
		"do: the start belongs to an earlier call; no sum includes the times")
	inner.report(r, "of the device %s times that contradict each other (%s): kernels longer than the firmware around "+
		"them, or a duration that does not fit the cycles; no sum includes the times")
}

// forgetDevice marks a call as one that contradicts, and forgets its times on the device.
func (c *Call) forgetDevice() {
	c.Contradicts = true
	c.FWNS, c.KernelNS, c.FWStartCycle, c.FWEndCycle, c.DeviceGapNS = -1, -1, -1, -1, -1
}

// deviceCheck looks for contradictions among the calls of a device that have times there.
type deviceCheck struct {
	calls []*Call
	mhz   float64 // 0: not known
}

// clock returns the clock of the device: that of the log, else what most calls agree on.
func (d *deviceCheck) clock(log *DeviceLog) float64 {
	if log != nil {
		return log.ChipMHz
	}
	var clocks []float64
	for _, c := range d.calls {
		if c.FWStartCycle >= 0 && c.FWNS > 0 {
			clocks = append(clocks, float64(c.FWEndCycle-c.FWStartCycle)/c.FWNS*1000)
		}
	}
	if len(clocks) == 0 {
		return 0
	}
	return stats.Median(clocks)
}

// windowNS returns the length of a call's window by its cycles.
func (d *deviceCheck) windowNS(c *Call) float64 {
	return float64(c.FWEndCycle-c.FWStartCycle) / d.mhz * 1000
}

// placed reports whether a call has a place on the device's clock.
func (d *deviceCheck) placed(c *Call) bool { return d.mhz > 0 && c.FWStartCycle >= 0 && c.FWNS >= 0 }

// disagreeing returns the calls whose own times contradict each other.
func (d *deviceCheck) disagreeing() (list []*Call) {
	for _, c := range d.calls {
		apart := func(a, b float64) bool { return math.Abs(a-b) > max(leastDisagreeNS, mostDisagreeing*max(a, b)) }
		switch {
		case c.KernelNS > c.FWNS+mostRoundedNS,
			d.placed(c) && len(d.calls) >= leastClockCalls && apart(d.windowNS(c), c.FWNS):
			list = append(list, c)
		}
	}
	return list
}

// covering returns the calls whose windows cover others, by sub devices, which run side by side.
func (d *deviceCheck) covering() (list []*Call) {
	parts := map[int64][]*Call{}
	for _, c := range d.calls {
		if c.FWNS >= 0 {
			parts[c.subDevice()] = append(parts[c.subDevice()], c)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		list = append(list, d.coveringIn(parts[part], len(parts) > 1)...)
	}
	return list
}

// coveringIn returns those of one sub device. With others beside it, the gaps that tt-metal tells are between calls of
// all of them and tell nothing.
func (d *deviceCheck) coveringIn(calls []*Call, beside bool) (list []*Call) {
	byEnd := slices.Clone(calls)
	slices.SortStableFunc(byEnd, func(a, b *Call) int { return cmp.Compare(a.FWEndCycle, b.FWEndCycle) })
	bad := d.around(calls)
	var windows []*Call // of those that are bad, not too many
	done := int64(-1)
	withKernels := 0
	for _, c := range byEnd {
		if c.KernelNS >= 0 {
			withKernels++
		}
		gap := 0.0
		if start, end := d.running(c); start < end {
			if done >= 0 {
				gap = float64(start-done) / d.mhz * 1000
			}
			done = max(done, end)
		}
		if c.Row != nil && !beside {
			gap = min(gap, float64(c.Row.OpToOpNS))
		}
		if -gap > max(mostOverlapNS, mostOverlapPart*c.RunNS()) {
			bad[c] = true
		}
		if len(windows) < mostWindows && bad[c] {
			windows = append(windows, c)
		}
	}
	for _, c := range calls {
		if bad[c] || 2*withKernels > len(calls) && c.KernelNS < 0 && d.likeBad(c, windows) {
			list = append(list, c)
		}
	}
	return list
}

// running returns the cycles at which the kernels of a call run for sure, wherever they are in its window; nothing if
// that is never. Windows begin long before the kernels where firmware waits for its turn.
func (d *deviceCheck) running(c *Call) (start, end int64) {
	if !d.placed(c) {
		return 0, 0
	}
	room := int64(max(0, d.windowNS(c)-c.RunNS()) * d.mhz / 1000)
	return c.FWStartCycle + room, c.FWEndCycle - room
}

// around returns the calls that ran, for sure, well before another one began and well after it had ended.
func (d *deviceCheck) around(calls []*Call) map[*Call]bool {
	byStart := slices.DeleteFunc(slices.Clone(calls), func(c *Call) bool { return !d.placed(c) })
	slices.SortStableFunc(byStart, func(a, b *Call) int { return cmp.Compare(a.FWStartCycle, b.FWStartCycle) })
	firstEnd := make([]int64, len(byStart)+1) // of the calls from there on
	firstEnd[len(byStart)] = math.MaxInt64
	for i, c := range slices.Backward(byStart) {
		firstEnd[i] = min(firstEnd[i+1], c.FWEndCycle)
	}
	well := int64(mostOverlapNS * d.mhz / 1000)
	around := map[*Call]bool{}
	for _, c := range byStart {
		start, end := d.running(c)
		later, _ := slices.BinarySearchFunc(byStart, start+well, func(o *Call, at int64) int {
			return cmp.Compare(o.FWStartCycle, at)
		})
		if start < end && firstEnd[later] < end-well {
			around[c] = true
		}
	}
	return around
}

// likeBad reports whether a call is nearly all within the window of one that is bad. tt-metal leaves
// out the times of kernels whose starts belong to earlier calls, also for the first of such calls.
func (d *deviceCheck) likeBad(c *Call, bad []*Call) bool {
	if !d.placed(c) || c.FWNS < mostOverlapNS {
		return false
	}
	return slices.ContainsFunc(bad, func(other *Call) bool {
		common := min(c.FWEndCycle, other.FWEndCycle) - max(c.FWStartCycle, other.FWStartCycle)
		return float64(common) > mostOverlapPart*float64(c.FWEndCycle-c.FWStartCycle)
	})
}

// subDevice returns the sub device of a call; -1: not said.
func (c *Call) subDevice() int64 {
	if c.Row == nil {
		return -1
	}
	return c.Row.SubDevice
}

// compareDevices says which ops some devices lack that others have, if most ops are on all devices: rows were lost then.
// Of programs that run other ops on other devices, nothing is said.
func (r *Report) compareDevices() {
	devices := map[int64]bool{}
	on := map[string]map[int64]bool{}
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.HostOnly || !c.OnDevice || c.Device < 0 {
			continue
		}
		devices[c.Device] = true
		if on[c.Op] == nil {
			on[c.Op] = map[int64]bool{}
		}
		on[c.Op][c.Device] = true
	}
	whole := 0
	for _, has := range on {
		if len(has) == len(devices) {
			whole++
		}
	}
	if whole == len(on) || 2*whole < len(on) {
		return
	}
	all := slices.Sorted(maps.Keys(devices))
	for _, op := range slices.Sorted(maps.Keys(on)) {
		var lacking []string
		for _, number := range all {
			if !on[op][number] {
				lacking = append(lacking, fmt.Sprint(number))
			}
		}
		if len(lacking) > 0 {
			r.lacks(fmt.Sprintf("%s has rows of %d of %d devices (not of %s), which have the other ops: rows were lost, and "+
				"its sums are too small", op, len(on[op]), len(all), fewOf(lacking)))
		}
	}
}

// fewOf lists the first of many.
func fewOf(list []string) string {
	const shown = 16
	if len(list) > shown {
		return strings.Join(list[:shown], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}

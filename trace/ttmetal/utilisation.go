package ttmetal

import (
	"cmp"
	"maps"
	"slices"

	"zonemark/trace"
)

// sumDevices finds how busy each device was, and the gap before each of its calls.
func (r *Report) sumDevices(t *Tables) {
	byDevice := map[int64][]*Call{}
	for i := range r.Calls {
		if c := &r.Calls[i]; c.FWNS >= 0 {
			byDevice[c.Device] = append(byDevice[c.Device], c)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(byDevice)) {
		calls := byDevice[number]
		d := &DeviceTotals{Device: number, Calls: int64(len(calls))}
		d.clock(calls, t.Device)
		cores := map[int64]int64{} // by sub device
		for i := range t.Ops {
			if op := &t.Ops[i]; op.DeviceID == number {
				cores[op.SubDevice] = max(cores[op.SubDevice], op.AvailableCores)
				d.Arch = cmp.Or(d.Arch, op.Arch)
			}
		}
		d.Cores = max(d.Cores, together(cores))
		for _, c := range calls {
			d.RunNS += c.RunNS()
			d.CoreNS += c.RunNS() * float64(c.Cores)
		}
		if d.MHz > 0 && !slices.ContainsFunc(calls, func(c *Call) bool { return c.FWStartCycle < 0 }) {
			d.place(calls)
			r.Overlaps += overlaps(calls)
		} else {
			d.sum(calls)
		}
		r.Devices = append(r.Devices, d)
	}
}

// together returns the cores of all sub devices. Rows that name no sub device are of the whole device.
func together(cores map[int64]int64) (sum int64) {
	for sub, n := range cores {
		if sub >= 0 {
			sum += max(n, 0)
		}
	}
	return max(sum, cores[-1])
}

// clock finds the frequency: the log says it, the table of ops has both cycles and durations.
func (d *DeviceTotals) clock(calls []*Call, log *DeviceLog) {
	if log != nil {
		d.Arch, d.MHz, d.Cores = log.Arch, log.ChipMHz, int64(max(log.MaxCores, 0))
		return
	}
	cycles, ns := 0.0, 0.0
	for _, c := range calls {
		if c.FWStartCycle >= 0 && c.FWNS > 0 {
			cycles += float64(c.FWEndCycle - c.FWStartCycle)
			ns += c.FWNS
		}
	}
	if cycles > 0 {
		d.MHz, d.MHzDerived = cycles/ns*1000, true
	}
}

// overlaps counts the windows that begin before one before them has ended. The calls are in the order of their starts.
func overlaps(calls []*Call) (count int) {
	done := calls[0].FWEndCycle
	for _, c := range calls[1:] {
		if c.FWStartCycle < done {
			count++
		}
		done = max(done, c.FWEndCycle)
	}
	return count
}

// place puts the calls on the device's clock, by which ops that overlap count once.
func (d *DeviceTotals) place(calls []*Call) {
	slices.SortStableFunc(calls, func(a, b *Call) int { return cmp.Compare(a.FWStartCycle, b.FWStartCycle) })
	first, end := calls[0].FWStartCycle, calls[0].FWStartCycle
	for _, c := range calls {
		end = max(end, c.FWEndCycle)
	}
	ns := func(cycles int64) float64 { return float64(cycles) / d.MHz * 1000 }
	d.Placed, d.SpanNS = true, ns(end-first)
	done := first // everything before is accounted for
	for i, c := range calls {
		if i > 0 {
			c.DeviceGapNS = ns(max(0, c.FWStartCycle-done))
			d.LongestGapNS = max(d.LongestGapNS, c.DeviceGapNS)
		} else {
			c.DeviceGapNS = -1
		}
		if from := max(done, c.FWStartCycle); c.FWEndCycle > from {
			d.BusyNS += ns(c.FWEndCycle - from)
			done = c.FWEndCycle
		}
	}
	d.GapNS = max(0, d.SpanNS-d.BusyNS)
}

// sum makes the best of calls that have durations and gaps but no places.
func (d *DeviceTotals) sum(calls []*Call) {
	for _, c := range calls {
		d.BusyNS += c.FWNS
		d.GapNS += max(c.DeviceGapNS, 0)
		d.LongestGapNS = max(d.LongestGapNS, c.DeviceGapNS)
	}
	d.SpanNS = d.BusyNS + d.GapNS
}

// sumHost finds the gaps on the host. Runs on devices that share a call of the host share its gap.
func (r *Report) sumHost() {
	var calls []*Call
	for i := range r.Calls {
		if c := &r.Calls[i]; c.HostStartNS >= 0 && c.HostNS >= 0 {
			calls = append(calls, c)
		}
	}
	if len(calls) == 0 {
		return
	}
	slices.SortStableFunc(calls, func(a, b *Call) int {
		return cmp.Or(cmp.Compare(a.HostStartNS, b.HostStartNS), cmp.Compare(a.Call, b.Call))
	})
	h := &r.Host
	first := calls[0].HostStartNS
	done := first
	var before *Call
	for _, c := range calls {
		if before != nil && before.Call == c.Call && before.HostStartNS == c.HostStartNS {
			c.HostGapNS = before.HostGapNS
			continue
		}
		h.Calls++
		if before != nil {
			c.HostGapNS = float64(max(0, c.HostStartNS-done))
			h.GapNS += c.HostGapNS
			h.LongestGapNS = max(h.LongestGapNS, c.HostGapNS)
		}
		if end := trace.AddNS(c.HostStartNS, c.HostNS); end > done {
			h.BusyNS += float64(end - max(done, c.HostStartNS))
			done = end
		}
		before = c
	}
	h.SpanNS = float64(done - first)
}

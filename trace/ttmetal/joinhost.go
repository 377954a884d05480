package ttmetal

import (
	"strings"

	"zonemark/trace"
)

// hostCalls are the calls that the host's tables know, in the order in which these first name them.
type hostCalls struct {
	index map[int64]int // by the number of the call
	list  []Call
}

// at returns the call of a number, a new one if there is none.
func (h *hostCalls) at(number int64) *Call {
	i, known := h.index[number]
	if !known {
		i = len(h.list)
		h.index[number] = i
		c := newCall(number)
		c.Op, c.OnHost = UnnamedOp, true
		h.list = append(h.list, c)
	}
	return &h.list[i]
}

// addHost makes calls of the zones and messages of the host, each with all its runs on devices.
func (j *joiner) addHost() {
	host := hostCalls{index: map[int64]int{}}
	host.addZones(j.tables.HostZones)
	host.addInner(j.tables.HostZones)
	j.addMessages(&host)
	runs := j.runsByCall()
	for _, c := range host.list {
		if len(runs[c.Call]) == 0 {
			j.report.Calls = append(j.report.Calls, c)
		}
		for _, run := range runs[c.Call] {
			one := c
			j.take(&one, run)
			j.report.Calls = append(j.report.Calls, one)
		}
	}
}

// addZones takes the times of calls from their zones. Of several zones of one number, the longest is around the others.
func (h *hostCalls) addZones(zones []HostZone) {
	for i := range zones {
		z := &zones[i]
		if z.Call < 0 {
			continue
		}
		c := h.at(z.Call)
		if c.HostNS >= 0 && z.DurationNS <= c.HostNS {
			continue
		}
		c.HostStartNS, c.HostNS, c.Line = max(z.StartNS, -1), max(z.DurationNS, -1), z.Line
		c.HostOnly = strings.HasPrefix(z.Name, "TT_DNN_") && z.Name != "TT_DNN_DEVICE_OP"
	}
}

// addInner adds what zones inside the calls say. They may come before the zones around them.
func (h *hostCalls) addInner(zones []HostZone) {
	for i := range zones {
		z := &zones[i]
		if z.Call >= 0 || z.ParentCall < 0 {
			continue
		}
		c := h.at(z.ParentCall)
		switch z.Name {
		case "CompileProgram":
			c.CompileNS = trace.AddNS(c.CompileNS, z.DurationNS)
		case "HWCommandQueue_write_buffer":
			c.WriteNS = trace.AddNS(c.WriteNS, z.DurationNS)
		}
	}
}

// addMessages adds names, devices and the program cache from the messages.
func (j *joiner) addMessages(host *hostCalls) {
	for i := range j.tables.Messages {
		m := &j.tables.Messages[i]
		if m.Kind == "TT_SIGNPOST" {
			name, _, _ := strings.Cut(m.Text, "\n")
			j.report.Signposts = append(j.report.Signposts, strings.TrimSpace(name))
		}
		if m.AttributesLost {
			j.report.AttributesLost++
		}
		if m.Call < 0 {
			continue
		}
		c := host.at(m.Call)
		c.After = len(j.report.Signposts)
		c.Device, c.CacheKnown, c.CacheMiss = m.Device, m.CacheKnown, m.CacheKnown && !m.CacheHit
		c.HostOnly = c.HostOnly || m.Kind != "TT_DNN_DEVICE_OP"
		if m.Op != "" {
			c.Op = m.Op
		}
	}
}

// runsByCall returns the indices of the runs on devices by the number of their call.
func (j *joiner) runsByCall() map[int64][]int {
	runs := map[int64][]int{}
	if j.tables.Device != nil {
		for i := range j.tables.Device.Runs {
			call := j.tables.Device.Runs[i].Call
			runs[call] = append(runs[call], i)
		}
	}
	return runs
}

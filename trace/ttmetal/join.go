package ttmetal

import (
	"fmt"
	"slices"
	"strings"
)

// EmptyLogHint says what a log of the device means that has a header and nothing else.
const EmptyLogHint = "profile_log_device.csv has its header and no time stamp: the device was not read before the run " +
	"ended, or its kernels were built without the profiler; set TT_METAL_DEVICE_PROFILER=1 before the first kernel is " +
	"built (remove the built ones if need be), and close the device, or call ttnn.ReadDeviceProfiler, before the end"

// joiner is the state of joining host and device.
type joiner struct {
	report *Report
	tables *Tables
	taken  []bool // by the host, in the order of DeviceLog.Runs
}

// callOnDevice names a call in a table of ops.
type callOnDevice struct{ call, device int64 }

// take gives a run on the device to the call.
func (j *joiner) take(c *Call, run int) {
	j.taken[run] = true
	j.fill(c, &j.tables.Device.Runs[run])
}

// fill puts a run on the device into a call.
func (j *joiner) fill(c *Call, run *DeviceRun) {
	c.OnDevice, c.Device, c.Cores, c.Unpaired = true, run.Device, run.Cores, run.Unpaired
	c.TraceID, c.Replay = run.TraceID, run.TraceCounter
	if run.EndCycle == 0 { // no zone of it has both its ends
		return
	}
	c.FWStartCycle, c.FWEndCycle = run.StartCycle, run.EndCycle
	c.FWNS = j.tables.Device.NS(run.EndCycle - run.StartCycle)
	if run.KernelCycles > 0 {
		c.KernelNS = j.tables.Device.NS(run.KernelCycles)
	}
}

// newCall is a call of which nothing is known.
func newCall(call int64) Call {
	return Call{Op: UnknownOp, Call: call, Device: -1, TraceID: -1, Replay: -1, HostStartNS: -1, HostNS: -1,
		HostGapNS: -1, FWStartCycle: -1, FWEndCycle: -1,
		FWNS: -1, KernelNS: -1, DeviceGapNS: -1, After: -1}
}

// addOps makes calls of the rows of an ops_perf_results*.csv.
func (j *joiner) addOps() {
	runs := map[callOnDevice][]int{}
	if j.tables.Device != nil {
		for i := range j.tables.Device.Runs {
			key := callOnDevice{j.tables.Device.Runs[i].Call, j.tables.Device.Runs[i].Device}
			runs[key] = append(runs[key], i)
		}
	}
	j.report.Calls = slices.Grow(j.report.Calls, len(j.tables.Ops))
	for i := range j.tables.Ops {
		op := &j.tables.Ops[i]
		if op.Type == "signpost" {
			j.report.Signposts = append(j.report.Signposts, op.Code)
			continue
		}
		c := newCall(op.Call)
		c.Row, c.After = op, len(j.report.Signposts)
		c.Op, c.Device, c.Line, c.HostOnly = op.Code, op.DeviceID, op.Line, op.Type != deviceOp
		c.Cores, c.IdealNS = max(op.Cores, 0), max(op.IdealNS, 0)
		c.TraceID, c.Replay = op.TraceID, op.TraceReplaySession
		c.HostStartNS, c.HostNS, c.OnHost = op.HostStart, max(op.HostNS, -1), true
		c.CacheKnown, c.CacheMiss = op.ProgramCacheHit != "", strings.EqualFold(op.ProgramCacheHit, "false")
		if op.FWNS >= 0 || op.KernelNS >= 0 { // a table may have one of them only
			c.OnDevice, c.FWNS, c.KernelNS = true, float64(op.FWNS), float64(max(op.KernelNS, -1))
			if op.FWNS < 0 {
				c.FWNS = c.KernelNS
			}
			if op.FWStartCycle >= 0 && op.FWEndCycle >= op.FWStartCycle {
				c.FWStartCycle, c.FWEndCycle = op.FWStartCycle, op.FWEndCycle
			}
			if op.OpToOpNS > 0 {
				c.DeviceGapNS = float64(op.OpToOpNS)
			}
		}
		key := callOnDevice{op.Call, op.DeviceID}
		if list := runs[key]; len(list) > 0 { // the replays of a trace have their rows in the order in which they ran
			runs[key], j.taken[list[0]] = list[1:], true
			if !c.OnDevice {
				j.take(&c, list[0])
			}
		}
		j.report.Calls = append(j.report.Calls, c)
	}
}

// addRest makes calls of the runs that the host does not know.
func (j *joiner) addRest() {
	for i, taken := range j.taken {
		if !taken {
			c := newCall(j.tables.Device.Runs[i].Call)
			j.fill(&c, &j.tables.Device.Runs[i])
			j.report.Calls = append(j.report.Calls, c)
		}
	}
}

// check says what does not fit together.
func (j *joiner) check() {
	r, t := j.report, j.tables
	withHost, withDevice := t.Ops != nil || t.HostZones != nil || t.Messages != nil, t.Ops != nil || t.Device != nil
	if !withHost {
		r.lacks("there are no tables of the host, so that ops have numbers but no names: give tracy_ops_times.csv " +
			"and tracy_ops_data.csv of the same run")
	}
	if !withDevice {
		r.lacks("there is no table of the device, so that only the host's times are known: give " +
			"profile_log_device.csv of the same run (recorded with TT_METAL_DEVICE_PROFILER=1)")
	}
	if withHost && t.Ops == nil && (t.HostZones == nil || t.Messages == nil) {
		missing := "tracy_ops_times.csv, which has the host's times"
		if t.Messages == nil {
			missing = "tracy_ops_data.csv, which has the names of the ops"
		}
		r.lacks("there is no " + missing + ": give it, too")
	}
	emptyLog := t.Device != nil && t.Device.Rows == 0
	if emptyLog && (t.Ops == nil || withHost) {
		r.lacks(EmptyLogHint)
	}
	hostTimes := t.HostZones != nil || slices.ContainsFunc(t.Ops, func(op Op) bool { return op.HostStart >= 0 || op.HostNS >= 0 })
	var noDevice, noHost, cut, untimed, unnamed callExamples
	for i := range r.Calls {
		c := &r.Calls[i]
		switch {
		case c.OnHost && !c.OnDevice && !c.HostOnly:
			noDevice.add(c)
		case c.OnDevice && !c.OnHost:
			noHost.add(c)
		case c.OnHost && c.HostNS < 0 && hostTimes:
			untimed.add(c)
		}
		if c.Op == UnnamedOp && t.Messages != nil {
			unnamed.add(c)
		}
		if c.Unpaired > 0 || c.OnDevice && c.FWNS < 0 {
			cut.add(c)
		}
	}
	if withHost && withDevice && !emptyLog {
		noDevice.report(r, "of the host %s no row of the device (%s): its profiler's buffer was probably full; "+
			"record with --op-support-count of at least the number of ops, or read it between ops with "+
			"ttnn.ReadDeviceProfiler")
	}
	if withHost && withDevice {
		noHost.report(r, "of the device %s no row of the host (%s): the host's tables are cut or of another run")
		untimed.report(r, "of the host %s no time (%s): the host's tables are cut or of another run")
	}
	unnamed.report(r, "of the host %s no name (%s): tracy_ops_data.csv is cut or of another run")
	cut.report(r, "of the device %s time stamps without their other one (%s), so that times are too short: the "+
		"profiler's buffer was full, or the file was cut")
}

// callExamples counts calls that have something wrong and remembers the first ones.
type callExamples struct {
	count int64
	first []string
}

func (e *callExamples) add(c *Call) {
	const shown = 3
	e.count++
	if len(e.first) < shown {
		name := ""
		if c.Op != UnknownOp && c.Op != UnnamedOp {
			name = " " + c.Op
		}
		e.first = append(e.first, fmt.Sprintf("%d%s", c.Call, name))
	}
}

// report puts a problem into the report: the text has room for "has" or "have" and for the examples.
func (e *callExamples) report(r *Report, text string) {
	if e.count == 0 {
		return
	}
	calls, have, examples := "calls", "have", strings.Join(e.first, ", ")
	if e.count == 1 {
		calls, have = "call", "has"
	}
	if e.count > int64(len(e.first)) {
		examples += ", …"
	}
	r.lacks(fmt.Sprintf("%d %s "+text, e.count, calls, have, examples))
}

// lacks notes that something is missing.
func (r *Report) lacks(problem string) {
	r.Partial = true
	r.Problems = append(r.Problems, problem)
}

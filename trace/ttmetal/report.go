// Package ttmetal reads the tables that the profiler of Tenstorrent's tt-metal leaves, joins what they say of the host
// to what they say of the device, and sums up where the time went. It knows nothing of Tracy's own files.
package ttmetal

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"

	"zonemark/trace"
	"zonemark/trace/histogram"
)

// Report is a run of tt-metal: its calls, and what they sum up to.
type Report struct {
	Calls          []Call
	Ops            []*OpTotals // those with the most kernel time first
	Devices        []*DeviceTotals
	Host           HostTotals
	Signposts      []string // in the order in which they were set
	Chip           *Chip    // whose peaks shares are of; nil: not known
	AttributesLost int      // first calls whose attributes did not fit a message of Tracy, 64 KiB; times are whole
	Partial        bool     // something is missing, and sums are too small
	Problems       []string // what, and what to do
	RunNS          float64  // time of all calls on all devices, see Call.RunNS
	DeviceNS       float64  // likewise the sum of their firmware windows
	Overlaps       int      // windows that begin before the one before them has ended: DeviceNS has such time twice

	tables *Tables
}

// OpTotals are the calls of one op, or of what else calls are put together by.
type OpTotals struct {
	Op            string
	First         *Call
	Calls         int64
	DeviceCalls   int64 // with a time of the device
	HostCalls     int64 // with a time of the host; the replays of a trace and the devices of a mesh share one
	WithoutKernel int64 // with a time of the device, but none of kernels
	WithoutDevice int64 // that the device should have and has not
	WithoutHost   int64
	Contradicting int64   // whose times on the device contradict others, and are in no sum
	CacheMisses   int64   // -1: not known
	RunNS         float64 // see Call.RunNS
	DeviceNS      float64 // of firmware windows
	KernelNS      float64
	DeviceGapNS   float64 // before them
	HostNS        float64
	HostGapNS     float64 // before them
	CompileNS     float64
	WriteNS       float64
	IdealNS       float64 // of the calls that have one
	Share         float64 // of Report.RunNS
	LeastCores    int64   // 0: not known
	MostCores     int64
	Rates         Rates
	Runs          histogram.Histogram // of Call.RunNS
	Windows       histogram.Histogram // of the firmware windows

	idealKernelNS float64 // of the calls that have IdealNS
}

// IdealFraction is how near the kernels come to tt-metal's performance model; NaN where it has no time for the op. It
// is above 1 where the model does not know how the op computes.
func (o *OpTotals) IdealFraction() float64 {
	if !(o.idealKernelNS > 0) {
		return math.NaN()
	}
	return o.IdealNS / o.idealKernelNS
}

// DeviceTotals says how busy a device was between its first and its last op.
type DeviceTotals struct {
	Device       int64
	Arch         string // empty: not said
	MHz          float64
	MHzDerived   bool // from cycles and durations of the calls
	Calls        int64
	Cores        int64   // that ops may use; 0: not said
	RunNS        float64 // of its calls, see Call.RunNS
	SpanNS       float64
	BusyNS       float64 // some op runs
	GapNS        float64 // none does
	LongestGapNS float64
	CoreNS       float64 // time of the cores that ops were given
	Placed       bool    // its calls have places on its clock
}

// Utilisation is the fraction of its span in which the device ran an op; NaN without a span.
func (d *DeviceTotals) Utilisation() float64 { return d.BusyNS / d.SpanNS }

// CoreUtilisation is the fraction of the cores' time in which they were given to an op; NaN where the number of cores
// is not said, or cannot be right: ops had more of them.
func (d *DeviceTotals) CoreUtilisation() float64 {
	if d.Cores == 0 {
		return math.NaN()
	}
	return AsShare(d.CoreNS / (d.SpanNS * float64(d.Cores)))
}

// AsShare returns a part of a whole; NaN if it is larger than the whole, which is then not the right one.
func AsShare(part float64) float64 {
	if part > 1+1e-9 {
		return math.NaN()
	}
	return min(part, 1)
}

// HostTotals says how long the host was inside ops, and how long between them.
type HostTotals struct {
	Calls        int64
	SpanNS       float64
	BusyNS       float64
	GapNS        float64
	LongestGapNS float64
}

// hostKey tells the host's calls apart that several runs on devices share.
type hostKey struct{ call, start int64 }

// sumUp computes all totals from the calls.
func (r *Report) sumUp() {
	if r.Chip == nil {
		r.Chip = chipOf(r.architecture())
	}
	r.Devices, r.Host, r.RunNS, r.DeviceNS, r.Overlaps = nil, HostTotals{}, 0, 0, 0
	r.sumDevices(r.tables)
	r.sumHost()
	for i := range r.Calls {
		if c := &r.Calls[i]; c.FWNS >= 0 {
			r.RunNS += c.RunNS()
			r.DeviceNS += c.FWNS
		}
	}
	r.Ops = r.GroupBy(func(c *Call) string { return c.Op })
}

// architecture is what the tables say of the devices, empty if they say nothing.
func (r *Report) architecture() string {
	if r.tables.Device != nil && r.tables.Device.Arch != "" {
		return r.tables.Device.Arch
	}
	for i := range r.tables.Ops {
		if arch := r.tables.Ops[i].Arch; arch != "" {
			return arch
		}
	}
	return ""
}

// GroupBy sums up the calls that have the same label, those with the most kernel time first.
func (r *Report) GroupBy(label func(*Call) string) []*OpTotals {
	groups := map[string]*OpTotals{}
	seen := map[hostKey]bool{}
	for i := range r.Calls {
		c := &r.Calls[i]
		name := label(c)
		o := groups[name]
		if o == nil {
			o = &OpTotals{Op: name, First: c, CacheMisses: -1}
			groups[name] = o
		}
		key := hostKey{c.Call, c.HostStartNS}
		o.add(c, r.Chip, !seen[key])
		seen[key] = true
	}
	list := slices.SortedFunc(maps.Values(groups), func(a, b *OpTotals) int {
		return cmp.Or(cmp.Compare(b.RunNS, a.RunNS), cmp.Compare(b.HostNS, a.HostNS), cmp.Compare(a.Op, b.Op))
	})
	for _, o := range list {
		if r.RunNS > 0 {
			o.Share = o.RunNS / r.RunNS
		}
	}
	return list
}

// add sums a call up; its host's time only where it is the first with it.
func (o *OpTotals) add(c *Call, chip *Chip, firstOnHost bool) {
	o.Calls++
	if c.FWNS >= 0 {
		o.DeviceCalls++
		if c.KernelNS < 0 {
			o.WithoutKernel++
		}
		o.RunNS += c.RunNS()
		o.DeviceNS += c.FWNS
		o.Runs.Add(wholeNS(c.RunNS()))
		o.Windows.Add(wholeNS(c.FWNS))
	}
	o.Rates.add(c, chip)
	o.KernelNS += max(c.KernelNS, 0)
	o.DeviceGapNS += max(c.DeviceGapNS, 0)
	if c.OnHost && !c.OnDevice && !c.HostOnly {
		o.WithoutDevice++
	}
	if c.OnDevice && !c.OnHost {
		o.WithoutHost++
	}
	if c.Contradicts {
		o.Contradicting++
	}
	if c.IdealNS > 1 && c.KernelNS > 0 { // 1 stands for "none"
		o.IdealNS += c.IdealNS
		o.idealKernelNS += c.KernelNS
	}
	if c.Cores > 0 {
		if o.LeastCores == 0 || c.Cores < o.LeastCores {
			o.LeastCores = c.Cores
		}
		o.MostCores = max(o.MostCores, c.Cores)
	}
	if !firstOnHost {
		return
	}
	if c.HostNS >= 0 {
		o.HostCalls++
		o.HostNS += float64(c.HostNS)
	}
	o.HostGapNS += max(c.HostGapNS, 0)
	o.CompileNS += float64(c.CompileNS)
	o.WriteNS += float64(c.WriteNS)
	if c.CacheKnown {
		o.CacheMisses = max(o.CacheMisses, 0)
		if c.CacheMiss {
			o.CacheMisses++
		}
	}
}

// wholeNS is a time as a whole number, which a hostile table may have above all that fits.
func wholeNS(ns float64) int64 { return int64(math.Round(min(ns, 1<<62))) }

// Zones are the calls as zones of the names of their ops, to be summed up and compared. Their times are Call.RunNS or,
// with windows, those of their firmware, for comparisons with a report that has no other times. Calls without a time
// of the device are left out. Where no call has one, the sequence ends with an error that says what to give.
func (r *Report) Zones(windows bool) iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		places := map[string]*trace.Location{}
		some := false
		for i := range r.Calls {
			c := &r.Calls[i]
			if c.FWNS < 0 {
				continue
			}
			some = true
			at := places[c.Op]
			if at == nil {
				at = &trace.Location{Name: c.Op}
				places[c.Op] = at
			}
			ns := wholeNS(c.RunNS())
			if windows {
				ns = wholeNS(c.FWNS)
			}
			if !yield(trace.Zone{Ordinal: int64(i), Parent: -1, Location: at, DurationNS: ns, SelfNS: ns}, nil) {
				return
			}
		}
		if !some {
			yield(trace.Zone{}, errors.New("no call has a time of the device, and those are compared; give "+
				"profile_log_device.csv or an ops_perf_results*.csv of the run"))
		}
	}
}

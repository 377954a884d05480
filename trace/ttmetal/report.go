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
	Ops            []*OpTotals // those with the most time on the device first
	Devices        []*DeviceTotals
	Host           HostTotals
	Signposts      int
	AttributesLost int      // first calls whose attributes did not fit a message of Tracy, 64 KiB; times are whole
	Partial        bool     // something is missing, and sums are too small
	Problems       []string // what, and what to do
	DeviceNS       float64  // firmware time of all calls on all devices
}

// OpTotals are the calls of one op. Times of the device are those of the firmware zones.
type OpTotals struct {
	Op            string
	Calls         int64
	DeviceCalls   int64 // with a time of the device
	HostCalls     int64 // with a time of the host; the replays of a trace and the devices of a mesh share one
	WithoutDevice int64 // that the device should have and has not
	WithoutHost   int64
	CacheMisses   int64 // -1: not known
	DeviceNS      float64
	KernelNS      float64
	DeviceGapNS   float64 // before them
	HostNS        float64
	HostGapNS     float64 // before them
	CompileNS     float64
	WriteNS       float64
	IdealNS       float64 // of the calls that have one
	Share         float64 // of Report.DeviceNS
	LeastCores    int64   // 0: not known
	MostCores     int64

	idealKernelNS float64 // of the calls that have IdealNS
	times         histogram.Histogram
}

// MedianNS is the median time of a call on the device: exact up to 1,024 calls, within 0.8 % beyond; NaN without any.
func (o *OpTotals) MedianNS() float64 { return o.times.Quantile(0.5) }

// QuantileNS is the time on the device below which the fraction q of the calls lies; as exact as MedianNS.
func (o *OpTotals) QuantileNS(q float64) float64 { return o.times.Quantile(q) }

// MinNS is the shortest call on the device, 0 without any.
func (o *OpTotals) MinNS() int64 { return o.times.MinNS() }

// MaxNS is the longest call on the device, 0 without any.
func (o *OpTotals) MaxNS() int64 { return o.times.MaxNS() }

// IdealFraction is how near the kernels come to tt-metal's performance model; NaN where it has no time for the op.
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
	Cores        int64 // that ops may use; 0: not said
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
// is not said.
func (d *DeviceTotals) CoreUtilisation() float64 {
	if d.Cores == 0 {
		return math.NaN()
	}
	return d.CoreNS / (d.SpanNS * float64(d.Cores))
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
func (r *Report) sumUp(t *Tables) {
	r.sumDevices(t)
	r.sumHost()
	groups := map[string]*OpTotals{}
	seen := map[hostKey]bool{}
	for i := range r.Calls {
		c := &r.Calls[i]
		o := groups[c.Op]
		if o == nil {
			o = &OpTotals{Op: c.Op, CacheMisses: -1}
			groups[c.Op] = o
		}
		key := hostKey{c.Call, c.HostStartNS}
		o.add(c, !seen[key])
		seen[key] = true
	}
	for _, o := range groups {
		r.DeviceNS += o.DeviceNS
	}
	r.Ops = slices.SortedFunc(maps.Values(groups), func(a, b *OpTotals) int {
		return cmp.Or(cmp.Compare(b.DeviceNS, a.DeviceNS), cmp.Compare(b.HostNS, a.HostNS), cmp.Compare(a.Op, b.Op))
	})
	for _, o := range r.Ops {
		if r.DeviceNS > 0 {
			o.Share = o.DeviceNS / r.DeviceNS
		}
	}
}

// add sums a call up; its host's time only where it is the first with it.
func (o *OpTotals) add(c *Call, firstOnHost bool) {
	o.Calls++
	if c.FWNS >= 0 {
		o.DeviceCalls++
		o.DeviceNS += c.FWNS
		o.times.Add(int64(math.Round(min(c.FWNS, 1<<62))))
	}
	o.KernelNS += max(c.KernelNS, 0)
	o.DeviceGapNS += max(c.DeviceGapNS, 0)
	if c.OnHost && !c.OnDevice && !c.HostOnly {
		o.WithoutDevice++
	}
	if c.OnDevice && !c.OnHost {
		o.WithoutHost++
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

// Zones are the calls as zones of the names of their ops, to be summed up and compared. Their times are those of the
// device; calls without one are left out. Where no call has one, the sequence ends with an error that says what to
// give.
func (r *Report) Zones() iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		places := map[string]*trace.Location{}
		for i := range r.Calls {
			c := &r.Calls[i]
			if c.FWNS < 0 {
				continue
			}
			at := places[c.Op]
			if at == nil {
				at = &trace.Location{Name: c.Op}
				places[c.Op] = at
			}
			ns := int64(math.Round(min(c.FWNS, 1<<62)))
			if !yield(trace.Zone{Ordinal: int64(i), Parent: -1, Location: at, DurationNS: ns, SelfNS: ns}, nil) {
				return
			}
		}
		if r.DeviceNS == 0 {
			yield(trace.Zone{}, errors.New("no call has a time of the device, and those are compared; give "+
				"profile_log_device.csv or an ops_perf_results*.csv of the run"))
		}
	}
}

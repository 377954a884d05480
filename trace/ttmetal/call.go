package ttmetal

// Call is one run of an op on one device of Tenstorrent, with what the host did for it. Times are in ns. Host and
// device have different clocks: starts of one side compare with each other only.
type Call struct {
	Op           string // its code, "MatmulDeviceOperation"; UnknownOp or UnnamedOp where the tables do not say
	Call         int64  // GLOBAL CALL COUNT, the device's run host ID; -1: none
	Device       int64  // -1: not said
	TraceID      int64  // -1: not of a trace
	Replay       int64  // of the trace; -1: not of a trace
	Cores        int64  // 0: not said
	HostOnly     bool   // an op of the host by its nature; the device has nothing of it
	OnHost       bool   // the host's tables have a row of it
	OnDevice     bool   // the device's have
	CacheMiss    bool   // the program was compiled for this call, or loaded from the disk
	CacheKnown   bool   // the tables say whether it was
	HostStartNS  int64  // -1: not known
	HostNS       int64  // -1: not known
	HostGapNS    float64
	CompileNS    int64 // within HostNS
	WriteNS      int64 // to buffers through the command queue, within HostNS
	FWStartCycle int64 // -1: not known
	FWEndCycle   int64
	FWNS         float64 // from the first core's start to the last one's end; -1: not known
	KernelNS     float64 // likewise of the kernels; -1: not known
	DeviceGapNS  float64 // since the op before on the device ended; 0: it overlaps, -1: it is the first, or not known
	IdealNS      float64 // by tt-metal's performance model; 0: none
	Row          *Op     // of the table of ops; nil: the call comes from other tables
	After        int     // how many signposts come before it; -1: not known
	Contradicts  bool    // its times on the device contradict others, and are not known therefore
	Unpaired     int64   // time stamps on the device that lack their other one: the run may have been longer
	Line         int     // in the table of ops, else of the host's zones; 0: of the device alone
}

// RunNS is how long the call ran: the time of its kernels, which those of other calls do not overlap, or, where that is
// not known, of its firmware. It is -1 if neither is known.
func (c *Call) RunNS() float64 {
	if c.KernelNS >= 0 {
		return c.KernelNS
	}
	return c.FWNS
}

// What stands for the op of a call that has no name.
const (
	UnknownOp = "(no row of the host)"            // the device alone knows the call
	UnnamedOp = "(no name in tracy_ops_data.csv)" // the host has a zone of the call, but no message
)

// Tables are what a run of tt-metal has left; a table that is not there is nil. A report comes from Ops, filled up from
// Device, or, without Ops, from the others.
type Tables struct {
	Ops       []Op       // ops_perf_results*.csv
	HostZones []HostZone // tracy_ops_times.csv
	Messages  []Message  // tracy_ops_data.csv
	Device    *DeviceLog // profile_log_device.csv
}

// Join joins host and device by the numbers of the calls. Neither side has to have all of them: what has no partner is
// kept, counted in Problems and makes the report Partial.
func Join(t Tables) *Report {
	r := &Report{tables: &t}
	j := joiner{report: r, tables: &t}
	if t.Device != nil {
		j.taken = make([]bool, len(t.Device.Runs))
	}
	if t.Ops != nil {
		j.addOps()
	} else {
		j.addHost()
	}
	j.addRest()
	j.check()
	r.contradict()
	r.compareDevices()
	r.sumUp()
	return r
}

package ttmetal

import (
	"io"
	"strings"

	"zonemark/trace/csvtext"
)

// TTOp is a row of tt-metal's ops_perf_results*.csv. Durations are in ns, -1 where the row has none: the host's and the device's clocks differ, so that only
// durations compare. Between 74 and 139 columns come and go with versions and kernels; those that are no fields here are not kept.
type Op struct {
	Code               string
	Type               string // tt_dnn_device, another of the host, or signpost, which has no more than Code and HostStart
	Call               int64  // GLOBAL CALL COUNT; -1: none
	DeviceID           int64  // -1: none
	MathFidelity       string
	Cores              int64
	AvailableCores     int64   // of the device; -1: not said
	Arch               string  // of the device; empty: not said
	IdealNS            float64 // PM IDEAL [ns], what tt-metal's performance model gives the op; 0: none
	ProgramCacheHit    string  // True, False, or empty: not said
	HostStart          int64   // HOST START TS, on the host's clock
	HostNS             int64
	FWStartCycle       int64
	FWEndCycle         int64
	OpToOpNS           int64
	FWNS               int64
	KernelNS           int64
	TraceID            int64
	TraceReplaySession int64
	Line               int
}

// ttOptional is a number that a row may lack.
type optionalNumber struct {
	value csvtext.Decimal
	known bool
}

// UnmarshalCSV reads the field. pandas writes whole numbers as 3.0 in columns with gaps.
func (v *optionalNumber) UnmarshalCSV(s string) error {
	v.known = s != ""
	return v.value.UnmarshalCSV(s)
}

func (v optionalNumber) orNone() int64 {
	if !v.known {
		return -1
	}
	return int64(max(-1<<62, min(1<<62, v.value)))
}

type opRow struct {
	Code      string          `csv:"OP CODE"`
	Type      string          `csv:"OP TYPE"`
	Call      optionalNumber  `csv:"GLOBAL CALL COUNT"`
	Device    optionalNumber  `csv:"DEVICE ID"`
	Fidelity  string          `csv:"MATH FIDELITY"`
	Cores     optionalNumber  `csv:"CORE COUNT"`
	Available optionalNumber  `csv:"AVAILABLE WORKER CORE COUNT"`
	Arch      string          `csv:"DEVICE ARCH"`
	Ideal     csvtext.Decimal `csv:"PM IDEAL [ns]"`
	CacheHit  string          `csv:"PROGRAM CACHE HIT"`
	HostStart optionalNumber  `csv:"HOST START TS"`
	Host      optionalNumber  `csv:"HOST DURATION [ns]"`
	FWStart   optionalNumber  `csv:"DEVICE FW START CYCLE"`
	FWEnd     optionalNumber  `csv:"DEVICE FW END CYCLE"`
	OpToOp    optionalNumber  `csv:"OP TO OP LATENCY [ns]"`
	FW        optionalNumber  `csv:"DEVICE FW DURATION [ns]"`
	Kernel    optionalNumber  `csv:"DEVICE KERNEL DURATION [ns]"`
	Trace     optionalNumber  `csv:"METAL TRACE ID"`
	Session   optionalNumber  `csv:"METAL TRACE REPLAY SESSION ID"`
}

// ReadOps reads an ops_perf_results*.csv; the name stands for it in errors.
func ReadOps(name string, r io.Reader) ([]Op, error) {
	ops := []Op{} // not nil: the table is there
	texts := map[string]string{}
	shared := func(s string) string { // rows have kilobytes, which their strings would hold on to
		if _, known := texts[s]; !known {
			s = strings.Clone(s)
			texts[s] = s
		}
		return texts[s]
	}
	err := readTable(name, r, []string{"OP CODE", "OP TYPE", "HOST START TS"}, func(row *opRow, line int) error {
		ops = append(ops, Op{shared(row.Code), shared(row.Type), row.Call.orNone(), row.Device.orNone(), shared(row.Fidelity), row.Cores.orNone(),
			row.Available.orNone(), shared(row.Arch), float64(row.Ideal), shared(row.CacheHit), row.HostStart.orNone(), row.Host.orNone(),
			row.FWStart.orNone(), row.FWEnd.orNone(), row.OpToOp.orNone(), row.FW.orNone(), row.Kernel.orNone(), row.Trace.orNone(), row.Session.orNone(), line})
		return nil
	})
	return ops, err
}

package ttmetal

import (
	"io"

	"zonemark/trace/csvtext"
	"zonemark/trace/ttmetal/columns"
)

// Op is a row of tt-metal's ops_perf_results*.csv, or of a table of the same calls by the device alone. Durations are in
// ns, -1 where the row has none: the host's and the device's clocks differ, so that only durations compare. Between 74 and 139 columns come and go with versions and
// kernels; those that are no fields here are not kept.
type Op struct {
	Code string
	// tt_dnn_device, another of the host, or signpost, which has no more than Code and HostStart; tt_dnn_device where the
	// table does not say, since it is the device's
	Type               string
	Call               int64 // GLOBAL CALL COUNT; -1: none
	DeviceID           int64 // -1: none
	MathFidelity       string
	Cores              int64
	AvailableCores     int64   // of the device, or of its sub device; -1: not said
	SubDevice          int64   // -1: not said
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
	Inputs             [2]Tensor // INPUT_0 and INPUT_1
	Output             Tensor    // OUTPUT_0
	Settings           Settings
	Line               int
}

// optionalColumn is a column of numbers; an empty cell leaves the field as it is. pandas writes whole numbers as 3.0 in
// columns with gaps.
func optionalColumn(name string, required bool, field func(*Op) *int64) columns.Column[Op] {
	return columns.Column[Op]{Name: name, Required: required, Set: func(op *Op, cell []byte) error {
		if len(cell) == 0 {
			return nil
		}
		if n, short := columns.ShortNumber(cell); short { // nearly all
			*field(op) = n
			return nil
		}
		var v csvtext.Decimal
		if v.UnmarshalCSV(string(cell)) != nil {
			return columns.NotANumber(cell)
		}
		*field(op) = int64(max(-1<<62, min(1<<62, v)))
		return nil
	}}
}

// mostSettings bounds the number of texts whose settings are remembered.
const mostSettings = 4096

// settingsColumn is the column of attributes. Many rows have the same of few texts, each of a kilobyte.
func settingsColumn() columns.Column[Op] {
	known := map[string]Settings{}
	return columns.Column[Op]{Name: "ATTRIBUTES", Set: func(op *Op, cell []byte) error {
		settings, found := known[string(cell)]
		if !found {
			text := string(cell)
			settings = readSettings(text)
			if len(known) < mostSettings {
				known[text] = settings
			}
		}
		op.Settings = settings
		return nil
	}}
}

// opColumns are the columns that we read.
func opColumns() []columns.Column[Op] {
	texts := map[string]string{}
	list := []columns.Column[Op]{
		columns.Shared(texts, "OP CODE", false, func(op *Op) *string { return &op.Code }),
		columns.Shared(texts, "OP NAME", false, func(op *Op) *string { return &op.Code }), // of cpp_device_perf_report.csv
		columns.Shared(texts, "OP TYPE", false, func(op *Op) *string { return &op.Type }),
		optionalColumn("GLOBAL CALL COUNT", false, func(op *Op) *int64 { return &op.Call }),
		optionalColumn("DEVICE ID", false, func(op *Op) *int64 { return &op.DeviceID }),
		columns.Shared(texts, "MATH FIDELITY", false, func(op *Op) *string { return &op.MathFidelity }),
		optionalColumn("CORE COUNT", false, func(op *Op) *int64 { return &op.Cores }),
		optionalColumn("AVAILABLE WORKER CORE COUNT", false, func(op *Op) *int64 { return &op.AvailableCores }),
		optionalColumn("SUB DEVICE ID", false, func(op *Op) *int64 { return &op.SubDevice }),
		columns.Shared(texts, "DEVICE ARCH", false, func(op *Op) *string { return &op.Arch }),
		{Name: "PM IDEAL [ns]", Set: setIdeal},
		columns.Shared(texts, "PROGRAM CACHE HIT", false, func(op *Op) *string { return &op.ProgramCacheHit }),
		optionalColumn("HOST START TS", false, func(op *Op) *int64 { return &op.HostStart }),
		optionalColumn("HOST DURATION [ns]", false, func(op *Op) *int64 { return &op.HostNS }),
		optionalColumn("DEVICE FW START CYCLE", false, func(op *Op) *int64 { return &op.FWStartCycle }),
		optionalColumn("DEVICE FW END CYCLE", false, func(op *Op) *int64 { return &op.FWEndCycle }),
		optionalColumn("OP TO OP LATENCY [ns]", false, func(op *Op) *int64 { return &op.OpToOpNS }),
		optionalColumn(firmwareColumn, false, func(op *Op) *int64 { return &op.FWNS }),
		optionalColumn(kernelColumn, false, func(op *Op) *int64 { return &op.KernelNS }),
		optionalColumn("METAL TRACE ID", false, func(op *Op) *int64 { return &op.TraceID }),
		optionalColumn("METAL TRACE REPLAY SESSION ID", false, func(op *Op) *int64 { return &op.TraceReplaySession }),
		settingsColumn(),
	}
	list = append(list, tensorColumns(texts, "INPUT_0", func(op *Op) *Tensor { return &op.Inputs[0] })...)
	list = append(list, tensorColumns(texts, "INPUT_1", func(op *Op) *Tensor { return &op.Inputs[1] })...)
	return append(list, tensorColumns(texts, "OUTPUT_0", func(op *Op) *Tensor { return &op.Output })...)
}

func setIdeal(op *Op, cell []byte) error {
	var v csvtext.Decimal
	if v.UnmarshalCSV(string(cell)) != nil {
		return columns.NotANumber(cell)
	}
	op.IdealNS = float64(v)
	return nil
}

// deviceOp is the type of ops that devices run.
const deviceOp = "tt_dnn_device"

// ReadOps reads an ops_perf_results*.csv; the name stands for it in errors. With an error come the rows before it.
func ReadOps(name string, r io.Reader) ([]Op, error) {
	empty := Op{
		Type: deviceOp, Call: -1, DeviceID: -1, SubDevice: -1, Cores: -1, AvailableCores: -1, HostStart: -1, HostNS: -1, FWStartCycle: -1,
		FWEndCycle: -1, OpToOpNS: -1, FWNS: -1, KernelNS: -1, TraceID: -1, TraceReplaySession: -1,
		Settings: Settings{NonZero: -1},
	}
	return columns.Read(name, r, opColumns(), empty, func(op *Op, line int) { op.Line = line })
}

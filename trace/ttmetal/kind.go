package ttmetal

import "strings"

// TableKind is a kind of table that tt-metal's profiler leaves.
type TableKind int

// The tables that make a report.
const (
	NoTable        TableKind = iota
	OpsTable                 // ops_perf_results*.csv
	HostTable                // tracy_ops_times.csv
	DataTable                // tracy_ops_data.csv
	DeviceTable              // profile_log_device.csv
	DeviceOpsTable           // cpp_device_perf_report.csv
)

// The columns of the times of a device, of which a table needs one.
const (
	firmwareColumn = "DEVICE FW DURATION [ns]"
	kernelColumn   = "DEVICE KERNEL DURATION [ns]"
)

// KindOf tells the kind of a table by its first line: tt-metal puts dates and times into names, and people rename
// files.
func KindOf(firstLine string) TableKind {
	line := strings.TrimSpace(strings.TrimPrefix(firstLine, "\ufeff"))
	switch {
	case strings.HasPrefix(line, "ARCH:") && strings.Contains(line, "CHIP_FREQ[MHz]"):
		return DeviceTable
	case line == "MessageName;total_ns":
		return DataTable
	}
	columns := map[string]bool{}
	for c := range strings.SplitSeq(line, ",") {
		columns[strings.TrimSpace(c)] = true
	}
	switch {
	case columns["OP CODE"] && (columns["OP TYPE"] || columns[kernelColumn] || columns[firmwareColumn]):
		return OpsTable
	case columns["OP NAME"] && (columns[kernelColumn] || columns[firmwareColumn]):
		return DeviceOpsTable
	case columns["zone_text"] && columns["special_parent_text"] && columns["exec_time_ns"]:
		return HostTable
	}
	return NoTable
}

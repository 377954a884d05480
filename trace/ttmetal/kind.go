package ttmetal

import "strings"

// TableKind is a kind of table that tt-metal's profiler leaves.
type TableKind int

// The tables that make a report.
const (
	NoTable     TableKind = iota
	OpsTable              // ops_perf_results*.csv
	HostTable             // tracy_ops_times.csv
	DataTable             // tracy_ops_data.csv
	DeviceTable           // profile_log_device.csv
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
	case columns["OP CODE"] && columns["OP TYPE"]:
		return OpsTable
	case columns["zone_text"] && columns["special_parent_text"] && columns["exec_time_ns"]:
		return HostTable
	}
	return NoTable
}

package trace

import "strings"

// TTTableKind is a kind of table that tt-metal's profiler leaves.
type TTTableKind int

// The tables that make a report.
const (
	TTNoTable     TTTableKind = iota
	TTOpsTable                // ops_perf_results*.csv
	TTHostTable               // tracy_ops_times.csv
	TTDataTable               // tracy_ops_data.csv
	TTDeviceTable             // profile_log_device.csv
)

// TTTableKindOf tells the kind of a table by its first line: tt-metal puts dates and times into names, and people rename files.
func TTTableKindOf(firstLine string) TTTableKind {
	line := strings.TrimSpace(strings.TrimPrefix(firstLine, "\ufeff"))
	switch {
	case strings.HasPrefix(line, "ARCH:") && strings.Contains(line, "CHIP_FREQ[MHz]"):
		return TTDeviceTable
	case line == "MessageName;total_ns":
		return TTDataTable
	}
	columns := map[string]bool{}
	for c := range strings.SplitSeq(line, ",") {
		columns[strings.TrimSpace(c)] = true
	}
	switch {
	case columns["OP CODE"] && columns["OP TYPE"]:
		return TTOpsTable
	case columns["zone_text"] && columns["special_parent_text"] && columns["exec_time_ns"]:
		return TTHostTable
	}
	return TTNoTable
}

package tracycsv

import (
	"math"
	"strconv"

	"zonemark/trace/csvtext"
)

// checkOf returns what a column may hold, by its name; nil: text.
func checkOf(column string) func(string) bool {
	switch column {
	case "ns_since_start", "exec_time_ns", "self_ns", "total_ns", "mean_ns", "min_ns", "max_ns", "percentile_ns",
		"truncated_mean_ns",
		"Time from start of program", "GPU execution time", "cpu_start_ns", "cpu_end_ns":
		// Below 2^62, so that sums of two of them do not overflow.
		return func(s string) bool { return inRange(s, -1<<62, 1<<62) }
	case "parent", "ordinal":
		return func(s string) bool { return inRange(s, -1, 1<<62) }
	case "counts":
		return func(s string) bool { return inRange(s, 0, 1<<62) }
	case "src_line", "color", "location_color":
		return func(s string) bool { return inRange(s, 0, math.MaxUint32) }
	case "depth", "context":
		return func(s string) bool { return inRange(s, 0, math.MaxInt32) }
	case "thread":
		return func(s string) bool { return inRange(s, -1, math.MaxUint16) } // Tracy's index has 16 bits
	case "unfinished":
		return func(s string) bool { return s == "0" || s == "1" }
	case "thread_id":
		return func(s string) bool { _, err := strconv.ParseUint(s, 10, 64); return err == nil }
	case "total_perc", "std_ns", "plot_value":
		return func(s string) bool {
			var v csvtext.Decimal
			return s != "" && v.UnmarshalCSV(s) == nil
		}
	}
	return nil
}

func inRange(s string, low, high int64) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && n >= low && n <= high && s[0] != '+'
}

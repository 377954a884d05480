package main

// csvMeanings says what columns mean that several tables have, or whose code has no comment for each of them.
var csvMeanings = map[string]string{
	// Results and rankings.
	"ratio_to_best": "time relative to the best of the group", "ratio_low": "begins the interval of the ratio",
	"ratio_high": "ends the interval of the ratio", "standing": "best, same, slower or unknown",
	"instructions": "of a call, counted", "branches": "likewise", "branch_misses": "likewise",
	"cache_references": "likewise", "cache_misses": "likewise", "page_faults": "likewise",
	"context_switches": "likewise",

	// Packages.
	"function_name": "the function", "mean": "mean of the batches", "median_of_means": "median of the batches",
	"mean_of_small_means": "mean of the faster half", "robust_mean": "mean without a fifth of the batches at each end",
	"min_of_means": "fastest batch", "variance": "of the batches, over n-1; the square of the unit",
	"n": "number of batches", "ci_low": "begins the interval of the median", "ci_high": "ends the interval of the median",

	// Dispatches.
	"warmup": "true: the call was made to warm up", "dispatch": "name of the dispatch", "source_file": "of the dispatch",
	"source_line": "of the dispatch", "workgroups": "number of workgroups", "threads": "threads that ran them",
	"gap_before_ns": "between the dispatch before and this one", "ordinal": "position among those of its kind, from 0",
	"count": "number of times that it ran",

	// Comparisons.
	"name": "what was measured, or the name of the zone", "params": "runtime sizes and scalars",
	"verdict": "what was decided, such as slower or same", "by": "what was compared: cycles, the reference clock or time",
	"old": "value before, in nanoseconds or cycles", "new": "value after", "ratio": "new to old",
	"p":          "chance of such a difference if there is none",
	"detectable": "relative difference that would have been found in four of five such pairs of runs",
	"code":       "whether the code changed, as counted instructions tell", "notes": "sentences for people",
	"count_before": "number of zones before", "count_after": "number of zones after",
	"median_before_ns": "median duration before", "median_after_ns": "median duration after",
	"total_before_ns": "sum of durations before", "total_after_ns": "sum of durations after",
	"delta_ns": "difference of the sums",

	// Zones.
	"src_file": "file of the source location", "src_line": "line of the source location",
	"total_ns": "sum of durations; of a message, its time", "total_perc": "sum as a percentage of the capture",
	"counts": "number of zones", "mean_ns": "mean duration", "median_ns": "median duration",
	"p90_ns": "duration that nine of ten do not exceed", "min_ns": "least duration", "max_ns": "greatest duration",
	"std_ns": "standard deviation of durations", "self_ns": "without the zones inside",
	"share_percent": "share of the time that all rows have", "function": "function of the source location",
	"percentile_ns":     "duration at the percentile that --truncated_mean names",
	"truncated_mean_ns": "mean of the durations up to that", "ns_since_start": "since the start of the capture",
	"exec_time_ns": "duration", "thread_id": "number that the system gives the thread", "thread": "the thread",
	"thread_name": "name of the thread", "depth": "number of zones around it on its thread",
	"parent": "number of the zone around it", "zone_text": "text that the program gave the zone",
	"value": "value that the program gave the zone", "color": "colour that the program gave",
	"zone_name": "name that the program gave the zone", "location_name": "name of the source location",
	"location_color": "colour of the source location", "unfinished": "true: the capture ended before it did",
	"special_parent_text": "text of the zone around it", "text": "the message", "MessageName": "the message",
	"context": "number of the GPU's context", "context_name": "its name",
	"cpu_start_ns": "when the CPU issued it", "cpu_end_ns": "when the CPU had issued it",
	"Time from start of program": "nanoseconds", "GPU execution time": "nanoseconds", "plot": "name of the plot",
	"plot_value": "value at that time",

	// Tenstorrent.
	"report": "name of the report", "op": "the operation", "calls": "number of calls",
	"device_ns":            "time on the device, from the first core's firmware to the last one's",
	"device_share_percent": "share of the device's time", "device_median_ns": "median of the calls",
	"device_p90_ns": "what nine of ten calls do not exceed", "device_min_ns": "least", "device_max_ns": "greatest",
	"kernel_ns":            "time of the kernels on the device",
	"device_gap_before_ns": "time before it in which nothing ran on the device", "host_ns": "time on the host",
	"host_gap_before_ns": "time between operations on the host", "compile_ns": "compiling on the host",
	"write_buffer_ns": "writing of buffers on the host", "kernel_ideal_percent": "ideal time relative to the kernels'",
	"cores_min": "least number of cores", "cores_max": "greatest number of cores",
	"program_cache_misses":     "calls whose program was not in the cache",
	"calls_with_device_time":   "calls that the device's table times",
	"host_calls":               "calls that the host's table holds",
	"calls_without_device_row": "calls of the host that have no row of the device",
	"calls_without_host_row":   "calls of the device that have no row of the host",
	"report_partial":           "true: tables of the report are missing or cut", "arch": "architecture of the device",
	"clock_mhz": "its clock", "clock_derived": "true: the clock follows from cycles and times", "cores": "number of cores",
	"span_ns": "from the first operation to the last", "busy_ns": "time in which an operation ran",
	"utilisation_percent":      "busy time relative to the span",
	"core_utilisation_percent": "part of all cores' time that was given to operations",
	"gap_ns":                   "time in which none ran", "longest_gap_ns": "longest gap", "call": "number of the call",
	"device": "number of the device", "trace_id": "trace that was replayed", "replay": "number of the replay",
	"host_start_ns": "when it began on the host", "fw_start_cycle": "when the firmware began, in cycles",
	"fw_end_cycle": "when the firmware ended, in cycles", "ideal_ns": "ideal time of the kernels",
	"program_cache_miss": "true: the program was not in the cache",

	// Cost models.
	"file": "the sweep", "operation": "the operation", "model": "name of the model", "rows": "rows of the sweep",
	"weights": "weights of the model", "in_sample_mape": "mean error of the rows that it was fitted to, in percent",
	"worst_row": "row with the largest error", "architecture": "architecture of the sweep",
	"kind": "kind of the operation", "unit": "unit of the times", "shapes": "number of different shapes",
	"ranges": "ranges of the variables", "set": "which rows", "mape": "mean error, in percent",
	"p95": "error that 95 of 100 rows do not exceed, in percent", "worst": "largest error, in percent",

	// Halide.
	"Name": "the benchmark", "No Schedule": "without a schedule", "HW Schedule": "the schedule by hand",
	"Pre-Trained CM": "adams2019 with its own cost model", "Auto-Tuned": "the schedule that tuning found",
}

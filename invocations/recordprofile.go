package invocations

// RecordedProfile is what a record says of the parts of a call, by a profiler or a capture. What does not apply is
// absent.
type RecordedProfile struct {
	// Dispatches are the parts of a call.
	Dispatches []DispatchRecord `json:"dispatches,omitempty"`
	// TracedCalls are single calls of the capture: one of median length, and the longest.
	TracedCalls []TracedCallRecord `json:"traced_calls,omitempty"`
	// HostNS is the host's part of a call, as far as it was seen: before, after and beside its dispatches.
	HostNS *float64 `json:"host_ns,omitempty"`
	// GapNS is the time of a call between its dispatches.
	GapNS *float64 `json:"gap_ns,omitempty"`
	// TraceOverheadPercent is the cost of profiling or tracing in percent of the median.
	TraceOverheadPercent *float64 `json:"trace_overhead_percent,omitempty"`
	// DispatchSource tells who measured the dispatches.
	DispatchSource DispatchSource `json:"dispatch_source,omitempty"`
	// TracedNS is the median wall time of a call under the profiler or tracer.
	TracedNS *float64 `json:"traced_ns,omitempty"`
	// UnexplainedNS is the time of the profiled or traced call that nothing explains.
	UnexplainedNS *float64 `json:"unexplained_ns,omitempty"`
	// DispatchCalls is the number of calls that were made under the profiler or tracer.
	DispatchCalls *int64 `json:"dispatch_calls,omitempty"`
	// DispatchQuietShare is the share of these calls during which no thread of the process lost its CPU.
	DispatchQuietShare *float64 `json:"dispatch_quiet_share,omitempty"`
	// DispatchContended is true if threads waited for CPUs that other programs used while the dispatches were timed.
	DispatchContended bool `json:"dispatch_contended,omitempty"`
	// DeviceNS is the part of the profiled call from the start of its first dispatch on a device to the end of its last,
	// by the device's own clock.
	DeviceNS *float64 `json:"device_ns,omitempty"`
	// TraceOverheadNS is the traced time minus the median.
	TraceOverheadNS *float64 `json:"trace_overhead_ns,omitempty"`
}

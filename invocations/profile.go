package invocations

// DispatchSource says what found the dispatches of an invocation.
type DispatchSource string

// The sources of dispatches.
const (
	NoSource   DispatchSource = ""
	ByProfiler DispatchSource = "profile" // the runtime's own profiler
	ByTracy    DispatchSource = "tracy"   // a Tracy capture
)

// Profile is where the time of an invocation's calls went, found by a pass of its own: the times of a Result are
// without it. Times are medians over calls, in nanoseconds. Dispatches, gaps, host and what is unexplained sum to a
// call, but for overlaps.
type Profile struct {
	Source        DispatchSource // NoSource: there is no profile
	Dispatches    []Dispatch     // in the order in which a call issues them
	CallNS        float64        // wall time of a call under the profiler or tracer
	HostNS, GapNS float64        // of it: before the first dispatch and after the last one; between dispatches
	UnexplainedNS float64        // of it: the calling thread waited, and nothing says for what
	Partial       bool           // records or zones are missing
	Contended     bool           // threads of the runtime did not get a CPU
	Notes         []string       // what a reader of the numbers should know; a Result has them among its own
}

// Dispatch is one part of an invocation that the runtime issued on its own, summed over workgroups.
type Dispatch struct {
	Name                     string
	Ordinal                  int // position in the invocation
	Count                    int64
	MedianNS, MinNS, TotalNS float64
	Workgroups, Threads      int
	SourceFile               string
	SourceLine               int
	// What one issue allocates, where the runtime tells: allocations on the heap, the most bytes that they held at
	// once, and the most bytes of stack of a thread.
	Allocations           float64
	PeakBytes, StackBytes int64
}

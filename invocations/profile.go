package invocations

import (
	"slices"

	"zonemark/invocations/stats"
)

// DispatchSource is the means by which the dispatches of an invocation were timed.
type DispatchSource string

// The sources of dispatches.
const (
	NoSource   DispatchSource = ""
	ByProfiler DispatchSource = "profile" // the runtime's own profiler
	ByTracy    DispatchSource = "tracy"   // a Tracy capture
)

// Profile shows where the time of an invocation's calls went. A separate pass measures it, so it does not affect the
// times of a Result. Times are medians over calls, in nanoseconds. Dispatches, gaps, host time and unexplained time sum
// to a call, apart from overlaps.
type Profile struct {
	Source        DispatchSource // NoSource: there is no profile
	Dispatches    []Dispatch     // in the order in which a call issues them
	CallNS        float64        // wall time of a call under the profiler or tracer
	HostNS, GapNS float64        // parts of CallNS: before the first and after the last dispatch; between dispatches
	UnexplainedNS float64        // part of CallNS of which nothing tells what it was: nothing is listed, or a wait
	Partial       bool           // records or zones are missing
	Contended     bool           // threads of the runtime had to wait for a CPU that other work had
	Notes         []string       // what a reader of the numbers should know; a Result includes them in its own notes
	// Calls are single calls with the places of their dispatches, if a capture shows them: the one whose length is the
	// median, and the longest one. They are not sent to the driver, which finds them itself.
	Calls []TracedCallRecord `msgpack:"-"`
	// DeviceNS is the part of CallNS from the start of the first dispatch on a device to the end of the last, by the
	// device's own clock; 0 if the CPU ran the dispatches.
	DeviceNS float64
	// Made is the number of calls that were made under the profiler or tracer, and Quiet the number of those during which
	// no thread of the process lost its CPU. They are 0 if nobody watched.
	Made, Quiet int64
}

// TracedCallRecord is one call under the tracer.
type TracedCallRecord struct {
	// Number is its place among the traced calls, from 0.
	Number int `json:"number"`
	// NS is its wall time.
	NS float64 `json:"ns"`
	// Dispatches are its dispatches in the order in which they began, at most 2,000 of them.
	Dispatches []PlacedDispatchRecord `json:"dispatches"`
}

// PlacedDispatchRecord is a dispatch of one call.
type PlacedDispatchRecord struct {
	// Name is the name of the code.
	Name string `json:"name"`
	// StartNS is when it began, after the call did.
	StartNS float64 `json:"start_ns"`
	// WallNS is its wall time.
	WallNS float64 `json:"wall_ns"`
}

// MostPlaced is the number of dispatches of a call that are kept with their places.
const MostPlaced = 2000

// Dispatch is a part of an invocation that the runtime issued as one unit, summed over workgroups.
type Dispatch struct {
	Name                     string
	Ordinal                  int // position in the invocation
	Count                    int64
	MedianNS, MinNS, TotalNS float64
	Workgroups, Threads      int
	SourceFile               string
	SourceLine               int
	Node                     string // of an ONNX model, of which the compiler made it; empty if it is not known
	// What one issue allocates, where the runtime tells: allocations on the heap, the most bytes that they held at
	// once, and the most bytes of stack of a thread.
	Allocations           float64
	PeakBytes, StackBytes int64
	// Scatter of the issues: a tenth of them takes less than P10NS, and a tenth more than P90NS. Both are 0 if single
	// times are not known.
	P10NS, P90NS float64
}

// NameNodes gives dispatches the nodes of a model of which they were made, by their names.
func (p *Profile) NameNodes(nodes map[string]string) {
	for i := range p.Dispatches {
		p.Dispatches[i].Node = nodes[p.Dispatches[i].Name]
	}
}

// Time fills in what the times of the issues say, in nanoseconds, at least one.
func (d *Dispatch) Time(ns []float64) {
	sorted := slices.Sorted(slices.Values(ns))
	d.Count, d.MedianNS, d.MinNS = int64(len(ns)), stats.Quantile(sorted, 0.5), sorted[0]
	d.P10NS, d.P90NS = stats.Quantile(sorted, 0.1), stats.Quantile(sorted, 0.9)
	d.TotalNS = 0
	for _, one := range ns {
		d.TotalNS += one
	}
}

// Package invocations holds the data that driver and executor share: what to measure (Invocation), what came of it
// (Result), what an artifact contains (Description), and the lines of the journal (Record). It knows nothing of
// processes, native code or file formats of runtimes; how the data travels and how it is written in suites is for the
// packages wire and suite below it.
package invocations

import "maps"

// Invocation is one function of one artifact with its arguments and the way to measure it.
type Invocation struct {
	ID   string // 16 hexadecimal digits, set by Seal; see there for what it covers
	Name string // for people and for --filter; unique together with the rest of the content
	// Group: invocations of one non-empty group are variants of one computation: interleaved, ranked, checked against
	// each other.
	Group      string
	Runtime    string // "hat", …
	Artifact   Artifact
	Function   string
	Arguments  []Argument        // empty: the runtime takes the arguments that the artifact itself describes
	Parameters map[string]string // what the runtime does not find in the artifact, such as runtime sizes
	Measure    Measure
	Limits     Limits
	Verify     Verification
	Trace      bool
	// What one call computes and moves, where somebody knows; 0: not known. They stay on this side of the wire.
	FLOP, Bytes float64 `msgpack:"-"`
}

// Artifact is a file that holds native code, or from which native code is built.
type Artifact struct {
	Path   string // as the user named it, made absolute
	SHA256 string // hexadecimal hash of the code, without what zonemark itself writes back into the file
	Built  string // file to load when the artifact had to be built first, else empty
	// Options say how the runtime builds, loads and runs the artifact, by the runtime's own keys: "device", "provider",
	// "compile-flags", …
	Options map[string]string
}

// Usage says which way the data of an argument flows.
type Usage string

// The usages of an argument.
const (
	Input       Usage = "input"
	Output      Usage = "output"
	InputOutput Usage = "input_output"
)

// Argument is one argument of a function.
type Argument struct {
	Name    string
	Element ElementType
	Shape   []int64 // elements along each dimension; nil for a scalar and for an array whose Extent is symbolic
	Strides []int64 // elements between neighbours along each dimension; nil means dense row-major
	Offset  int64   // elements before the first one
	Extent  string  // size of a runtime-sized array as the artifact states it, "M*K"; empty otherwise
	Usage   Usage
	ByValue bool // passed in a register or on the stack, not by address
	Callee  bool // the callee allocates it and stores its address: the argument is a pointer to a pointer
	Contents
}

// Mode is a way of measuring.
type Mode string

// The modes. Warm calls one argument set again and again; Cold cycles through shuffled argument sets larger than the
// last-level cache; Flush evicts the argument lines before each single call; Serialized waits for each call to retire
// before the next.
const (
	Warm       Mode = "warm"
	Cold       Mode = "cold"
	Flush      Mode = "flush"
	Serialized Mode = "serialized"
)

// Measure says how to measure and when to stop.
type Measure struct {
	Mode Mode
	// Precision: stop when the 95 % confidence interval of the median is within ± this fraction of it; 0: do not look.
	Precision     float64
	MinTimeNS     int64  // measured time that is reached in any case, unless MaxTimeNS comes first
	MaxTimeNS     int64  // wall time after which measuring ends, warm-up included
	MinIterations int64  // calls that are timed in any case, unless MaxTimeNS comes first
	SetBytes      int64  // Cold: least total size of the argument sets; 0: twice the last-level cache
	CallsPerBatch int64  // calls between two clock reads; 0: chosen so that a batch is long against the clock
	Rounds        int    // with Iterations, how often they are made, in one process; at least 1
	CPU           int    // CPU to pin the measuring thread to; negative: not pinned
	CheckOnly     bool   // call once, verify, do not time
	Seed          uint64 // seed of random contents and of the order of argument sets
	// Iterations: calls of each round, timed one by one without a break and none set apart; time limits and precision
	// then say nothing. 0: the rules above.
	Iterations int64
	// ProfileCalls: calls made after measuring under the runtime's own profiler, where it has one, for the dispatches;
	// 0: none.
	ProfileCalls int64
	// Launches: executors, each fresh, in which it is measured one after the other; 0: as many as Precision needs.
	Launches  int
	HugePages bool // arguments lie in huge pages where the system has them
	// PageOffset is where in its page the memory of the arguments begins, in bytes, a multiple of LayoutStep;
	// StackOffset is how far down the stack a call begins, likewise. They differ from launch to launch.
	PageOffset, StackOffset int64
}

// LayoutStep is the alignment in bytes that every layout of arguments and stacks keeps: two cache lines, or one with
// the line that is fetched with it.
const LayoutStep = 128

// Limits bound what one invocation may take from the machine; the driver and the sandbox enforce them.
type Limits struct {
	TimeoutNS   int64 // wall time of one round, preparation included, after which the executor is killed; 0: none
	MemoryBytes int64 // data memory of the executor; 0: none
}

// Verification says what the outputs are compared with before they are timed.
type Verification struct {
	Reference string  // function of the same artifact and signature whose outputs count as right; empty: none
	Tolerance float64 // relative tolerance; 0: the default of the element type
	// Expected are the outputs that count as right, in order: each a file "@PATH.npy", or a tensor "4x4xf32=1 2 …".
	// Empty: none.
	Expected []string
}

// SetOption sets an option of the artifact, in a map of its own: invocations share maps.
func (v *Invocation) SetOption(key, value string) {
	options := maps.Clone(v.Artifact.Options)
	if options == nil {
		options = map[string]string{}
	}
	options[key] = value
	v.Artifact.Options = options
}

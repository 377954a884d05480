// Package invocations holds the data that driver and executor share: what to measure (Invocation), its outcome
// (Result), what an artifact contains (Description), and the lines of the journal (Record). It knows nothing of
// processes, native code or file formats of runtimes; the packages wire and suite below it encode the data and read it
// from suites.
package invocations

import (
	"maps"
	"math"
	"path/filepath"
	"strings"
	"time"
)

// CommandFunction is the name of the only function of a program that is measured as a whole command.
const CommandFunction = "main"

// Invocation is one function of one artifact with its arguments and the way to measure it.
type Invocation struct {
	ID   string // 16 hexadecimal digits, set by Seal, which says what it covers
	Name string // for people and for --filter; unique together with the rest of the content
	// Invocations with the same Group, unless it is empty, are variants of one computation. Their launches take turns,
	// and they are ranked and checked against each other.
	Group      string
	Runtime    string // "hat", …
	Artifact   Artifact
	Function   string
	Arguments  []Argument        // empty: the runtime takes the arguments that the artifact itself describes
	Parameters map[string]string // values that the artifact does not contain, such as runtime sizes
	Measure    Measure
	Limits     Limits
	Verify     Verification
	Trace      bool
	// FLOP and Bytes are what one call computes and moves; 0 if that is not known. They are not sent to the executor.
	FLOP, Bytes float64 `msgpack:"-"`
	// Command is the program and the arguments of a whole command, as the user wrote them; Artifact is then the file of
	// the program. It is empty for a function.
	Command []string
	Folder  string // in which Command runs; empty: the working folder of the driver
	// Model is a model that is exported first, as MODEL:CONFIGURATION. Then Artifact is its program, and Model has its
	// parameters behind it, separated by blanks. It is empty for anything else, and is not sent to the executor.
	Model string `msgpack:"-"`
	// Placed are those of Parameters that are already in the arguments or in options, as axes of a suite are. A function
	// need not have them.
	Placed []string `msgpack:"-"`
	// Point tells where a point of a suite lies: the number of its entry, and its positions on the axes. It is nil for
	// anything else.
	Point []int `msgpack:"-"`
	// Given are the names of parameters whose values a user has given although they are those that the artifact
	// estimates: the runtime then takes no other values. They are in order.
	Given []string
}

// Artifact is a file that holds native code, or from which native code is built.
type Artifact struct {
	Path   string // as the user named it, made absolute
	SHA256 string // hexadecimal hash of the code, without the parts of the file that zonemark itself writes
	Built  string // file to load if the artifact had to be built first, else empty
	// Options are the runtime's options for building, loading and running the artifact, such as "device", "provider",
	// "compile-flags", …
	Options map[string]string
	// Profiled is the file to load for the runtime's own profiler, if one had to be built for it, else empty.
	Profiled string
}

// Usage is the direction in which the data of an argument flows.
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
	Extent  string  // size of an array whose size is known only at run time, as the artifact states it: "M*K"; else empty
	Usage   Usage
	ByValue bool // passed in a register or on the stack, not by address
	Callee  bool // the callee allocates it and stores its address, so the argument is a pointer to a pointer
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
	// Measuring stops when the 95 % confidence interval of the median is within ± Precision, a fraction of the median.
	// 0 turns this rule off.
	Precision     float64
	MinTimeNS     int64  // least measured time, unless MaxTimeNS comes first
	MaxTimeNS     int64  // wall time after which measuring ends, warm-up included; 0: it does not end by time
	MinIterations int64  // least number of timed calls, unless MaxTimeNS comes first
	SetBytes      int64  // Cold: least total size of the argument sets; 0: twice the last-level cache
	CallsPerBatch int64  // calls between two clock reads; 0: chosen so that a batch is long against the clock
	CPU           int    // CPU to which the measuring thread is pinned; negative: none
	CheckOnly     bool   // call once, verify, do not time
	Seed          uint64 // seed of random contents and of the order of argument sets
	// Iterations is the number of calls of each launch. They are timed one by one without a break, and all are kept.
	// Time limits then have no effect. If it is 0, the rules above apply.
	Iterations int64
	// ProfileCalls is the number of calls that are made after measuring under the runtime's own profiler, if it has
	// one, to time the dispatches.
	ProfileCalls int64
	// Launches is the number of fresh executors in which the invocation is measured, one after the other. If it is 0,
	// there are as many as Precision needs.
	Launches  int
	HugePages bool // arguments lie in huge pages if the system has them
	// PageOffset is where in its page the memory of the arguments begins, in bytes, a multiple of LayoutStep.
	// StackOffset is the number of bytes, a multiple of LayoutStep too, by which a call begins further down the stack.
	// They differ from launch to launch.
	PageOffset, StackOffset int64
	// WarmupCalls is the least number of calls before the first timed one. Warming up goes on until times are steady,
	// whatever it is. These calls are not charged to MaxTimeNS.
	WarmupCalls int64
	// Restore says whether the arguments that calls change are restored before each call; empty: WhenAuto.
	Restore When
	// Placement says whether launches differ in where code and data lie; empty: Vary.
	Placement Placement
	// Place is the number from which a launch draws where each array and the timing loop lie. It is 0 if they lie as in
	// all other launches. It differs from launch to launch, like PageOffset and StackOffset. Modulo Ways, it is the way to
	// call.
	Place uint64
	// Reorder says whether random contents are put into another order before each call; empty: WhenAuto.
	Reorder When
}

// MaxTime returns the wall time after which measuring ends. Without a limit it is longer than any run.
func (m *Measure) MaxTime() time.Duration {
	if m.MaxTimeNS <= 0 {
		return math.MaxInt64
	}
	return time.Duration(m.MaxTimeNS)
}

// LayoutStep is the alignment in bytes that every layout of arguments and stacks keeps: two cache lines, since some
// CPUs fetch lines in pairs.
const LayoutStep = 128

// Limits bound what one invocation may take from the machine; the driver and the sandbox enforce them.
type Limits struct {
	TimeoutNS int64 // wall time of a launch or round with its preparation, after which the executor is killed; 0: no limit
	// MemoryBytes bounds what the executor touches of private and shared memory, and the files that it writes in its
	// folders. 0: no limit.
	MemoryBytes int64
	Threads     int64 // of the executor, its own included; 0: no limit
	// BuildNS bounds reading and building the artifact, after which compilers are killed; 0: ten minutes.
	BuildNS int64 `msgpack:"-"`
	// Read are further files and folders that native code may read. What one invocation may read, all of its run may.
	Read []string `msgpack:"-"`
	// PrintsErrors says that native code prints why it failed, as drivers and plugins do: its last lines are added to the
	// errors.
	PrintsErrors bool `msgpack:"-"`
	// Profile is that of the sandbox, "plain" or "device"; empty: plain.
	Profile string `msgpack:"-"`
	// Allow are further devices, files and folders of the machine that native code may write.
	Allow []string `msgpack:"-"`
	// Devices are patterns, as of filepath.Glob, of files of the devices that the runtime uses. Native code may write
	// those that are there on the machine that measures.
	Devices []string `msgpack:"-"`
}

// DefaultThreads is the limit of threads if the user gives none. It is far above what runtimes start on large machines,
// and far below what a machine has numbers for.
const DefaultThreads = 4096

// Verification holds what the outputs are compared with before the calls are timed.
type Verification struct {
	// Reference is a function of the same signature whose outputs are taken as right; empty: none. FILE:NAME is one of
	// another file; see Invocation.ReferenceFile.
	Reference string
	Tolerance float64 // relative tolerance; 0: the default of the element type
	// Expected are the outputs that are taken as right, in order: each a file "@PATH.npy", or a tensor "4x4xf32=1 2 …".
	// Empty: none.
	Expected []string
	// Of is the artifact that holds Reference. Its Path is empty if that is the artifact of the invocation.
	Of Artifact
}

// ReferenceFile returns the parts of a reference FILE:NAME, with the path of the file: it is relative to the artifact's
// folder. ok is false if the reference names no file.
func (v *Invocation) ReferenceFile() (file, name string, ok bool) {
	at := strings.LastIndexByte(v.Verify.Reference, ':')
	if at <= 0 {
		return "", "", false
	}
	file, name = v.Verify.Reference[:at], v.Verify.Reference[at+1:]
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(v.Artifact.Path), file)
	}
	return file, name, true
}

// SetOption sets an option of the artifact. It copies the map first, since invocations share maps.
func (v *Invocation) SetOption(key, value string) {
	options := maps.Clone(v.Artifact.Options)
	if options == nil {
		options = map[string]string{}
	}
	options[key] = value
	v.Artifact.Options = options
}

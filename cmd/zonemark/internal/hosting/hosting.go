// Package hosting runs executors as child processes of zonemark: the processes that measure, build and record, and the
// trace hosts that run one beside a capture tool. The verb executor, which these processes carry out, is here too. The
// package does not know what is measured or why. Callers give it the runtimes.
package hosting

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/watching"
	"zonemark/driver/executors"
	"zonemark/executor/platform"
	"zonemark/executor/sandbox"
	"zonemark/invocations/cgroups"
	"zonemark/invocations/environ"
)

// The roles of an executor process.
const (
	roleMeasure = "measure" // loads native code, in a sandbox; may not start processes
	roleBuild   = "build"   // reads artifacts and may start compilers; loads no native code
	roleTrace   = "trace"   // runs a measuring executor together with a capture tool; see traceHost
	roleRecord  = "record"  // lets the runtime's own tools profile or emulate; loads no native code
	roleCommand = "command" // starts programs of the user and measures them; neither it nor they are confined
	roleProgram = "program" // not an executor: runs a program of the user under a capture; see Record
	roleTool    = "tool"    // not an executor: confines itself and becomes such a tool
)

// Options say how executors are started. The limits are those of executors whose invocation has none.
type Options struct {
	Counters    string            // events of the processor that are counted, see CounterList; empty: auto
	Sandbox     sandbox.Mode      // for processes that run native code or tools
	MemoryBytes int64             // limit of an executor's data memory; 0: three quarters of the free memory
	Threads     int64             // limit of an executor's threads; 0: none
	Scratch     string            // the only folder that native code and tools may write to
	Variables   environ.Variables // of the executors; those that run native code get some of them
	Environment []string          // names of further variables that native code gets
	Read        []string          // further files and folders that native code and tools may read
	Allow       []string          // devices, files and folders of the machine that native code and tools may write
	Home        string            // kept home of native code in profile device; empty: a temporary one

	reading reading // see Serving
}

// SandboxFlag returns the flag --sandbox, which sets mode.
func SandboxFlag(mode *sandbox.Mode) cli.FlagValue {
	return cli.Choice(mode, []sandbox.Mode{sandbox.Auto, sandbox.Require, sandbox.Off})
}

// ReadUsage is the help of the flag --sandbox-read.
const ReadUsage = "native code may read this file or folder, too; repeatable. It can read the system's programs and " +
	"libraries, its artifact's folder, its runtime and its inputs, and nothing else"

// ReadFlag returns the flag --sandbox-read, which adds to paths.
func ReadFlag(paths *[]string) cli.FlagValue { return cli.List(paths, "path") }

// AllowUsage is the help of the flag --sandbox-allow.
const AllowUsage = "native code may use this device, or write this file or folder, or connect to this socket; " +
	"repeatable. The device that an invocation asks for needs no flag"

// AllowFlag returns the flag --sandbox-allow, which adds to paths. It takes what is there only.
func AllowFlag(paths *[]string) cli.FlagValue {
	return cli.List(paths, "path").Checked(func(path string) error {
		_, err := os.Stat(path)
		return err
	})
}

// ProfileUsage is the help of the flag --sandbox-profile.
const ProfileUsage = "what the sandbox allows: plain: computing, threads, temporary files; device: also processes, " +
	"sockets among them, shared memory and a home of their own (default: device for plugins and devices other than the CPU)"

// CacheUsage is the help of the flag --sandbox-cache.
const CacheUsage = "home of drivers and plugins, with their caches, which is kept; it is made if it is missing " +
	"(default: an empty one for each run)"

// CacheFlag returns the flag --sandbox-cache, which makes the folder and sets path.
func CacheFlag(path *string) cli.FlagValue {
	return cli.FlagValue{Kind: "folder", Text: func() string { return *path }, Keep: func(text string) (err error) {
		if err := os.MkdirAll(text, 0o700); err != nil {
			return err
		}
		*path, err = filepath.Abs(text)
		return err
	}}
}

// memoryBytes returns the limit of an executor's data memory, or 0 if neither the user nor the machine gives one. A
// limit above what the machine has free is none: a suite, or another machine's driver, does not know that.
func (o *Options) memoryBytes() int64 {
	free := platform.AvailableMemoryBytes()
	if o.MemoryBytes > 0 && (free == 0 || o.MemoryBytes <= free) {
		return o.MemoryBytes
	}
	return free / 4 * 3
}

// allowing returns the options for an executor that may take this much.
func (o Options) allowing(a executors.Allowance) Options {
	if a.MemoryBytes > 0 {
		o.MemoryBytes = a.MemoryBytes
		o.MemoryBytes = o.memoryBytes()
	}
	o.Threads = cmp.Or(a.Threads, o.Threads)
	o.reading.profile = sandbox.Profile(a.Profile)
	o.reading.home = o.Home
	o.reading.writable = nil
	for _, path := range slices.Concat(o.Allow, a.Paths()) {
		o.reading.addWritable(path)
	}
	for _, pattern := range a.DevicePatterns() {
		files, _ := filepath.Glob(pattern) // the patterns of runtimes are well formed
		for _, path := range files {
			o.reading.addWritable(path)
		}
	}
	return o
}

// NewMeasurer returns a starter of executors that load native code and measure it, in a sandbox.
func NewMeasurer(o Options) *executors.Local {
	o.MemoryBytes, o.Variables = o.memoryBytes(), o.ofNativeCode()
	groups := cgroups.FindThreads()
	if _, limited := groups.Left(); limited {
		platform.ReserveThreads(driverThreads)
	}
	limitsOf := func(a executors.Allowance) watching.Limits {
		allowed := o.allowing(a)
		limits := watching.Limits{
			MemoryBytes: allowed.MemoryBytes, Threads: allowed.Threads, Scratch: o.Scratch, Waits: true,
			Namespace: allowed.reading.profile == sandbox.Device, Group: a.MemoryBytes > 0,
		}
		return inGroups(limits, groups)
	}
	support := sandbox.Probe()
	local := executors.NewLocal(threads{}, func(a executors.Allowance) (*exec.Cmd, error) {
		limits := limitsOf(a)
		if err := CheckMemory(o.Sandbox, limits.MemoryBytes); err != nil {
			return nil, err
		}
		flags := []string{"--counters=" + o.counters()}
		if a.Exchange != nil {
			flags = append(flags, "--exchange")
		}
		cmd, err := o.process(roleMeasure, limits.MemoryBytes, flags...)
		if err != nil {
			return nil, err
		}
		// The size of the environment moves the stack, see driver.Execute.
		cmd.Env = append(cmd.Env, paddingVariable+"="+strings.Repeat("x", rand.IntN(paddingMost)))
		confined := measuringOptions(o.Sandbox, limits, o.allowing(a).reading)
		confined.Supervise = a.Supervised
		return cmd, cli.WithRemedies(sandbox.Configure(cmd, confined, support))
	})
	local.LoosenTimers()
	local.Lend()
	local.WatchBy(func(p *os.Process, a executors.Allowance) executors.Watch {
		if o.Sandbox == sandbox.Off {
			return watching.Limits{}.Watch(p) // it still sees when an executor is stopped
		}
		return limitsOf(a).Watch(p)
	})
	return local
}

const (
	// driverThreads are kept by a driver whose control group limits threads: more than it needs at a time for the pipes
	// and the ends of its executors.
	driverThreads = 32
	// spareOfGroup are left of a control group for the driver, its tools and further executors; fewestThreads are what
	// an executor needs itself.
	spareOfGroup, fewestThreads = 48, 32
)

// inGroups returns the limits of an executor in control groups, of which it may not take the last threads: others in
// them, and the driver, need some.
func inGroups(l watching.Limits, groups cgroups.Threads) watching.Limits {
	left, limited := groups.Left()
	if most := max(left-spareOfGroup, fewestThreads); limited && (l.Threads == 0 || most < l.Threads) {
		l.Threads, l.OfGroup = most, true
	}
	return l
}

// CheckMemory returns an error for a limit that an executor exceeds before it does anything.
func CheckMemory(mode sandbox.Mode, bytes int64) error {
	least := int64(sandbox.LeastMemoryBytes)
	if mode != sandbox.Off && bytes > 0 && bytes < least {
		return fmt.Errorf("a memory limit of %s does not hold the executor itself: give at least %s",
			cli.Bytes(&bytes), cli.Bytes(&least))
	}
	return nil
}

// NewBuilder returns a starter of executors that describe and build artifacts. They load no native code and have no
// sandbox themselves. Their compilers and generators have one, see Building, and end with the driver.
func NewBuilder(o Options) *executors.Local {
	o.Sandbox = cmp.Or(o.Sandbox, sandbox.Auto)
	o = o.guarding()
	local := executors.NewLocal(threads{}, func(executors.Allowance) (*exec.Cmd, error) {
		limits := o.buildLimits()
		flags := append(o.confinementFlags(), "--counters="+o.counters(), fmt.Sprintf("--memory-group=%t", limits.Group))
		cmd, err := o.process(roleBuild, limits.MemoryBytes, flags...)
		if err != nil {
			return nil, err
		}
		err = sandbox.Configure(cmd, sandbox.Options{Mode: sandbox.Off}, sandbox.Support{})
		outliveDriver(cmd)
		return cmd, err
	})
	local.WatchBy(watchFamily)
	return local
}

// NewRecorder returns a starter of executors that record or emulate. Each lets the runtime's own tools make the calls,
// in a sandbox, and watches these. The tools read what Serving allows.
func NewRecorder(o Options) *executors.Local {
	o.MemoryBytes, o.Variables = o.memoryBytes(), o.ofNativeCode()
	local := executors.NewLocal(threads{}, func(a executors.Allowance) (*exec.Cmd, error) {
		allowed := o.allowing(a)
		if err := CheckMemory(o.Sandbox, allowed.MemoryBytes); err != nil {
			return nil, err
		}
		return o.process(
			roleRecord, allowed.MemoryBytes, append(allowed.confinementFlags(), "--scratch="+o.Scratch)...)
	})
	local.WatchBy(watchFamily)
	return local
}

// watchFamily watches a process that lets others do the work. It sees when one of them is stopped.
func watchFamily(p *os.Process, _ executors.Allowance) executors.Watch {
	return watching.Limits{Family: true}.Watch(p)
}

// counters returns the value of the flag --counters of executors.
func (o *Options) counters() string {
	if o.Counters == "" {
		return CountersAuto
	}
	return o.Counters
}

// confinementFlags returns the flags of executors that carry how the processes are confined that they start.
func (o *Options) confinementFlags() []string {
	flags := []string{fmt.Sprintf("--threads=%d", o.Threads), "--sandbox=" + string(o.Sandbox)}
	for _, path := range o.reading.hidden {
		flags = append(flags, "--hide="+path)
	}
	for _, path := range o.reading.allowed {
		flags = append(flags, "--read="+path)
	}
	for _, path := range o.reading.writable {
		flags = append(flags, "--allow="+path)
	}
	flags = append(flags, "--profile="+string(o.reading.profile), "--home="+o.reading.home)
	return flags
}

// process returns a command that runs this binary as an executor. It is not started and not confined.
func (o *Options) process(role string, memoryBytes int64, flags ...string) (*exec.Cmd, error) {
	self, err := ownBinary()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(
		self,
		append([]string{"executor", "--role=" + role, fmt.Sprintf("--memory=%d", memoryBytes)}, flags...)...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = o.Variables.With("GOTRACEBACK=single").Entries()
	return cmd, nil
}

// measuringOptions returns the permissions and limits of a measuring executor that is watched.
func measuringOptions(mode sandbox.Mode, l watching.Limits, r reading) sandbox.Options {
	o := sandbox.Options{
		Mode: mode, Scratch: l.Scratch, OpenFiles: openFiles, FileBytes: fileBytes, Hidden: r.hidden, Read: r.allowed,
		Profile: r.profile, ReadWrite: r.writable, Home: r.home,
	}
	if l.MemoryBytes > 0 {
		o.MemoryBytes, o.MappedBytes = l.MemoryBytes, mappedBytes
	}
	if l.Threads > 0 { // the watch comes first, since it names the limit
		o.Threads = l.Threads + l.Threads/4 + spareThreads
	}
	if l.OfGroup {
		o.Threads = l.Threads + spareOfGroup/4
	}
	return o
}

// paddingVariable takes up space in the environment of an executor. Its value has no meaning.
const (
	paddingVariable = "ZONEMARK_PADDING"
	paddingMost     = 4096
)

const (
	// mappedBytes is how much memory native code may map beyond what it may touch. Simulators map that of their
	// devices: 1 TiB for 32 chips.
	mappedBytes  = 2 << 40
	spareThreads = 64 // between the limit that is watched and the one at which no thread starts

	openFiles = 8192    // descriptors of an executor; the protocol's are near driver.ProtocolFloor
	fileBytes = 4 << 30 // the largest file that native code may write
)

// ownBinary returns the path of this program that stays right if the file is replaced while it runs.
func ownBinary() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

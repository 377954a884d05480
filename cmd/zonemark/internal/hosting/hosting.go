// Package hosting runs executors as child processes of zonemark: the processes that measure, build and record, and the
// trace hosts that run one beside a capture tool. The verb executor, which these processes carry out, is here too. The
// package does not know what is measured or why. Callers give it the runtimes.
package hosting

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver"
	"zonemark/driver/environ"
	"zonemark/executor/platform"
	"zonemark/executor/sandbox"
)

// The roles of an executor process.
const (
	roleMeasure = "measure" // loads native code, in a sandbox; may not start processes
	roleBuild   = "build"   // reads artifacts and may start compilers; loads no native code
	roleTrace   = "trace"   // runs a measuring executor together with a capture tool; see traceHost
	roleRecord  = "record"  // lets the runtime's own tools profile; loads no native code
	roleTool    = "tool"    // not an executor: confines itself and becomes such a tool
)

// Options say how executors are started.
type Options struct {
	Counters    string            // events of the processor that are counted, see CounterList; empty: auto
	Sandbox     sandbox.Mode      // for processes that run native code or tools
	MemoryBytes int64             // limit of an executor's data memory; 0: three quarters of the free memory
	Scratch     string            // the only folder that native code and tools may write to
	Variables   environ.Variables // of the executors
}

// SandboxFlag returns the flag --sandbox, which sets mode.
func SandboxFlag(mode *sandbox.Mode) cli.Choice[sandbox.Mode] {
	return cli.Choice[sandbox.Mode]{Value: mode, Words: []sandbox.Mode{sandbox.Auto, sandbox.Require, sandbox.Off}}
}

// memoryBytes returns the limit of an executor's data memory, or 0 if neither the user nor the machine gives one.
func (o *Options) memoryBytes() int64 {
	if o.MemoryBytes > 0 {
		return o.MemoryBytes
	}
	return platform.AvailableMemoryBytes() / 4 * 3
}

// NewMeasurer returns a starter of executors that load native code and measure it, in a sandbox.
func NewMeasurer(o Options) *driver.Local {
	confined, support := measuringOptions(o.Sandbox, o.Scratch, o.memoryBytes()), sandbox.Probe()
	return driver.NewLocal(func() (*exec.Cmd, error) {
		cmd, err := o.process(roleMeasure, confined.MemoryBytes, "--counters="+o.counters())
		if err != nil {
			return nil, err
		}
		// The size of the environment moves the stack, see driver.Execute.
		cmd.Env = append(cmd.Env, paddingVariable+"="+strings.Repeat("x", rand.IntN(paddingMost)))
		return cmd, sandbox.Configure(cmd, confined, support)
	})
}

// NewBuilder returns a starter of executors that describe and build artifacts. They load no native code and have no
// sandbox. Their compilers obey the limit of memory, and end with the driver.
func NewBuilder(o Options) *driver.Local {
	return driver.NewLocal(func() (*exec.Cmd, error) {
		cmd, err := o.process(roleBuild, o.memoryBytes(), "--counters="+o.counters())
		if err != nil {
			return nil, err
		}
		err = sandbox.Configure(cmd, sandbox.Options{Mode: sandbox.Off}, sandbox.Support{})
		outliveDriver(cmd)
		return cmd, err
	})
}

// NewRecorder returns a starter of executors that record. Each lets the runtime's own tools make the calls, in a
// sandbox.
func NewRecorder(o Options) *driver.Local {
	return driver.NewLocal(func() (*exec.Cmd, error) {
		return o.process(roleRecord, o.memoryBytes(), "--sandbox="+string(o.Sandbox), "--scratch="+o.Scratch)
	})
}

// counters returns the value of the flag --counters of executors.
func (o *Options) counters() string {
	if o.Counters == "" {
		return CountersAuto
	}
	return o.Counters
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

// measuringOptions returns the permissions and limits of a measuring executor.
func measuringOptions(mode sandbox.Mode, scratch string, memoryBytes int64) sandbox.Options {
	return sandbox.Options{
		Mode:        mode,
		Scratch:     scratch,
		MemoryBytes: memoryBytes,
		OpenFiles:   openFiles,
		FileBytes:   fileBytes,
	}
}

// paddingVariable takes up space in the environment of an executor. Its value has no meaning.
const (
	paddingVariable = "ZONEMARK_PADDING"
	paddingMost     = 4096
)

const (
	openFiles = 8192    // descriptors of an executor; the protocol's are near protocolFloor
	fileBytes = 4 << 30 // the largest file that native code may write
)

// ownBinary returns the path of this program that stays right if the file is replaced while it runs.
func ownBinary() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

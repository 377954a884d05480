package hosting

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"zonemark/cmd/zonemark/internal/watching"

	"zonemark/driver/executors"
	"zonemark/executor/sandbox"
	"zonemark/invocations/building"
)

// buildThreads is how many threads the programs of one build may have together. Compilers and generators take a few for
// each CPU.
const buildThreads = 4096

// buildFileBytes is the largest file that a program may write that builds: the weights of a model.
const buildFileBytes = 256 << 30

// Building returns what confines the programs that this process starts to build something. An executor of role build
// has the limits and paths of its flags; see NewBuilder.
func (o Options) Building() building.Confine {
	o = o.guarding()
	return confineBuilds(cmp.Or(o.Sandbox, sandbox.Auto), o.buildLimits(), o.reading, sandbox.Probe)
}

// Exporting is Building for programs that export models, whose memory is not that of what is measured.
func (o Options) Exporting() building.Confine {
	o.MemoryBytes = 0
	return o.Building()
}

// buildMemory returns the limit of memory of programs that build. One that is too low is refused when something is to be
// measured.
func (o Options) buildMemory() int64 {
	if memory := o.memoryBytes(); memory > 0 {
		return max(memory, sandbox.LeastMemoryBytes)
	}
	return 0
}

// buildLimits returns the limits of programs that build. The kernel, too, holds a limit of memory that was asked for.
func (o Options) buildLimits() watching.Limits {
	return watching.Limits{MemoryBytes: o.buildMemory(), Group: o.MemoryBytes > 0}
}

// guarding returns the options with what programs may read that build: nothing in the homes of users but what these
// allow to all programs, and the folders in which variables have compilers look. What a build needs is added to it.
func (o Options) guarding() Options {
	o.reading = reading{hidden: o.homes(), profile: sandbox.Build}
	for _, path := range o.Allow {
		o.reading.addWritable(path)
	}
	for _, path := range o.Read {
		if absolute, err := filepath.Abs(path); err == nil {
			o.reading.add(absolute)
		}
	}
	o.reading.addVariables(o.Variables.Entries())
	for _, name := range []string{
		"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
	} {
		for _, path := range filepath.SplitList(o.Variables.Lookup(name)) {
			o.reading.add(path)
		}
	}
	return o
}

// confineBuilds returns what confines programs that build. It turns a command into this program in role tool, which
// confines itself and then becomes the program. The limits say how much memory it may take, and whether in a control
// group. probe says what the machine offers; it is asked once.
func confineBuilds(mode sandbox.Mode, limits watching.Limits, r reading, probe func() sandbox.Support) building.Confine {
	if mode == sandbox.Off {
		return nil
	}
	support := sync.OnceValue(probe)
	return func(cmd *exec.Cmd, a building.Access) (c building.Confinement, err error) {
		if cmd.Err != nil {
			return c, cmd.Err
		}
		self, err := ownBinary()
		if err != nil {
			return c, err
		}
		scratch, err := os.MkdirTemp(a.Write[0], ".scratch-")
		if err != nil {
			return c, fmt.Errorf("%w; choose another cache folder", err)
		}
		c.Release = func() { os.RemoveAll(scratch) }
		r := r
		r.allowed, r.known = slices.Concat(r.allowed, a.Write), nil
		for _, path := range a.Read {
			r.addSource(path)
			r.addProject(path)
		}
		for _, word := range append([]string{cmd.Path}, a.Programs...) {
			if program, err := exec.LookPath(word); err == nil {
				r.addInstalled(program)
			}
		}
		limits := limits
		limits.Threads, limits.Scratch, limits.Namespace, limits.Build = buildThreads, a.Write[0], true, true
		options := measuringOptions(mode, limits, r)
		options.Scratch, options.AllowExec, options.FileBytes = scratch, true, buildFileBytes
		options.OwnTemporary = a.Temporary
		options.ReadWrite = slices.Concat(r.writable, a.Write)
		cmd.Args = slices.Concat([]string{os.Args[0], "executor", "--role=" + roleTool, "--", cmd.Path}, cmd.Args[1:])
		cmd.Path = self
		cmd.Env = append(cmd.Environ(), "CCACHE_DISABLE=1") // it would keep results in the user's home
		if err := sandbox.Configure(cmd, options, support()); err != nil {
			c.Release()
			return building.Confinement{}, err
		}
		c.Watch = func(p *os.Process) (stop func() error) {
			watch := limits.Watch(p)
			return func() error {
				if exceeded := watch.Stop(); exceeded.Limit != "" {
					return &building.KilledError{Reason: tellBuild(exceeded)}
				}
				if cmd.ProcessState.ExitCode() == exitNotConfined {
					return &building.KilledError{Reason: "it was not started, since it could not be confined"}
				}
				return nil
			}
		}
		return c, nil
	}
}

// tellBuild tells people of a limit that a program has exceeded.
func tellBuild(e executors.Exceeded) string {
	if e.Limit == executors.LimitThreads {
		return fmt.Sprintf("killed, since it had %d threads and processes, and %d are allowed", e.Used, e.Allowed)
	}
	return fmt.Sprintf("killed, since memory ran out: it took %d MiB of memory and files, and %d MiB are allowed; --memory "+
		"allows more", e.Used>>20, e.Allowed>>20)
}

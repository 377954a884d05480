package hosting

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"zonemark/cmd/zonemark/internal/watching"

	"zonemark/driver/executors"
	"zonemark/executor"
	"zonemark/executor/sandbox"
	"zonemark/invocations/environ"
)

// toolStarter confines the tools that an executor of role record starts, like native code. It starts a process of role
// tool, which confines itself and then becomes the tool. On Windows no process can become another one, but there is no
// sandbox either.
//
// The support is what confines the tools.
func toolStarter(modeText string, memoryBytes, threads int64, r reading) (
	start executor.ToolStarter, support sandbox.Support, err error,
) {
	mode, err := sandbox.ParseMode(modeText)
	if err != nil {
		return nil, support, err
	}
	if mode != sandbox.Off {
		support = sandbox.Probe().Only(r.profile)
	}
	start = func(ctx context.Context, folder, path string, args ...string) (*executor.Tool, error) {
		self, err := ownBinary()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(
			ctx,
			self,
			append([]string{"executor", "--role=" + roleTool, "--", path}, args...)...)
		cmd.Args[0] = os.Args[0]
		cmd.Dir = folder
		r := r
		r.allowed, r.known = slices.Clone(r.allowed), nil
		r.addInstalled(path)
		limits := watching.Limits{
			MemoryBytes: memoryBytes, Threads: threads, Scratch: folder, Namespace: r.profile == sandbox.Device,
		}
		options := measuringOptions(mode, limits, r)
		options.AllowExec = true
		if mode == sandbox.Off {
			limits = watching.Limits{}
		}
		return &executor.Tool{Cmd: cmd, Watch: func(p *os.Process) func() error { return watchTool(limits, p) }}, sandbox.Configure(cmd, options, support)
	}
	return start, support, nil
}

// watchTool watches a tool as a measuring executor is watched. See executor.Tool.
func watchTool(l watching.Limits, p *os.Process) (stop func() error) {
	watch := l.Watch(p)
	return func() error {
		exceeded := watch.Stop()
		if exceeded.Limit == "" {
			return nil
		}
		return &executor.KilledError{Reason: exceeded.Tell("in a tool"), Memory: exceeded.Limit == executors.LimitMemory}
	}
}

// becomeTool confines this process, which has the role tool, and makes it the program. It returns only if that fails.
func becomeTool(program []string) error {
	active, err := sandbox.Enter()
	if err != nil {
		return err
	}
	if len(program) == 0 {
		return fmt.Errorf("role %s: no program is named", roleTool)
	}
	return active.Become(program, environ.OfProcess().Entries())
}

package hosting

import (
	"math/rand/v2"
	"os/exec"
	"strings"

	"zonemark/driver/executors"
	"zonemark/executor/sandbox"
)

// NewCommandMeasurer returns a starter of executors that measure whole commands. Commands are programs of the user, who
// expects of them what they do in a shell, so there is no sandbox. They end with the driver. A limit of memory that the
// user gave holds for each of their processes.
func NewCommandMeasurer(o Options) *executors.Local {
	return executors.NewLocal(threads{}, func(a executors.Allowance) (*exec.Cmd, error) {
		memory := o.allowing(a).MemoryBytes
		if err := CheckMemory(sandbox.Auto, memory); err != nil {
			return nil, err
		}
		cmd, err := o.process(roleCommand, memory, "--counters="+o.counters())
		if err != nil {
			return nil, err
		}
		// The size of the environment moves the stack of the programs, too; see driver.Execute.
		cmd.Env = append(cmd.Env, paddingVariable+"="+strings.Repeat("x", rand.IntN(paddingMost)))
		err = sandbox.Configure(cmd, sandbox.Options{Mode: sandbox.Off}, sandbox.Support{})
		outliveDriver(cmd)
		return cmd, err
	})
}

// withoutSandbox returns why commands have none of the layers.
func withoutSandbox() map[sandbox.Layer]string {
	missing := map[sandbox.Layer]string{}
	for _, l := range sandbox.AllLayers() {
		missing[l] = "a command is a program of the user and is not confined"
	}
	return missing
}

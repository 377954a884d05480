package main

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"time"

	"zonemark/executor"
	"zonemark/executor/iree"
	"zonemark/invocations"
)

// emitModule calls a function of an IREE module by its Python bindings, as a traced executor does: the first half of
// the calls as invocation "first", the others as "second". It closes nothing and ends like an executor.
func emitModule(o options, args []string) error {
	flags := flag.NewFlagSet("module", flag.ContinueOnError)
	path := flags.String("file", "", "module")
	function := flags.String("function", "", "function without inputs")
	device := flags.String("device", "local-sync", "device")
	calls := flags.Int("calls", 100, "calls")
	if err := flags.Parse(args); err != nil {
		return err
	}
	in := iree.Installation{Python: filepath.Join(o.site, "..", "..", "..", "bin", "python"), LibPython: o.libpython,
		Site: o.site, Tracy: true}
	artifact := invocations.Artifact{Path: *path, Options: map[string]string{"device": *device, "provider": "python"}}
	program, err := iree.Runtime{Installation: in}.Load(artifact)
	if err != nil {
		return err
	}
	call, err := program.Prepare(&invocations.Invocation{Artifact: artifact, Function: *function}, 0)
	if err != nil {
		return err
	}
	client := call.Tracy
	if client == nil {
		return errors.New("the module's runtime has no Tracy client")
	}
	for began := time.Now(); !client.Connected(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > connectWithin {
			return fmt.Errorf("no capture has connected within %v", connectWithin)
		}
	}
	work, ok := call.Work.(*executor.Function)
	if !ok {
		return fmt.Errorf("the module's calls are %T and cannot be made one by one", call.Work)
	}
	for i := range *calls {
		id := "first"
		if i >= *calls/2 {
			id = "second"
		}
		zone := client.Begin(id)
		err := work.Invoke()
		zone.End()
		if err != nil {
			return err
		}
	}
	return in.Exit(0)
}

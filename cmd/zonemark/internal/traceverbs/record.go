package traceverbs

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/trace"
)

const recordIntro = `Run a program that carries a Tracy client, and capture it into a file. Program and capture tool ` +
	`have a network of their own, so the program reaches nothing outside; --host-network leaves it in the machine's. ` +
	`Its output is shown as it comes.

The capture tool must be of the Tracy release that the program was built with. zonemark takes the one that is named, ` +
	`else the one of IREE's wheel, else tracy-capture on PATH. Programs that use IREE's wheel take its Tracy build.

Usage: zonemark trace record -o FILE.tracy [flags] -- PROGRAM [ARGUMENT…]

Examples:
  zonemark trace record -o app.tracy -- ./app --frames 100
  zonemark trace record -o server.tracy --time-limit 30s -- ./server
  zonemark trace record -o tt.tracy --capture-tool ~/tt-metal/build/tools/capture-release -- ./metal_example

Exit status: 0 if the program ended well and its capture is whole, 2 if it failed or the capture is not whole, 1 ` +
	`without a capture.
`

// recordBytes is the default limit of the capture tool's memory.
const recordBytes = 4 << 30

func recordVerb() verb {
	return verb{
		name: "record", summary: "run a program with a Tracy client, and capture it",
		example: "zonemark trace record -o app.tracy -- ./app",
		intro:   recordIntro, most: anyNumber,
		declare: func(f *flags) action {
			r := &recorded{bytes: recordBytes}
			f.set.StringVarP(&r.output, "output", "o", "", "write the capture to this file; a capture that is there is "+
				"replaced")
			f.set.Var(cli.Duration(&r.timeNS), "time-limit", "end the program after this time, and keep what was "+
				"captured; 0: no limit")
			f.set.Var(cli.Bytes(&r.bytes), "size-limit", "end the program when the capture tool has taken this "+
				"memory, about ten times the size of the file, and keep what was captured; 0: no limit")
			f.set.StringVar(&r.tool, "capture-tool", "", "Tracy's capture tool")
			f.set.BoolVar(&r.shared, "host-network", false, "leave the program in the machine's network; others on the "+
				"machine can reach its client")
			r.behindDash = f.set.ArgsLenAtDash
			return r
		},
	}
}

// recorded is what the verb record does.
type recorded struct {
	output, tool string
	timeNS       int64
	bytes        int64
	shared       bool
	behindDash   func() int
}

func (r *recorded) settle(words []string) error {
	switch at := r.behindDash(); {
	case at != 0 || len(words) == 0:
		return errors.New("trace record wants its program after --: -o FILE.tracy -- PROGRAM ARGUMENTS")
	case r.output == "":
		return errors.New("trace record needs the file for the capture: -o FILE.tracy")
	}
	return cli.Output{Flag: "-o", Path: r.output, Kind: "capture", Holds: func(path string) error {
		f, err := trace.Open(path)
		if err != nil {
			return err
		}
		return f.Close()
	}}.Check()
}

func (r *recorded) run(c *call) int {
	recording, err := r.recording(c)
	if err != nil {
		return c.fail(err)
	}
	captured, err := hosting.Record(c.ctx, recording)
	if captured.Notice != "" && !c.quiet {
		c.Say("%s", captured.Notice)
	}
	var none *hosting.NotCapturedError
	if errors.As(err, &none) { // the warnings say the same
		return c.fail(err)
	}
	for _, warning := range captured.Warnings {
		c.Say("warning: %s", warning)
	}
	if err != nil {
		return c.fail(err)
	}
	f, err := trace.Open(captured.Path)
	if err != nil {
		return c.fail(err)
	}
	defer f.Close()
	whole := "the whole run"
	if captured.Partial {
		whole = "a part of the run"
	}
	if !c.quiet {
		c.Say("%s: %s, %s bytes, %s; \"zonemark trace info %s\" shows what it is", r.output, whole,
			report.Grouped(captured.Bytes), report.Counted(int(f.Info().ZoneCount), "zone"), r.output)
	}
	if captured.Partial || captured.Exit.Signal != "" {
		return cli.ExitNotOK
	}
	if captured.Exit.Code != 0 {
		c.Say("%s %s", c.paths[0], hosting.Ending(*captured.Exit))
		return cli.ExitNotOK
	}
	return cli.ExitOK
}

// recording returns what is to be run. Programs that use a runtime's packages take its Tracy build, if that is
// installed, unless the user's environment says otherwise.
func (r *recorded) recording(c *call) (hosting.Recording, error) {
	program, err := runtimes.FindProgram(c.paths[0], "", c.Variables.Lookup("PATH"))
	if err != nil {
		return hosting.Recording{}, err
	}
	output, err := filepath.Abs(r.output)
	if err != nil {
		return hosting.Recording{}, err
	}
	var names []string
	var traced []invocations.Invocation
	for _, row := range c.Runtimes {
		if row.Tracing != nil {
			names, traced = append(names, row.Name), append(traced, invocations.Invocation{Runtime: row.Name})
		}
	}
	o := c.Installing(c.quiet).Options("")
	o.FindOnly = true
	found, err := c.Runtimes.Provide(c.ctx, o, traced)
	if err != nil {
		return hosting.Recording{}, err
	}
	entries, sites := c.Runtimes.Capturing(found.Lookup, names...)
	var added []string
	for _, entry := range entries {
		if name, _, _ := strings.Cut(entry, "="); len(sites) > 0 && c.Variables.Lookup(name) == "" {
			added = append(added, entry)
		}
	}
	return hosting.Recording{
		Program: program, Words: c.paths, Shared: r.shared, Variables: c.Variables, Streams: c.Streams,
		Capture: hosting.CaptureOptions{
			Tool: r.tool, Sites: sites, Output: output, MaxBytes: r.bytes, MaxDuration: time.Duration(r.timeNS),
			Environment: added,
		},
	}, nil
}

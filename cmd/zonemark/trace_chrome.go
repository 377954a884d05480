package main

import (
	"context"
	"fmt"
	"io"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/trace"
	"zonemark/trace/chrome"
)

const traceChromeIntro = `Write a capture as trace-event JSON, which the Perfetto UI and Chrome's tracing page open: zones, messages, GPU zones and plots.

Usage: zonemark trace chrome [flags] FILE

Examples:
  zonemark trace chrome run.tracy -o run.json      then open run.json in the Perfetto UI
  zonemark trace chrome run.tracy --name dispatch --min-duration 10us -o run.json
`

func traceChromeCommand(ctx context.Context, s cli.Streams, args []string) int {
	f := newTraceFlags("chrome")
	var output, name string
	var filter trace.Filter
	f.set.StringVarP(&output, "output", "o", "", "write to this file instead of standard output; a file that exists is replaced")
	f.set.StringVar(&name, "name", "", "only zones whose name matches this regular expression")
	f.set.Var(cli.Duration{NS: &filter.MinDurationNS}, "min-duration", "only zones that last at least this long")
	paths, err := f.parse(s, args, traceChromeIntro, 1, 1)
	if err == nil {
		filter.Name, err = optionalRE("--name", name)
	}
	if err != nil {
		return f.refused(s, err)
	}
	c, err := openTrace(ctx, s, f, paths[0])
	if err != nil {
		return s.Fail("%v", err)
	}
	defer c.Close()
	match, err := filter.Compile(c.Threads())
	if err != nil {
		return s.Fail("%v", err)
	}
	return c.settle(s, c.writeTo(s, output, func(w io.Writer) error { return chrome.Write(w, chromeTrace(c, match)) }))
}

func chromeTrace(c *openCapture, match func(*trace.Zone) bool) chrome.Trace {
	t := chrome.Trace{
		Threads: c.Threads(),
		Zones: func(yield func(trace.Zone, error) bool) {
			for z, err := range c.zones() {
				if (err != nil || match(&z)) && !yield(z, err) {
					return
				}
			}
		},
		Messages: c.Messages(),
		GPUZones: c.GPUZones(),
		Plots:    c.Plots(),
	}
	if c.file == nil {
		t.Program, t.OtherData = c.path, map[string]string{"dialect": c.table.Dialect()}
		return t
	}
	info := c.file.Info()
	t.Program, t.PID = info.Program, info.PID
	t.OtherData = map[string]string{
		"capture": info.CaptureName, "host": joinedLines(info.Host), "tracy": fmt.Sprintf("%d.%d.%d", info.Version[0], info.Version[1], info.Version[2]),
	}
	return t
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"zonemark/trace"
)

const traceChromeIntro = `Write a capture as trace-event JSON, which the Perfetto UI and Chrome's tracing page open: zones, messages, GPU zones and plots.

Usage: zonemark trace chrome [flags] FILE

Examples:
  zonemark trace chrome run.tracy -o run.json      then open run.json in the Perfetto UI
  zonemark trace chrome run.tracy --name dispatch --min-duration 10us -o run.json
`

func traceChromeCommand(ctx context.Context, s streams, args []string) int {
	f := newTraceFlags("chrome")
	var output, name string
	var filter trace.Filter
	f.set.StringVarP(&output, "output", "o", "", "write to this file instead of standard output; a file that exists is replaced")
	f.set.StringVar(&name, "name", "", "only zones whose name matches this regular expression")
	f.set.Var(durationValue{&filter.MinDurationNS}, "min-duration", "only zones that last at least this long")
	paths, err := f.parse(s, args, traceChromeIntro, 1, 1)
	if err == nil {
		filter.Name, err = optionalRE("--name", name)
	}
	if err != nil {
		return f.refused(s, err)
	}
	c, err := openTrace(ctx, s, f, paths[0])
	if err != nil {
		return s.fail("%v", err)
	}
	defer c.Close()
	match, err := filter.Compile(c.Threads())
	if err != nil {
		return s.fail("%v", err)
	}
	write := func(w io.Writer) error { return trace.WriteChrome(w, chromeTrace(c, match)) }
	if output == "" {
		return c.settle(s, write(s.out))
	}
	if same, err := sameFile(output, paths[0]); err != nil || same {
		return s.fail("-o %s: %v", output, errors.Join(err, errors.New("that is the capture itself, or cannot be written; name another file")))
	}
	file, err := os.Create(output)
	if err != nil {
		return s.fail("-o: %v", err)
	}
	return c.settle(s, errors.Join(write(file), file.Close()))
}

// sameFile says whether two names are of one file. An output that does not exist yet is no other's.
func sameFile(output, capture string) (bool, error) {
	o, err := os.Stat(output)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c, err := os.Stat(capture)
	if err != nil {
		return false, err
	}
	return os.SameFile(o, c), nil
}

func chromeTrace(c *openCapture, match func(*trace.Zone) bool) trace.ChromeTrace {
	info := c.Info()
	return trace.ChromeTrace{
		Program: info.Program,
		PID:     info.PID,
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
		OtherData: map[string]string{
			"capture": info.CaptureName, "host": oneLine(info.Host), "tracy": fmt.Sprintf("%d.%d.%d", info.Version[0], info.Version[1], info.Version[2]),
		},
	}
}

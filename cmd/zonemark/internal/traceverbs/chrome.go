package traceverbs

import (
	"fmt"
	"io"
	"iter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/trace"
	"zonemark/trace/chrome"
)

const chromeIntro = `Write a capture as trace-event JSON, which the Perfetto UI and Chrome's tracing page open: ` +
	`zones, messages, GPU zones and plots.
Of a journal (.ndjson) it writes the cores of simulated chips, with a nanosecond for each cycle.

Usage: zonemark trace chrome [flags] FILE

Examples:
  zonemark trace chrome run.tracy -o run.json      then open run.json in the Perfetto UI
  zonemark trace chrome run.tracy --filter dispatch --min-duration 10us -o run.json
  zonemark trace chrome results.ndjson -o cores.json
`

func chromeVerb() verb {
	return verb{
		name: "chrome", summary: "the capture as trace-event JSON for the Perfetto UI",
		example: "zonemark trace chrome run.tracy -o run.json",
		intro:   chromeIntro, least: 1, most: 1,
		declare: func(f *flags) action {
			v := &writingChrome{}
			f.output(&v.output)
			f.set.StringVar(&v.name, "filter", "", filterUsage)
			cli.Formerly(f.set, "filter", "name")
			f.set.Var(cli.Duration(&v.filter.MinDurationNS), "min-duration",
				"only zones that last at least this long")
			return v
		},
	}
}

// writingChrome is what the verb chrome does.
type writingChrome struct {
	output, name string
	filter       trace.Filter
}

func (v *writingChrome) settle([]string) (err error) {
	v.filter.Name, err = optionalRE("--filter", v.name)
	return err
}

func (v *writingChrome) run(c *call) int {
	if isJournal(c.paths[0]) {
		return v.runJournal(c)
	}
	r, err := c.open(c.paths[0])
	if err != nil {
		return c.fail(err)
	}
	defer r.Close()
	zones, err := r.selected(v.filter, nil)
	if err != nil {
		return c.fail(err)
	}
	err = c.writeOutput(v.output, c.paths, func(w io.Writer) error { return chrome.Write(w, chromeTrace(r, zones)) })
	return r.settle(err)
}

func chromeTrace(c *openCapture, zones iter.Seq2[*trace.Zone, error]) chrome.Trace {
	t := chrome.Trace{
		Threads: c.Threads(),
		Zones: func(yield func(trace.Zone, error) bool) {
			for z, err := range zones {
				if !yield(*z, err) {
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
		"capture": info.CaptureName, "host": joinedLines(info.Host), "tracy": fmt.Sprintf("%d.%d.%d", info.Version[0],
			info.Version[1], info.Version[2]),
	}
	return t
}

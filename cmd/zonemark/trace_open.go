package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"zonemark/trace"
)

// manyZones is the number of zones from which reading takes long enough for a progress line.
const manyZones = 1_000_000

// zonesBetweenLooks is how many zones are read between two looks at the clock and at interrupts.
const zonesBetweenLooks = 1 << 14

// openCapture is a capture that a verb reads.
type openCapture struct {
	*trace.File
	path     string
	ctx      context.Context // of the command: reading ends with it
	progress *progressLine
}

func openTrace(ctx context.Context, s streams, f *traceFlags, path string) (*openCapture, error) {
	file, err := trace.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file", path)
	}
	if err != nil {
		return nil, err
	}
	return &openCapture{File: file, path: path, ctx: ctx, progress: newProgressLine(s.err, f.quiet)}, nil
}

// zones are the zones of the capture, with progress shown where there are many, until the command is interrupted.
func (c *openCapture) zones() iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		defer c.progress.clear()
		total := c.Info().ZoneCount
		n := int64(0)
		for z, err := range c.Zones() {
			if n++; n%zonesBetweenLooks == 0 {
				if c.ctx.Err() != nil {
					yield(trace.Zone{}, fmt.Errorf("%s: interrupted after %d zones", c.path, n))
					return
				}
				if total >= manyZones && c.progress.due() {
					c.progress.draw(fmt.Sprintf("%s: %d of %d million zones", c.path, n/1e6, total/1e6))
				}
			}
			if !yield(z, err) {
				return
			}
		}
	}
}

// settle says what is wrong with a capture after it was read, and returns the exit status: a capture that could not be read to its end is
// an error, one that is known to miss something a warning.
func (c *openCapture) settle(s streams, err error) int {
	info := c.Info()
	for _, w := range info.Warnings {
		s.say("zonemark: warning: %s: %s", c.path, w)
	}
	if err != nil {
		return s.fail("%v; what is shown is what came before", err)
	}
	if info.Partial {
		s.say("zonemark: warning: %s: PARTIAL: the capture does not hold everything that happened; sums are too small", c.path)
	}
	return exitOK
}

// threadLabel is the name of a thread, else its position.
func threadLabel(threads []trace.Thread, index int) string {
	if index >= 0 && index < len(threads) && threads[index].Name != "" {
		return threads[index].Name
	}
	return fmt.Sprintf("thread %d", index)
}

// sourcePlace is "file:line", or empty when the capture does not know.
func sourcePlace(l *trace.Location) string {
	if l.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", l.File, l.Line)
}

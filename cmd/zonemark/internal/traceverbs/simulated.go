package traceverbs

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/trace"
	"zonemark/trace/chrome"
)

// journalExtension is the extension of journals.
const journalExtension = ".ndjson"

// runJournal writes the simulated cores of a journal: a thread for each core of each result, on which a cycle is shown
// as a nanosecond.
func (v *writingChrome) runJournal(c *call) int {
	path := c.paths[0]
	if err := cli.CheckExists(path, "a journal ("+journalExtension+")"); err != nil {
		return c.fail(err)
	}
	stored, err := journal.ReadFile(path)
	if err != nil {
		return c.fail(err)
	}
	t, err := simulated(stored)
	if err = errors.Join(err, stored.Records.Close()); err != nil {
		return c.fail(err)
	}
	if len(t.Threads) == 0 {
		return c.fail(fmt.Errorf("%s: none of its results has simulated cores, which programs for the simulator ttsim "+
			"have; give the capture of a run, which -t keeps", path))
	}
	match, err := v.filter.Compile(t.Threads)
	if err != nil {
		return c.fail(err)
	}
	all := t.Zones
	t.Program = path
	t.Zones = func(yield func(trace.Zone, error) bool) {
		for z, err := range all {
			if match(&z) && !yield(z, err) {
				return
			}
		}
	}
	err = c.writeOutput(v.output, c.paths, func(w io.Writer) error { return chrome.Write(w, t) })
	if err != nil {
		return c.fail(err)
	}
	return cli.ExitOK
}

// simulated returns the timeline of all simulated cores of a journal. Every result begins at 0.
func simulated(stored *journal.Stored) (chrome.Trace, error) {
	t := chrome.Trace{OtherData: map[string]string{"time": "1 ns is 1 simulated cycle, which is no time of silicon"}}
	var sources []coreOfResult
	for r, err := range stored.Records.All() {
		if err != nil {
			return t, err
		}
		for _, core := range r.SimulatedCores {
			sources = append(sources, coreOfResult{result: r.Name, core: core})
			t.Threads = append(t.Threads, trace.Thread{
				ID: uint64(len(sources)),
				Name: fmt.Sprintf("%s: chip %d, tile %d,%d, %s",
					r.Name, core.Chip, core.Column, core.Row, core.Core),
			})
		}
	}
	t.Zones = coreZones(sources)
	return t, nil
}

// coreOfResult is a simulated core with the name of its result.
type coreOfResult struct {
	result string
	core   invocations.SimulatedCore
}

// coreZones yields the work of each core, and behind it the zones that its program has marked.
func coreZones(sources []coreOfResult) iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		ordinal := int64(0)
		for thread, s := range sources {
			parent := ordinal
			list := append([]invocations.SimulatedZone{{Name: s.core.Program, Begin: s.core.Begin, End: s.core.End}},
				s.core.Zones...)
			for i, z := range list {
				zone := trace.Zone{
					Ordinal: ordinal, Parent: parent, Depth: min(i, 1), Thread: thread,
					Location: &trace.Location{Name: z.Name}, Text: s.result,
					StartNS: z.Begin, DurationNS: z.End - z.Begin,
				}
				if i == 0 {
					zone.Parent = -1
				}
				ordinal++
				if !yield(zone, nil) {
					return
				}
			}
		}
	}
}

// isJournal reports whether a path has the name of a journal.
func isJournal(path string) bool { return strings.HasSuffix(path, journalExtension) }

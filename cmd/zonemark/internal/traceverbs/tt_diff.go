package traceverbs

import (
	"fmt"
	"os"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/trace/ttmetal"
	"zonemark/trace/zonestats"
)

// areReports reports whether both sides of a diff are reports of tt-metal, by what is there: a folder, or a table that
// has times of a device. Both sides must be alike. What cannot be looked at is left to who reads it.
func areReports(paths []string) (bool, error) {
	var is [2]bool
	for i, path := range paths {
		status, err := os.Stat(path)
		if err != nil {
			continue
		}
		if is[i] = status.IsDir(); is[i] {
			continue
		}
		if kind, err := ttmetal.FileKind(path); err == nil {
			is[i] = kind == ttmetal.OpsTable || kind == ttmetal.DeviceTable
		}
	}
	if is[0] != is[1] {
		of := map[bool]string{true: "a report of tt-metal", false: "a capture"}
		return false, fmt.Errorf("%s is %s and %s %s; give two of a kind", paths[0], of[is[0]], paths[1], of[is[1]])
	}
	return is[0], nil
}

// sumReport sums up one report of tt-metal, as sumCapture does a capture.
func (c *call) sumReport(path string, o zonestats.Options) (*zonestats.Summary, int) {
	found, err := ttmetal.FindFiles([]string{path})
	if err != nil {
		return nil, c.fail(err)
	}
	if len(found) > 1 {
		return nil, c.Fail("%s has %d reports, among them %s and %s; give one of them", path, len(found), found[0].Name,
			found[1].Name)
	}
	r, err := readTT(c.ctx, c.Streams, c.quiet, found[0])
	status := cli.ExitOK
	if err != nil {
		status = failTT(c.Streams, err, r != nil)
	}
	if r == nil {
		return nil, status
	}
	warnTT(c.Streams, r)
	summary, err := zonestats.Summarize(r.Zones(), o)
	if err != nil {
		return nil, c.Fail("%s: %v", path, err)
	}
	return summary, status
}

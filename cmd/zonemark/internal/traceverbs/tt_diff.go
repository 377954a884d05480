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

// sumReports sums up two reports of tt-metal, as sumCaptures does captures. Compared are the times of kernels, or, where
// one report has none at all, the firmware windows of both.
func (c *call) sumReports(o zonestats.Options, from, to string) (sides [2]*zonestats.Summary, what string, status int) {
	var reports [2]*ttmetal.FileReport
	windows := false
	for i, path := range c.paths {
		r, failed := c.readReport(path)
		if r == nil {
			return sides, "", failed
		}
		if err := narrowTT(r, from, to); err != nil {
			return sides, "", c.Fail("%s: %v", path, err)
		}
		reports[i], status = r, max(status, failed)
		windows = windows || !ttHasKernels(r)
	}
	what = "kernels on devices"
	if windows {
		what = "firmware on devices"
	}
	if ttHasKernels(reports[0]) != ttHasKernels(reports[1]) {
		c.Say("zonemark: warning: only one of the reports has times of kernels, so that the windows of firmware are " +
			"compared; they overlap")
	}
	for i, r := range reports {
		summary, err := zonestats.Summarize(r.Zones(windows), o)
		if err != nil {
			return [2]*zonestats.Summary{}, "", c.Fail("%s: %v", c.paths[i], err)
		}
		sides[i] = summary
	}
	return sides, what, status
}

// readReport reads one report of tt-metal; it is nil if there is nothing to compare.
func (c *call) readReport(path string) (*ttmetal.FileReport, int) {
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
	if r != nil {
		warnTT(c.Streams, r)
	}
	return r, status
}

package traceverbs

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/ttreport"
	"zonemark/trace/ttmetal"
	"zonemark/trace/zonestats"
)

// areReports reports whether what a diff compares are reports of tt-metal, by what is there: a folder, or a table that
// has times of a device. All must be alike. What cannot be looked at is left to who reads it.
func areReports(paths []string) (bool, error) {
	is := make([]bool, len(paths))
	for i, path := range paths {
		status, err := os.Stat(path)
		if err != nil {
			continue
		}
		if is[i] = status.IsDir(); is[i] {
			continue
		}
		if kind, err := ttmetal.FileKind(path); err == nil {
			is[i] = kind == ttmetal.OpsTable || kind == ttmetal.DeviceTable || kind == ttmetal.DeviceOpsTable
		}
	}
	if i := slices.Index(is, !is[0]); i >= 0 {
		of := map[bool]string{true: "a report of tt-metal", false: "a capture"}
		return false, fmt.Errorf("%s is %s and %s %s; give two of a kind", paths[0], of[is[0]], paths[i], of[is[i]])
	}
	return is[0], nil
}

// sumReports sums up reports of tt-metal, as sumCaptures does captures. Compared are the times of kernels, or, where
// one report has none at all, the firmware windows of all.
func (c *call) sumReports(o zonestats.Options, from, to string) (all []*zonestats.Summary, what string, status int) {
	var reports []*ttmetal.FileReport
	without := 0
	for _, path := range c.paths {
		r, failed := c.readReport(path)
		if r == nil {
			return nil, "", failed
		}
		if err := narrowTT(r, from, to); err != nil {
			return nil, "", c.Fail("%s: %v", path, err)
		}
		reports, status = append(reports, r), max(status, failed)
		if !ttreport.HasKernels(r) {
			without++
		}
	}
	windows := without > 0
	what = "kernels on devices"
	if windows {
		what = "firmware on devices"
	}
	if windows && without < len(reports) {
		c.Say("zonemark: warning: only %s of the reports has times of kernels, so that the windows of firmware are "+
			"compared; they overlap", some(len(reports)-without))
	}
	for i, r := range reports {
		summary, err := zonestats.Summarize(r.Zones(windows), o)
		if err != nil {
			return nil, "", c.Fail("%s: %v", c.paths[i], err)
		}
		all = append(all, summary)
	}
	return all, what, status
}

// some returns a number as the subject of "has".
func some(n int) string {
	if n == 1 {
		return "one"
	}
	return "each of " + strconv.Itoa(n)
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

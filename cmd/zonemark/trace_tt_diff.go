package main

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/trace"
	"zonemark/trace/ttmetal"
	"zonemark/trace/zonestats"
)

// diffKinds says which sides of a diff are reports of tt-metal, by what is there: a folder, or a table that has times of a device. Both sides must be alike. What cannot be
// looked at is left to who reads it.
func diffKinds(paths []string) (tt [2]bool, err error) {
	for i, path := range paths {
		status, err := os.Stat(path)
		if err != nil {
			continue
		}
		if tt[i] = status.IsDir(); tt[i] {
			continue
		}
		if kind, err := ttmetal.FileKind(path); err == nil {
			tt[i] = kind == ttmetal.OpsTable || kind == ttmetal.DeviceTable
		}
	}
	if tt[0] != tt[1] {
		of := map[bool]string{true: "a report of tt-metal", false: "a capture"}
		return tt, fmt.Errorf("%s is %s and %s %s; give two of a kind", paths[0], of[tt[0]], paths[1], of[tt[1]])
	}
	return tt, nil
}

// ttDiffSide sums up one report of tt-metal. One that is cut is compared as far as it goes, and is an error.
func ttDiffSide(ctx context.Context, s cli.Streams, f *traceFlags, path string, self bool, name *regexp.Regexp) (*zonestats.Summary, int) {
	found, err := ttmetal.FindFiles([]string{path})
	if err != nil {
		return nil, s.Fail("%v", err)
	}
	if len(found) > 1 {
		return nil, s.Fail("%s has %d reports, among them %s and %s; give one of them", path, len(found), found[0].Name, found[1].Name)
	}
	r, err := readTT(ctx, s, f.quiet, found[0])
	status := cli.ExitOK
	if err != nil {
		status = failTT(s, err, r != nil)
	}
	if r == nil {
		return nil, status
	}
	warnTT(s, r)
	o := zonestats.Options{Self: self, ByName: true}
	if name != nil {
		o.Select = func(z *trace.Zone) bool { return name.MatchString(z.Name()) }
	}
	stats, err := zonestats.Summarize(r.Zones(), o)
	if err != nil {
		return nil, s.Fail("%s: %v", path, err)
	}
	return stats, status
}

package traceverbs

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/executor/iree/tally"
	"zonemark/invocations"
	"zonemark/invocations/foreign"
)

// isProfile says whether a file is what IREE's tools write with --device_profiling_output.
func isProfile(path string) bool { return strings.EqualFold(filepath.Ext(path), ".ireeprof") }

// showProfile shows the dispatches of one call, medians over the calls that IREE's profiler has seen.
func showProfile(s cli.Streams, path, format string) int {
	profile, err := tally.Read(path)
	if err != nil {
		return s.Fail("%v", err)
	}
	if format == rowtext.CSV {
		err = writeProfileCSV(s.Out, profile)
	} else {
		err = writeProfile(s.Out, path, profile)
	}
	if err != nil {
		return s.Fail("%v", err)
	}
	for _, note := range profile.Notes {
		s.Say("zonemark: %s: %s", path, note)
	}
	if profile.Partial {
		s.Say("zonemark: PARTIAL: %s does not hold everything that happened", path)
		return cli.ExitError
	}
	return cli.ExitOK
}

func writeProfile(out io.Writer, path string, profile invocations.Profile) error {
	w := bufio.NewWriter(out)
	calls := int64(0)
	var parts []report.Part
	for _, d := range profile.Dispatches {
		calls = max(calls, d.Count)
		parts = append(parts, report.Part{Name: d.Name, NS: d.MedianNS, Workgroups: d.Workgroups, Threads: d.Threads})
	}
	fmt.Fprintf(w, "%s: %s\n", report.Printable(filepath.Base(path)), report.Counted(int(calls), "call"))
	parts = append(parts, report.Part{Name: "gaps", NS: profile.GapNS}, report.Part{Name: "host", NS: profile.HostNS})
	if err := report.WriteParts(w, parts, cli.TerminalWidth(out)); err != nil {
		return err
	}
	return w.Flush()
}

func writeProfileCSV(out io.Writer, profile invocations.Profile) error {
	w := csv.NewWriter(out)
	number := func(ns float64) string { return strconv.FormatFloat(ns, 'f', -1, 64) }
	rows := [][]string{{"ordinal", "dispatch", "count", "median_ns", "min_ns", "total_ns", "workgroups", "threads"}}
	for _, d := range profile.Dispatches {
		rows = append(rows, []string{strconv.Itoa(d.Ordinal), foreign.Cell(d.Name), strconv.FormatInt(d.Count, 10),
			number(d.MedianNS), number(d.MinNS), number(d.TotalNS),
			strconv.Itoa(d.Workgroups), strconv.Itoa(d.Threads)})
	}
	return w.WriteAll(rows)
}

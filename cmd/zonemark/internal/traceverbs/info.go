package traceverbs

import (
	"fmt"
	"io"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/trace"
)

const infoIntro = `Show what captures are: the program, the host, how long they are and what they hold. Every ` +
	`zone is read, so that what is missing is found.

Usage: zonemark trace info [flags] FILE…

Examples:
  zonemark trace info run.tracy
  zonemark trace info *.tracy
`

func infoVerb() verb {
	return verb{
		name: "info", summary: "what a capture is: program, host, duration, counts, warnings",
		example: "zonemark trace info run.tracy",
		intro:   infoIntro, least: 1, most: anyNumber,
		declare: func(*flags) action { return showingInfo{} },
	}
}

// showingInfo is what the verb info does.
type showingInfo struct{}

func (showingInfo) settle([]string) error { return nil }

func (showingInfo) run(c *call) int {
	status := cli.ExitOK
	for i, path := range c.paths {
		if i > 0 {
			fmt.Fprintln(c.Out)
		}
		status = max(status, c.showInfo(path))
	}
	return status
}

// showInfo shows one capture, which it reads to its end.
func (c *call) showInfo(path string) int {
	r, err := c.open(path)
	if err != nil {
		return c.fail(err)
	}
	defer r.Close()
	perThread := make([]int64, len(r.Threads()))
	read := int64(0)
	zones, err := r.selected(trace.Filter{}, func(at zonePlace) bool {
		read++
		if at.thread >= 0 && at.thread < len(perThread) {
			perThread[at.thread]++
		}
		return false
	})
	if err == nil {
		for _, err = range zones { // only the error that ends them is yielded
		}
	}
	gpu := ""
	if err == nil {
		gpu, err = r.gpuText()
	}
	if r.file != nil {
		writeInfo(c.Out, r, read, perThread, gpu)
	} else {
		fmt.Fprintf(c.Out, "%s\n  %-10s  CSV, %s\n  %-10s  %s\n  %-10s  %s\n", report.Printable(path), "dialect",
			r.table.Dialect(),
			"zones", report.Grouped(read), "threads", threadList(r.Threads(), perThread))
		if gpu != "" {
			fmt.Fprintf(c.Out, "  %-10s  %s\n", "GPU zones", gpu)
		}
	}
	return r.settle(err)
}

// gpuText returns how many zones the contexts of GPUs have; empty if there are none.
func (c *openCapture) gpuText() (string, error) {
	contexts, err := c.gpuContexts()
	if len(contexts) == 0 {
		return "", err
	}
	count := make([]int64, len(contexts))
	total := int64(0)
	for z, zoneErr := range c.GPUZones() {
		if err = zoneErr; err != nil {
			break
		}
		count[z.Context]++
		total++
	}
	var parts []string
	for i, n := range count {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", report.Printable(contexts[i].Name), report.Grouped(n)))
		}
	}
	return report.Grouped(total) + ": " + strings.Join(parts, ", "), err
}

// writeInfo prints one line for each fact that the capture knows.
func writeInfo(w io.Writer, c *openCapture, read int64, perThread []int64, gpu string) {
	info := c.file.Info()
	zones := report.Grouped(read)
	if read != info.ZoneCount {
		zones += fmt.Sprintf(" of %s", report.Grouped(info.ZoneCount))
	}
	began := ""
	if info.CaptureTime.Unix() > 0 {
		began = info.CaptureTime.UTC().Format(time.RFC3339)
	}
	fmt.Fprintln(w, report.Printable(c.path))
	for _, row := range [][2]string{
		{"program", info.Program},
		{"capture", info.CaptureName},
		{"began", began},
		{"process", fmt.Sprint(info.PID)},
		{"version", fmt.Sprintf("%d.%d.%d, %s, %s in the file", info.Version[0], info.Version[1], info.Version[2],
			info.Compression, report.Counted(info.Streams, "stream"))},
		{"size", report.Grouped(info.FileSize) + " bytes"},
		{"duration", report.Time(float64(info.LastTimeNS))},
		{"resolution", report.Time(float64(info.ResolutionNS))},
		{"zones", zones},
		{"GPU zones", gpu},
		{"messages", report.Grouped(info.MessageCount)},
		{"frames", report.Grouped(info.FrameCount)},
		{"host", joinedLines(info.Host)},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "  %-10s  %s\n", row[0], report.Printable(row[1]))
		}
	}
	fmt.Fprintf(w, "  %-10s  %s\n", "threads", threadList(c.Threads(), perThread))
}

// threadList names the threads that have zones.
func threadList(threads []trace.Thread, perThread []int64) string {
	var parts []string
	for i, n := range perThread {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s (id %d, %s)", report.Printable(threadLabel(threads, i)),
				threads[i].ID, report.Counted(int(n), "zone")))
		}
	}
	if len(parts) == 0 {
		return "none with zones"
	}
	return strings.Join(parts, ", ")
}

package traceverbs

import (
	"context"
	"errors"
	"fmt"
	"io"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/cmd/zonemark/internal/ttreport"
	"zonemark/driver/report"
	"zonemark/trace/ttmetal"
)

const ttIntro = `Show where the time of a run on Tenstorrent's devices went, from the tables that tt-metal's ` +
	`profiler leaves.

Usage: zonemark trace tt [flags] DIR|FILE…

In a folder and below it, each ops_perf_results*.csv is a report, and so is each folder with logs ` +
	`(profile_log_device.csv, tracy_ops_times.csv, tracy_ops_data.csv). Named files belong to one report. Host and ` +
	`device are joined by the numbers of the calls. Calls without a partner are shown, counted, and named in a warning.

Ops are ranked by the time of their kernels. The window of an op is the time of the firmware around its kernels, from ` +
	`the first core's start to the last core's end. Windows of consecutive ops overlap, so their sum counts some time ` +
	`twice. A gap before an op is the time without an open window since the op before; on the host, the time between ` +
	`ops. The clocks of host and device differ and are never compared. "in use" is the share of the time from the first ` +
	`op to the last in which an op ran. "cores in use" is the share of all cores' time that kernels had. Text and html ` +
	`leave out the ending DeviceOperation of names. "of ideal" compares kernels with tt-metal's performance model. If ` +
	`kernels are faster than the model, it does not fit, and a note says so instead.

--by shape joins the calls of an op with equal shapes, data types, places in memory, fidelity and cores. For matmuls ` +
	`and convolutions it shows how fast they compute, and for matmuls also how fast they move data from and to DRAM: ` +
	`rates, shares of the chip's peak, what bounds them ("neither": they reach 65 % of no peak), and what to try. The ` +
	`peak of computing is that of the cores that computed, at the fidelity of the op. The table names the architecture, ` +
	`but not the card: give it with --card.

Examples:
  zonemark trace tt generated/profiler
  zonemark trace tt ops_perf_results.csv --sort gap --limit 10
  zonemark trace tt profile_log_device.csv tracy_ops_times.csv tracy_ops_data.csv --by call
  zonemark trace tt ops_perf_results.csv --by shape --filter Matmul
  zonemark trace tt ops_perf_results.csv --from measured --to done
  zonemark trace tt ops_perf_results.csv --html report.html
  zonemark trace diff before/ops_perf_results.csv after/ops_perf_results.csv
`

// formatPage is one file for a browser.
const formatPage = "html"

func ttVerb() verb {
	return verb{
		name: "tt", summary: "where the time went on Tenstorrent's devices, from tt-metal's tables",
		example: "zonemark trace tt generated/profiler",
		intro:   ttIntro, least: 1, most: anyNumber,
		declare: func(f *flags) action {
			v := &showingTT{flags: f, view: ttreport.View{By: ttreport.ByOp, Order: ttreport.OrderDevice}}
			v.declare()
			return v
		},
	}
}

// showingTT is what the verb tt does.
type showingTT struct {
	*flags
	view           ttreport.View
	filter, output string
	page           string // a file
	from, to, chip string
}

func (f *showingTT) declare() {
	f.set.Var(cli.Choice(&f.format, []string{rowtext.Text, rowtext.CSV, rowtext.NDJSON}, formatPage), "format", tabularUsage)
	f.set.StringVar(&f.page, "html", "", "write a page (HTML) to this file, which is replaced, and no report")
	f.set.Var(cli.Choice(&f.view.By, ttreport.Bys()), "by",
		"what a row is: op: the calls of an op; shape: those with the same shapes, types and places; category: of one "+
			"kind of work; range: between two signposts; device: a device, or the host; call: a single call")
	f.set.Var(cli.Choice(&f.view.Order, ttreport.Orders()), "sort",
		"device: time of kernels; host: time on the host; gap: gaps on the device; median; calls: the greatest first; "+
			"name. Without it, single calls are in the tables' order")
	f.set.StringVar(&f.filter, "filter", "", "keep only ops (or ranges, or kinds of work) whose name matches this "+
		"regular expression; shares remain of all")
	f.set.StringVar(&f.from, "from", "", "keep only calls after the first signpost of this name")
	f.set.StringVar(&f.to, "to", "", "keep only calls before the next signpost of this name")
	f.set.Var(cli.Choice(&f.chip, ttmetal.ChipNames()), "card",
		"card whose peak rates are 100 %; without it, the usual card of the architecture in the tables (e150, n150, "+
			"p150)")
	f.set.Var(cli.Count(&f.view.Limit), "limit",
		fmt.Sprintf("show at most this many rows of a report; 0: all (default %d for text by call or by shape, else all)",
			defaultTextZones))
	f.flags.output(&f.output)
	cli.Formerly(f.set, "card", "chip")
}

func (f *showingTT) run(c *call) int {
	found, err := ttmetal.FindFiles(c.paths)
	if err != nil {
		return c.fail(err)
	}
	status := cli.ExitOK
	var reports []*ttmetal.FileReport
	var inputs []string
	for _, files := range found {
		r, err := readTT(c.ctx, c.Streams, f.quiet, files)
		if r != nil {
			inputs = append(inputs, r.Files.Paths()...)
		}
		if err != nil {
			status = failTT(c.Streams, err, r != nil)
		}
		if r == nil {
			continue
		}
		if err := narrowTT(r, f.from, f.to); err != nil {
			status = c.Fail("%s: %v", r.Files.Name, err)
			continue
		}
		if f.chip != "" {
			r.Measure(ttmetal.ChipNamed(f.chip))
		}
		reports = append(reports, r)
	}
	if len(reports) == 0 {
		return status
	}
	width := 0
	if f.output == "" {
		width = cli.TerminalWidth(c.Out)
	}
	if err := c.writeOutput(f.output, inputs, func(w io.Writer) error {
		return f.write(w, reports,
			width)
	}); err != nil {
		return c.fail(err)
	}
	for _, r := range reports {
		warnTT(c.Streams, r)
	}
	return status
}

// readTT reads the tables of a report, with progress where they are large.
func readTT(ctx context.Context, s cli.Streams, quiet bool, files ttmetal.Files) (*ttmetal.FileReport, error) {
	progress := cli.NewProgressLine(s.Err, quiet)
	defer progress.Clear()
	return ttmetal.ReadFiles(ctx, files, progress.Reading)
}

// narrowTT keeps what --from and --to leave of a report.
func narrowTT(r *ttmetal.FileReport, from, to string) error {
	if from == "" && to == "" {
		return nil
	}
	part, err := r.Between(from, to)
	if err == nil {
		r.Report = part
	}
	return err
}

func (f *showingTT) settle([]string) (err error) {
	if f.view.Name, err = optionalRE("--filter", f.filter); err != nil {
		return err
	}
	if f.page != "" {
		if f.output != "" || f.set.Changed("format") {
			return errors.New("--html writes a page and no report: --output and --format do not go with it")
		}
		f.output, f.format = f.page, formatPage
	}
	if !f.set.Changed("sort") {
		f.view.Order = ""
	}
	if f.view.By == ttreport.ByCall && (f.view.Order == ttreport.OrderMedian || f.view.Order == ttreport.OrderCalls) {
		return fmt.Errorf("--sort %s is not for --by call", f.view.Order)
	}
	if f.format == rowtext.Text && (f.view.By == ttreport.ByCall || f.view.By == ttreport.ByShape) && !f.set.Changed("limit") {
		f.view.Limit = defaultTextZones
	}
	return nil
}

func (f *showingTT) write(w io.Writer, reports []*ttmetal.FileReport, width int) error {
	switch f.format {
	case formatPage:
		return f.view.WriteHTML(w, reports)
	case rowtext.Text:
		return f.view.WriteText(w, reports, width)
	}
	return f.view.WriteRows(w, reports, f.format)
}

// failTT prints what is wrong with the tables of a report, each on a line, and returns the status for it. Some of the
// report may be there nevertheless.
func failTT(s cli.Streams, err error, some bool) int {
	errs := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		errs = joined.Unwrap()
	}
	more := ""
	if some {
		more = "; what is shown is what came before"
	}
	for _, err := range errs {
		s.Fail("%v%s", err, more)
	}
	return cli.ExitError
}

// warnTT says what a report misses.
func warnTT(s cli.Streams, r *ttmetal.FileReport) {
	for _, p := range r.Problems {
		s.Say("zonemark: warning: %s: %s", r.Files.Name, report.Printable(p))
	}
	if r.Partial {
		s.Say("zonemark: warning: %s: PARTIAL: the tables do not hold everything that happened; sums are too small",
			r.Files.Name)
	}
}

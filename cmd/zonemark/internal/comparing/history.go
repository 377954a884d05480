package comparing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/compare"
	"zonemark/driver/compare/comparepage"
	"zonemark/driver/journal"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

const historyIntro = `Say how measurements went over many runs: where they became permanently
faster or slower, and between which commits. Runs of different machines are kept apart.

Usage: zonemark history [flags] DIR|JOURNAL…

A folder stands for all journals below it.

Examples:
  zonemark run suite.toml -o runs/$(date +%F).ndjson      every night
  zonemark history runs
  zonemark history runs --html trend.html
`

// past is one call of the verb history.
type past struct {
	program.Program
	options compare.Options
	filter  string
	keep    *regexp.Regexp
	format  string
	page    string // a file
	all     bool
	quiet   bool
}

// History is the verb history: it reads the arguments, does what they say and returns the exit status.
func History(ctx context.Context, p program.Program, args []string) int {
	h := &past{Program: p, format: rowtext.Text, options: compare.DefaultOptions()}
	set := cli.NewFlagSet("history")
	h.add(set)
	err := cli.Parse(set, p.Streams, args, historyIntro)
	if err == nil {
		err = h.check(set)
	}
	if err != nil {
		return p.Misused("history --help", err)
	}
	return p.Done(h.run(ctx, set.Args()))
}

func (h *past) add(s *pflag.FlagSet) {
	s.StringVar(&h.filter, "filter", "", "keep only measurements whose name matches this regular expression")
	s.Var(cli.Fraction(&h.options.Margin), "margin", "relative difference that does not matter")
	s.Var(cli.Fraction(&h.options.Alpha), "alpha", "chance that any step is wrong if nothing has changed")
	s.BoolVar(&h.all, "all", false, "show all measurements; without it, at most a page of those that have no step")
	s.Var(cli.Choice(&h.format, []string{rowtext.Text, rowtext.NDJSON}), "format",
		"report on standard output")
	s.StringVar(&h.page, "html", "", "write a page (HTML) with all trends to this file, which is replaced")
	cli.Elsewhere(s, "html", "plot", "png", "svg", "pdf")
	cli.FormerlyOutput(s, "html")
	s.BoolVarP(&h.quiet, "quiet", "q", false, "no progress and no messages but errors and warnings")
}

func (h *past) check(set *pflag.FlagSet) (err error) {
	if set.NArg() == 0 {
		return errors.New("history needs a folder with journals, or journals (run -o FILE writes one)")
	}
	if h.keep, err = cli.Compile("--filter", h.filter); err != nil {
		return err
	}
	if err := (cli.Output{Flag: "--html", Path: h.page}).Check(); err != nil {
		return err
	}
	return checkDecisions(h.options)
}

func (h *past) run(ctx context.Context, paths []string) error {
	runs, err := h.read(ctx, paths)
	if err != nil {
		return err
	}
	machines := byMachine(runs)
	for i := range machines {
		machines[i].series = compare.History(machines[i].runs, h.options)
	}
	if !slices.ContainsFunc(machines, func(m machineHistory) bool { return len(m.series) > 0 }) {
		return fmt.Errorf("%s, but no measurement is in two runs of the same machine", report.Counted(len(runs), "run"))
	}
	if h.page != "" {
		err := files.Replace(h.page, 0o666, func(w io.Writer) error { return comparepage.Write(w, trendPage(machines)) })
		if err != nil {
			return fmt.Errorf("the page %s was not written: %w", h.page, err)
		}
	}
	if h.format == rowtext.NDJSON {
		return writeSteps(h.Out, machines)
	}
	return h.text(machines)
}

// read reads the journals at paths and in folders, oldest first.
func (h *past) read(ctx context.Context, paths []string) (runs []*compare.Set, err error) {
	skipped := 0
	for _, path := range paths {
		if err := cli.CheckExists(path, "a folder with journals, or a journal"); err != nil {
			return nil, err
		}
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() && file != path || entry.IsDir() {
				return err
			}
			stored, err := journal.Reading{Figures: true, Keep: h.keep.MatchString}.File(ctx, file)
			if err != nil && file != path && ctx.Err() == nil {
				skipped++
				return nil
			}
			if err != nil {
				return err
			}
			set, err := compare.FromRecords(file, stored.Header.Environment, stored.Records)
			if err = errors.Join(err, stored.Records.Close()); err != nil {
				return err
			}
			set.Measurements = slices.DeleteFunc(set.Measurements, func(m compare.Measurement) bool {
				return !h.keep.MatchString(m.Name)
			})
			set.Started, set.Commit = stored.Header.Started, stored.Header.Commit
			runs = append(runs, set)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if skipped > 0 && !h.quiet {
		h.Say("note: %s of zonemark, and left out", counted(skipped, "file is no journal", "files are no journals"))
	}
	if len(runs) < 2 {
		return nil, fmt.Errorf("%s: %s; a history needs two or more", strings.Join(paths, ", "),
			counted(len(runs), "journal", "journals"))
	}
	slices.SortStableFunc(runs, func(a, b *compare.Set) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Source, b.Source))
	})
	return runs, nil
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// machineHistory is the history of one machine.
type machineHistory struct {
	name   string
	runs   []*compare.Set
	series []compare.Series
}

// byMachine divides runs by the machines on which they were measured, in the order of their first runs.
func byMachine(runs []*compare.Set) (list []machineHistory) {
	for _, r := range runs {
		at := slices.IndexFunc(list, func(m machineHistory) bool { return len(compare.Machines(m.runs[0], r)) == 0 })
		if at < 0 {
			at = len(list)
			list = append(list, machineHistory{name: machineName(r.Environment)})
		}
		list[at].runs = append(list[at].runs, r)
	}
	return list
}

func machineName(environment map[string]string) string {
	var words []string
	for _, key := range []string{"host", "cpu", "cpus", "kernel"} {
		switch v := environment[key]; {
		case v == "":
		case key == "cpus":
			words = append(words, v+" CPUs")
		default:
			words = append(words, v)
		}
	}
	if len(words) == 0 {
		return "a machine that the journals do not name"
	}
	return strings.Join(words, "; ")
}

// stepText says what a step did, and where.
func (m *machineHistory) stepText(s *compare.Series, step *compare.Step) string {
	before, after := m.runs[s.Points[step.Before].Run], m.runs[s.Points[step.After].Run]
	text := fmt.Sprintf("%s %s (%s to %s) at %s", step.Verdict, percent(step.Ratio),
		strings.TrimSuffix(percent(step.Low), " %"), percent(step.High), after.Started.UTC().Format("2006-01-02 15:04"))
	switch {
	case after.Commit != "" && after.Commit == before.Commit:
		text += ", with the same commit " + short(after.Commit) + " before and after"
	case after.Commit != "" && before.Commit != "":
		text += ", between commit " + short(before.Commit) + " and " + short(after.Commit)
	case after.Commit != "":
		text += ", commit " + short(after.Commit)
	}
	return text
}

// short returns the first digits of a commit.
func short(commit string) string { return commit[:min(len(commit), 12)] }

// whole returns the ratio of the latest value that counts to the first one; NaN if there are none.
func whole(s *compare.Series) float64 {
	first, last := math.NaN(), math.NaN()
	for _, p := range s.Points {
		if p.Note == "" {
			last = p.Value
			if math.IsNaN(first) {
				first = last
			}
		}
	}
	return last / first
}

// ordered returns the series in the order of comparisons: those first that became slower at their last step, then those
// that became faster, then the others; of each, the greatest step first.
func (m *machineHistory) ordered() []*compare.Series {
	var list []*compare.Series
	for i := range m.series {
		list = append(list, &m.series[i])
	}
	slices.SortStableFunc(list, func(a, b *compare.Series) int {
		return cmp.Or(cmp.Compare(slices.Index(verdicts, latest(a)), slices.Index(verdicts, latest(b))),
			cmp.Compare(greatest(b), greatest(a)))
	})
	return list
}

// latest returns the verdict of the last step; Same if there is none.
func latest(s *compare.Series) compare.Verdict {
	if len(s.Steps) == 0 {
		return compare.Same
	}
	return s.Steps[len(s.Steps)-1].Verdict
}

// greatest returns the size of the greatest step, as a logarithm.
func greatest(s *compare.Series) (size float64) {
	for _, step := range s.Steps {
		size = max(size, logOf(step.Ratio), -logOf(step.Ratio))
	}
	return size
}

func seriesName(s *compare.Series) string {
	return fullName(compare.Row{Name: s.Name, New: &compare.Measurement{Parameters: s.Parameters}})
}

// shownValue shows a time, or cycles.
func shownValue(s *compare.Series, v float64) string { return value(compare.Row{By: s.By}, v) }

// days returns the first and the last day of runs that say it, for the end of a text.
func (m *machineHistory) days() string {
	var days []string
	for _, run := range m.runs {
		if !run.Started.IsZero() {
			days = append(days, run.Started.UTC().Format(time.DateOnly))
		}
	}
	if len(days) == 0 {
		return ""
	}
	return ", " + days[0] + " to " + days[len(days)-1]
}

// text reports for people.
func (h *past) text(machines []machineHistory) error {
	b := &strings.Builder{}
	width := cli.TerminalWidth(h.Out)
	for i := range machines {
		m := &machines[i]
		fmt.Fprintf(b, "%s: %s%s\n\n", report.Printable(m.name), report.Counted(len(m.runs), "run"), m.days())
		t := &texttable.Table{Columns: []texttable.Column{
			{Title: "name", Name: true}, {Title: "runs", Right: true}, {Title: "first", Right: true},
			{Title: "latest", Right: true}, {Title: "change", Right: true}, {Title: "steps", Right: true}, {Title: "by", Spare: true},
		}}
		hidden := 0
		for _, s := range m.ordered() {
			if len(s.Steps) == 0 && !h.all && t.Len() >= shownOfEach {
				hidden++
				continue
			}
			t.Add(report.Printable(seriesName(s)), fmt.Sprint(len(s.Points)), shownValue(s, s.Points[0].Value),
				shownValue(s, s.Points[len(s.Points)-1].Value), percent(whole(s)), fmt.Sprint(len(s.Steps)), string(s.By))
		}
		if err := t.Write(b, width); err != nil {
			return err
		}
		if hidden > 0 {
			fmt.Fprintf(b, "  and %s more without a step; --all shows them\n", report.Grouped(int64(hidden)))
		}
		for _, s := range m.ordered() {
			for k := range s.Steps {
				fmt.Fprintf(b, "\n%s: %s", report.Printable(seriesName(s)), report.Printable(m.stepText(s, &s.Steps[k])))
			}
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(h.Out, b.String())
	return err
}

// writeSteps writes a line for each series, with its steps.
func writeSteps(w io.Writer, machines []machineHistory) error {
	type step struct {
		Verdict compare.Verdict `json:"verdict"`
		Ratio   *float64        `json:"ratio"`
		Low     *float64        `json:"ratio_low"`
		High    *float64        `json:"ratio_high"`
		Before  string          `json:"before"` // the journals
		After   string          `json:"after"`
		From    string          `json:"commit_before,omitempty"`
		To      string          `json:"commit_after,omitempty"`
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range machines {
		m := &machines[i]
		for _, s := range m.ordered() {
			line := struct {
				Name       string         `json:"name"`
				Parameters string         `json:"params,omitempty"`
				Machine    string         `json:"machine"`
				By         compare.Figure `json:"by"`
				Runs       int            `json:"runs"`
				First      float64        `json:"first"`
				Latest     float64        `json:"latest"`
				Steps      []step         `json:"steps"`
			}{s.Name, s.Parameters, m.name, s.By, len(s.Points), s.Points[0].Value, s.Points[len(s.Points)-1].Value, []step{}}
			for _, one := range s.Steps {
				before, after := m.runs[s.Points[one.Before].Run], m.runs[s.Points[one.After].Run]
				line.Steps = append(line.Steps, step{one.Verdict, invocations.Finite(one.Ratio),
					invocations.Finite(one.Low), invocations.Finite(one.High),
					before.Source, after.Source, before.Commit, after.Commit})
			}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

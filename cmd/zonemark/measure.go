package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver"
	"zonemark/driver/environ"
	"zonemark/driver/filehash"
	"zonemark/driver/report"
	"zonemark/driver/stats"
	"zonemark/invocations"
)

// measurement is one run of the command line: plan, journal, executors, report.
type measurement struct {
	*measureFlags
	cli.Streams
	paths []string // as the user gave them
	// beforehand looks, before anything is measured, whether what comes of the plan can be kept; may be nil.
	beforehand func(*driver.Plan) error
	uncaptured string            // why there is no capture in the file that was asked for
	leftOver   string            // what a run that ended early has kept, for people; empty when it was refused
	variables  environ.Variables // of executors; planned adds what runtimes provide
}

// planned resolves the paths to a plan.
func (m *measurement) planned(ctx context.Context) (*driver.Plan, error) {
	requests, err := m.requests(m.paths)
	if err != nil {
		return nil, err
	}
	if err := m.provide(ctx, requests); err != nil {
		return nil, err
	}
	cache, err := m.program.Cache().Folder("built")
	if err != nil {
		return nil, err
	}
	group, err := m.grouping()
	if err != nil {
		return nil, err
	}
	builder := hosting.NewBuilder(m.hosting(m.variables, ""))
	defer builder.Close()
	hashes, err := m.program.Cache().Folder("hashes")
	if err != nil {
		return nil, err
	}
	planner := &driver.Planner{Builder: builder, Build: cli.Version(), Cache: cache, Group: group, Content: m.program.Runtimes.Contents(filehash.New(hashes).SHA256), Say: m.note}
	plan, err := planner.Resolve(ctx, requests, m.functions)
	if err != nil {
		return nil, err
	}
	all := len(plan.List)
	if plan.Filter(m.filterRE); all > 0 && len(plan.List) == 0 {
		return nil, fmt.Errorf("--filter %s: none of %s has a name that matches; \"zonemark list\" shows them", m.filter, report.Counted(all, "invocation"))
	}
	m.defaultLaunches(plan)
	for _, w := range plan.Warnings {
		m.note("warning: %s", w)
	}
	return plan, nil
}

// newMeasurement returns a run of what the flags and paths say.
func newMeasurement(f *measureFlags, paths []string) *measurement {
	return &measurement{measureFlags: f, Streams: f.program.Streams, paths: paths, variables: f.program.Variables}
}

// provide finds, or installs, what the runtimes of the requests need.
func (m *measurement) provide(ctx context.Context, requests []invocations.Invocation) (err error) {
	installing := m.program.Installing(m.quiet)
	defer installing.Line.Clear()
	m.variables, err = m.program.Runtimes.Provide(ctx, installing.Options(m.python), requests, false)
	return err
}

// keep prepares what runtimes keep of a run; see runtimes.Table.Keep.
func (m *measurement) keep(plan *driver.Plan, scratch string) (take func() error, err error) {
	folders := runtimes.Folders{Scratch: scratch, Cache: m.program.Cache().Folder}
	m.variables, take, err = m.program.Runtimes.Keep(folders, m.variables, runtimesOf(plan)...)
	return take, err
}

// defaultLaunches lets the variants of each group take turns as often as pairs of launches need to decide, when the user did not say how often.
func (m *measurement) defaultLaunches(plan *driver.Plan) {
	size := map[string]int{}
	for _, p := range plan.List {
		size[p.Invocation.Group]++
	}
	for i := range plan.List {
		inv := &plan.List[i].Invocation
		if inv.Measure.Launches == 0 && inv.Group != "" && size[inv.Group] > 1 {
			inv.Measure.Launches = groupLaunches
		}
	}
}

// note prints a message unless --quiet.
func (m *measurement) note(format string, args ...any) {
	if !m.quiet {
		m.Say(format, args...)
	}
}

// measure carries the plan out and returns what came of it, even with an error.
func (m *measurement) measure(ctx context.Context, plan *driver.Plan) (run report.Run, err error) {
	run = report.Run{Build: cli.Version(), Started: time.Now(), Command: os.Args, Environment: plan.Environment}
	cli.RelaxCollector()
	scratch, err := m.program.Cache().Scratch()
	if err != nil {
		return run, err
	}
	defer os.RemoveAll(scratch)
	keep, err := m.keep(plan, scratch)
	if err != nil {
		return run, err
	}
	line := cli.NewProgressLine(m.Err, m.quiet)
	passes, err := m.dispatchPlan(plan)
	if err != nil {
		return run, err
	}
	executors := hosting.NewMeasurer(m.hosting(m.variables, scratch))
	defer executors.Close()
	machines, err := m.program.Cache().Folder("")
	if err != nil {
		return run, err
	}
	outcome, err := driver.Execute(ctx, plan, driver.Execution{
		Executor: executors, Build: cli.Version(), Command: os.Args, Seed: m.inv.Measure.Seed,
		Journal: driver.JournalFile{Path: m.output, Resume: m.resume, Overwrite: m.overwrite},
		Passes:  m.passes(passes, scratch, line), Machines: filepath.Join(machines, "machines.json"),
		Progress: m.progress(line),
		Note: func(format string, args ...any) {
			line.Clear()
			m.note(format, args...)
		},
	})
	line.Clear()
	if keepErr := keep(); keepErr != nil {
		m.note("warning: %v", keepErr)
	}
	run.Started, run.Environment = outcome.Started, outcome.Environment
	run.Records, run.Complete = outcome.Records, outcome.Complete
	run.Rankings = report.Rank(outcome.Records, stats.RankOptions{})
	if m.dispatchFile != "" && len(outcome.Records) > 0 {
		err = errors.Join(err, m.addProfiled(outcome.Records, passes.traced))
	}
	if m.leftOver = outcome.LeftOver(); err != nil && m.leftOver != "" {
		err = fmt.Errorf("%w\n%s", err, m.leftOver)
	}
	return run, err
}

// passes are what finds out, before the measuring, where the time of invocations goes.
func (m *measurement) passes(p dispatchPasses, scratch string, line *cli.ProgressLine) (list []driver.DispatchPass) {
	if p.traced {
		list = append(list, func(ctx context.Context, plan *driver.Plan, done map[string]invocations.Record) (map[string]invocations.Profile, error) {
			return m.tracePass(ctx, plan, done, scratch, line)
		})
	}
	if len(p.recorded) > 0 {
		list = append(list, func(ctx context.Context, plan *driver.Plan, done map[string]invocations.Record) (map[string]invocations.Profile, error) {
			return m.recordPass(ctx, plan, p.recorded, done, scratch, line)
		})
	}
	return list
}

// progress shows on line how far the run is, and with --verbose each result as it comes.
func (m *measurement) progress(line *cli.ProgressLine) func(driver.Progress) {
	show := showProgress(line)
	return func(p driver.Progress) {
		if p.Record != nil && m.verbose {
			line.Clear()
			m.Say("%s", resultLine(p.Record))
		}
		show(p)
	}
}

// resultLine is a result as --verbose shows it when it comes.
func resultLine(r *invocations.Record) string {
	text := fmt.Sprintf("%s: %s", r.Name, r.Status)
	switch {
	case r.Error != "":
		text += ": " + r.Error
	case r.MedianNS != nil:
		text += ", median " + report.Time(*r.MedianNS)
	}
	return text
}

// report writes the report and returns the exit status that the results justify.
func (m *measurement) report(run report.Run) int {
	format, err := m.program.Formats.Lookup(m.format)
	if err != nil {
		return m.Fail("--format: %v", err)
	}
	run.Width, run.Verbose, run.Counters = cli.TerminalWidth(m.Out), m.verbose, m.set.Changed("counters")
	if err := format.Write(m.Out, run); err != nil {
		return m.Fail("write the report: %v", err)
	}
	bad := func(r invocations.Record) bool { return r.Status != invocations.OK && r.Status != invocations.Skipped }
	if slices.ContainsFunc(run.Records, bad) {
		return cli.ExitNotOK
	}
	return cli.ExitOK
}

// all plans, measures and reports; finish is called with the results before they are reported, and may be nil.
func (m *measurement) all(ctx context.Context, finish func(report.Run) error) int {
	if err := m.checkOutputs(); err != nil {
		return m.Fail("%v", err)
	}
	plan, err := m.planned(ctx)
	if ctx.Err() != nil {
		return m.Fail("interrupted; nothing was measured")
	}
	if err != nil {
		return m.Fail("%v", err)
	}
	if m.dryRun {
		return m.showPlan(plan)
	}
	if m.beforehand != nil {
		if err := m.beforehand(plan); err != nil {
			return m.Fail("%v", err)
		}
	}
	run, err := m.measure(ctx, plan)
	if m.uncaptured != "" {
		err = errors.Join(err, fmt.Errorf("%s was not written: %s", m.traceFile, m.uncaptured))
	}
	status := cli.ExitOK
	if len(run.Records) > 0 || err == nil {
		status = m.report(run)
	}
	if finish != nil && len(run.Records) > 0 {
		err = errors.Join(err, finish(run))
	}
	switch {
	case errors.Is(err, context.Canceled) && m.leftOver == "":
		return m.Fail("interrupted; nothing was measured")
	case errors.Is(err, context.Canceled):
		return m.Fail("interrupted\n%s", m.leftOver)
	case err != nil:
		return m.Fail("%v", err)
	}
	return status
}

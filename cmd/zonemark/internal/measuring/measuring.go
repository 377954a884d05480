// Package measuring holds what the verbs that measure have in common: settings, the plan that they describe, its results
// and their report. Package driver does the measuring, with what this package gives it. The package knows no flags and no
// single runtime.
package measuring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/commits"
	"zonemark/cmd/zonemark/internal/dispatches"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/remoting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver"
	"zonemark/driver/bench"
	"zonemark/driver/journal"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/driver/report/rank"
	"zonemark/driver/report/reportpage"
	"zonemark/invocations"
	"zonemark/invocations/environ"
	"zonemark/invocations/foreign"
	"zonemark/invocations/stats"
)

// Measurement is one run: a task and paths, a plan, results, a report.
type Measurement struct {
	*Task
	Paths []string // as the user has given them
	// Commands are whole commands to measure beside Paths: each a program with its arguments.
	Commands [][]string
	// Make makes the requests of a verb that makes what it measures. Nil: Paths are measured.
	Make func(context.Context) ([]invocations.Invocation, error)
	// Check returns an error, before anything is measured, if the results of the plan cannot be kept. It may be nil.
	Check func(*plan.Plan) error
	// Finish keeps the results, if there are any, before they are reported. It may be nil.
	Finish func(report.Run) error
	// Journal keeps the results. New takes it from the settings.
	Journal driver.JournalFile
	// Pairs has invocations of the plan measured two by two. Nil: each is measured for itself.
	Pairs *driver.Pairs
	// Progress is called before each launch, and with each result when the journal has it. Nil: a line on the terminal
	// shows how far the run is.
	Progress func(driver.Progress)
	// Connected are the hosts of Via, if the caller has connected to them and closes them. Nil: Execute does.
	Connected *remoting.Hosts
	// Part receives what each of several hosts has measured, see driver.Execution; may be nil.
	Part func(host, position int, r *invocations.Record)
	// Working tells what takes long in planning: what is read, what is built. Nil: it is said like other messages.
	Working func(format string, args ...any)

	variables environ.Variables       // of executors; Provide adds those of the runtimes
	models    map[string]bench.Export // that were exported for this run, by their requests
	leftOver  string                  // what a run that ended early has kept, for people; empty if it was refused
}

// New returns the run of a task on paths. The task is used, not copied.
func New(t *Task, paths []string) *Measurement {
	return &Measurement{
		Task: t, Paths: paths, variables: t.Variables,
		Journal: driver.JournalFile{Path: t.Output, Resume: t.Resume, Overwrite: t.Overwrite},
	}
}

// Run plans, measures and reports. It returns the exit status.
func (m *Measurement) Run(ctx context.Context) int {
	if err := m.checkOutputs(); err != nil {
		return m.Fail("%v", err)
	}
	if m.DryRun {
		return m.showPlan(ctx)
	}
	if err := m.checkNewJournal(); err != nil {
		return m.Fail("%v", err)
	}
	plan, err := m.Plan(ctx)
	if ctx.Err() != nil {
		return m.Fail("interrupted; nothing was measured")
	}
	if err != nil {
		return m.Fail("%v", err)
	}
	var kept *bundled
	if m.BundleFile != "" {
		if kept, err = m.bundleOf(plan); err != nil {
			return m.Fail("%v", err)
		}
	}
	run, err := m.Execute(ctx, plan)
	defer func() { _ = run.Records.Close() }() // they are there with an error, too
	if kept != nil && err == nil {
		err = m.writeBundle(kept, run)
	}
	if m.Finish != nil && run.Records.Len() > 0 { // first of all: who reads the report may stop, and end the program
		err = errors.Join(err, m.Finish(run))
	}
	var unreadable *journal.UnreadableError // a report would fail on it again
	status := cli.ExitOK
	if errors.As(err, &unreadable) {
		return m.Fail("%v", err)
	}
	if run.Records.Len() > 0 || run.Partial.Len() > 0 && m.Format == "text" || err == nil {
		status = m.report(run)
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

// Execute carries the plan out and returns what came of it, even with an error. What can be refused is refused before
// driver.Execute, and there before the journal is opened.
func (m *Measurement) Execute(ctx context.Context, plan *plan.Plan) (run report.Run, err error) {
	run = report.Run{Build: cli.Version(), Started: time.Now(), Command: os.Args, Commit: commits.Of("."),
		Environment: plan.Environment, Whole: m.keepMessage}
	cli.CollectFor(plan.Len())
	passes, err := dispatches.Choose(m.dispatchOptions(), plan, m.variables)
	if err != nil {
		return run, err
	}
	if err := m.prepare(ctx, passes, plan); err != nil {
		return run, err
	}
	machines, err := MachineFile(m.Cache())
	if err != nil {
		return run, err
	}
	scratch, err := m.Cache().Scratch()
	if err != nil {
		return run, err
	}
	defer func() { _ = cachedir.Remove(scratch) }() // the next run removes it
	folders := runtimes.Folders{Scratch: scratch, Cache: m.Cache().Folder}
	used := plan.Runtimes()
	variables, keep, err := m.Runtimes.Keep(folders, m.variables, used...)
	if err != nil {
		return run, err
	}
	cache, err := m.Cache().Folder("")
	if err != nil {
		return run, err
	}
	line := cli.NewProgressLine(m.Err, m.Quiet)
	elsewhere, err := m.elsewhere(ctx, plan, passes, line)
	if err != nil {
		return run, err
	}
	defer elsewhere.close()
	run.Environment = plan.Environment
	served := m.Hosting(variables, scratch).Serving(plan, cache)
	executors := m.newMeasurer(used)(served)
	defer executors.Close()
	emulators := m.Executors.Recorder(served)
	defer emulators.Close()
	outcome, err := driver.Execute(ctx, plan, driver.Execution{
		Executor: executors, Emulator: emulators, Build: run.Build, Words: m.Words, Command: run.Command,
		Commit: run.Commit, Seed: m.Base.Measure.Seed, Hosts: elsewhere.list, Spread: m.Spread, Journal: m.Journal, Pairs: m.Pairs,
		Top:    int(m.Top),
		Passes: passes.List(served, elsewhere.newTracer(), line), Machines: machines, Progress: m.shownProgress(line),
		Part: m.Part, Loaded: m.Runtimes.Loaded,
		Note: func(format string, args ...any) {
			line.Clear()
			m.note(format, args...)
		},
	})
	line.Clear()
	if err := keep(); err != nil { // the results are complete without it
		m.note("warning: %v", err)
	}
	run.Started, run.Environment = outcome.Started, outcome.Environment
	run.Records, run.Partial, run.Complete = outcome.Records, outcome.Partial, outcome.Complete
	run.Resumable = m.Journal.Path != ""
	var unreadable error
	run.Rankings, unreadable = rank.Groups(outcome.Records, stats.RankOptions{})
	return run, m.ended(errors.Join(err, unreadable), outcome, passes)
}

// newMeasurer returns what makes the executors for the runtimes of a plan. If one of them has programs, all have; see
// checkConfinement.
func (m *Measurement) newMeasurer(used []string) func(hosting.Options) hosting.Executors {
	if slices.ContainsFunc(used, m.Runtimes.Programs) {
		return m.Executors.CommandMeasurer
	}
	return m.Executors.Measurer
}

// ended completes results by what passes have found, and the error of a run by what is left of it.
func (m *Measurement) ended(err error, outcome driver.Outcome, passes *dispatches.Passes) error {
	err = errors.Join(err, passes.AddProfiled(outcome.Records))
	if m.leftOver = outcome.LeftOver(); err != nil && m.leftOver != "" {
		err = &EarlyError{err, m.leftOver}
	}
	if why := passes.Uncaptured(); why != "" {
		err = errors.Join(err, fmt.Errorf("%s was not written: %s", m.TraceFile, why))
	}
	return err
}

// EarlyError is the error of a run that ended early.
type EarlyError struct {
	Err      error
	LeftOver string // what it has kept, for people
}

func (e *EarlyError) Error() string { return e.Err.Error() + "\n" + e.LeftOver }
func (e *EarlyError) Unwrap() error { return e.Err }

// prepare checks the plan, and has built what profilers need beside what is measured.
func (m *Measurement) prepare(ctx context.Context, passes *dispatches.Passes, plan *plan.Plan) error {
	if m.Check != nil {
		if err := m.Check(plan); err != nil {
			return err
		}
	}
	builder := m.Executors.Builder(m.Hosting(m.variables, ""))
	defer builder.Close()
	planner, err := m.planner(builder)
	if err != nil {
		return err
	}
	passes.Prepare(plan, func(runtime string, list []invocations.Artifact) ([]string, []error) {
		return planner.BuildAll(ctx, runtime, list)
	})
	return ctx.Err()
}

// MachineFile returns the file with the knowledge of machines.
func MachineFile(c cachedir.Cache) (string, error) {
	folder, err := c.Folder("")
	return filepath.Join(folder, "machines.json"), err
}

// ReferenceGHz returns the usual clock of the machine with this environment, 0 if earlier runs did not find it out.
func (m *Measurement) ReferenceGHz(environment map[string]string) (float64, error) {
	path, err := MachineFile(m.Cache())
	if err != nil {
		return 0, err
	}
	known, err := machine.Open(path, environment)
	if err != nil {
		m.note("warning: %v", err)
	}
	return known.ReferenceGHz(), nil
}

// dispatchOptions say what the flags ask about dispatches.
func (m *Measurement) dispatchOptions() dispatches.Options {
	o := dispatches.Options{
		Runtimes: m.Runtimes, Source: m.Dispatches, TraceFile: m.TraceFile, CSVFile: m.DispatchFile, Resume: m.Resume,
		Note: m.note, Elsewhere: len(m.Via), Executors: m.Executors,
	}
	if m.Base.Measure.CheckOnly {
		o.Source = runtimes.SourceOff
	}
	return o
}

// note prints a message unless --quiet.
func (m *Measurement) note(format string, args ...any) {
	if !m.Quiet {
		m.Say(format, args...)
	}
}

// shownProgress returns Progress or, without one, what shows the run on line.
func (m *Measurement) shownProgress(line *cli.ProgressLine) func(driver.Progress) {
	if m.Progress != nil {
		return m.Progress
	}
	return m.progress(line)
}

// progress shows on line how far the run is, and with --verbose each result as it comes.
func (m *Measurement) progress(line *cli.ProgressLine) func(driver.Progress) {
	show := hosting.ShowProgress(line)
	return func(p driver.Progress) {
		if p.Record != nil && m.Verbose {
			line.Clear()
			m.Say("%s", ResultLine(p.Record))
		}
		show(p)
	}
}

// ResultLine returns a result as --verbose shows it when it comes.
func ResultLine(r *invocations.Record) string {
	text := fmt.Sprintf("%s: %s", r.Name, r.Status)
	switch {
	case r.Error != "":
		text += ": " + r.Error
	case r.MedianNS != nil:
		text += ", median " + report.Time(*r.MedianNS)
	}
	return foreign.Line(text)
}

// report writes the report and returns the exit status for the results.
func (m *Measurement) report(run report.Run) int {
	format, err := m.Formats.Lookup(m.Format)
	if err != nil {
		return m.Fail("--format: %v", err)
	}
	run.Width, run.Verbose, run.Counters = cli.TerminalWidth(m.Out), m.Verbose, m.Given["counters"]
	run.Dispatches = m.shownDispatches()
	run.Colours, run.Plot = cli.Colours(m.Out, m.Variables.Lookup), m.Plot
	if err := format.Write(m.Out, run); err != nil {
		return m.Fail("write the report: %v", err)
	}
	if m.PageFile != "" {
		source := reportpage.Source{Run: run}
		if m.Output != "" {
			source.Journal = filepath.Base(m.Output)
		}
		if err := WritePage(m.PageFile, m.Cache(), []reportpage.Source{source}); err != nil {
			return m.Fail("%v", err)
		}
	}
	for i := range run.Records.Len() {
		switch run.Records.Status(i) {
		case invocations.OK:
			continue
		case invocations.Skipped:
			if r, err := run.Records.At(i); err != nil {
				return m.Fail("%v", err)
			} else if !m.asksFor(r.Function) {
				continue
			}
		}
		return cli.ExitNotOK
	}
	return cli.ExitOK
}

// asksFor reports whether the user has named the function with --function. It is then no success that it was skipped.
func (m *Measurement) asksFor(function string) bool { return slices.Contains(m.Functions, function) }

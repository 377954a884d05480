package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"zonemark/driver"
	"zonemark/driver/report"
	"zonemark/driver/stats"
	"zonemark/invocations"
)

// measurement is one run of the command line: plan, journal, executors, report.
type measurement struct {
	*measureFlags
	streams
	paths []string // as the user gave them
	// beforehand looks, before anything is measured, whether what comes of the plan can be kept; may be nil.
	beforehand func(*driver.Plan) error
	uncaptured string // why there is no capture in the file that was asked for
}

// planned resolves the paths to a plan.
func (m *measurement) planned(ctx context.Context) (*driver.Plan, error) {
	requests, err := m.requests(m.paths)
	if err != nil {
		return nil, err
	}
	if err := provideRuntimes(ctx, m.streams, m.quiet, m.python, requests); err != nil {
		return nil, err
	}
	cache, err := cacheFolder("built")
	if err != nil {
		return nil, err
	}
	group, err := m.grouping()
	if err != nil {
		return nil, err
	}
	builder := newStarter(builderRole, m.measureFlags, "")
	defer builder.Close()
	planner := &driver.Planner{Builder: builder, Build: version(), Cache: cache, Group: group, Say: m.note}
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
		m.say(format, args...)
	}
}

// measure carries the plan out and returns what came of it, even with an error.
func (m *measurement) measure(ctx context.Context, plan *driver.Plan) (report.Run, error) {
	run := report.Run{Build: version(), Started: time.Now(), Command: os.Args, Environment: plan.Environment}
	debug.SetGCPercent(collectorPercent)
	journal, done, err := m.openJournal(plan)
	if err != nil {
		return run, err
	}
	scratch, err := newScratch()
	if err != nil {
		return run, errors.Join(err, closeJournal(journal, false))
	}
	defer os.RemoveAll(scratch)
	keep, err := provideCompiled(scratch)
	if err != nil {
		return run, errors.Join(err, closeJournal(journal, false))
	}
	line := newProgressLine(m.err, m.quiet)
	passes, err := m.dispatchPlan(plan)
	if err != nil {
		return run, errors.Join(err, closeJournal(journal, false))
	}
	traced, err := m.timeDispatches(ctx, plan, passes, done, scratch, line)
	if err != nil {
		return run, errors.Join(err, closeJournal(journal, false))
	}
	executors := newStarter(executorRole, m.measureFlags, scratch)
	defer executors.Close()
	runner := &driver.Runner{Executor: executors, Build: version(), Seed: m.inv.Measure.Seed, Journal: journal, Done: done, Traced: traced,
		Progress: func(p driver.Progress) {
			if p.Record != nil && m.verbose {
				line.clear()
				m.say("%s", resultLine(p.Record))
			}
			line.show(p)
		}}
	if runner.Machine, err = openMachine(plan.Environment); err != nil {
		m.note("warning: %v", err)
	}
	outcome, err := runner.Run(ctx, plan)
	line.clear()
	if runner.Machine != nil {
		if saveErr := runner.Machine.Save(); saveErr != nil { // the results are whole without it
			m.note("warning: %v", saveErr)
		}
	}
	if keepErr := keep(); keepErr != nil {
		m.note("warning: %v", keepErr)
	}
	run.Records, run.Complete = outcome.Records, outcome.Complete
	if outcome.Counters != "" {
		run.Environment = maps.Clone(run.Environment)
		run.Environment["counters"] = outcome.Counters
	}
	run.Rankings = report.Rank(outcome.Records, stats.RankOptions{})
	if m.dispatchFile != "" && len(outcome.Records) > 0 {
		err = errors.Join(err, m.addProfiled(outcome.Records, passes.traced))
	}
	err = errors.Join(err, closeJournal(journal, outcome.Complete))
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, m.leftOver(len(outcome.Records), len(plan.List)))
	}
	return run, err
}

// timeDispatches carries the passes out that time dispatches beside the measuring, and says what was found, by id.
func (m *measurement) timeDispatches(ctx context.Context, plan *driver.Plan, passes dispatchPasses, done map[string]invocations.Record, scratch string, line *progressLine) (map[string]invocations.Profile, error) {
	found := map[string]invocations.Profile{}
	if passes.traced {
		traced, err := m.tracePass(ctx, plan, done, scratch, line)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, traced)
	}
	if len(passes.recorded) > 0 {
		recorded, err := m.recordPass(ctx, plan, passes.recorded, done, scratch, line)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, recorded)
	}
	return found, nil
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

// leftOver says what a run that ended early has kept, and how to go on.
func (m *measurement) leftOver(have, of int) string {
	if m.output == "" {
		return fmt.Sprintf("%d of %d invocations were finished; with -o FILE they would have been kept", have, of)
	}
	return fmt.Sprintf("%d of %d invocations are in %s; the same command with --resume goes on from there", have, of, m.output)
}

func (m *measurement) openJournal(plan *driver.Plan) (*driver.Journal, map[string]invocations.Record, error) {
	if m.output == "" {
		return nil, nil, nil
	}
	header := driver.Header{Build: version(), Started: time.Now(), Environment: plan.Environment, Command: os.Args}
	if !m.resume {
		j, err := driver.CreateJournal(m.output, header, m.overwrite)
		return j, nil, err
	}
	j, done, err := driver.ResumeJournal(m.output, header)
	if err != nil {
		return nil, nil, err
	}
	for _, note := range j.Notes {
		m.note("%s", note)
	}
	kept := 0
	for _, p := range plan.List {
		if _, ok := done[p.Invocation.ID]; ok {
			kept++
		}
	}
	m.note("%s: %d of %d invocations are done; measuring %d", m.output, kept, len(plan.List), len(plan.List)-kept)
	return j, done, nil
}

func closeJournal(j *driver.Journal, complete bool) error {
	if j == nil {
		return nil
	}
	return j.Close(complete)
}

// report writes the report and returns the exit status that the results justify.
func (m *measurement) report(run report.Run) int {
	format, err := report.Lookup(m.format)
	if err != nil {
		return m.fail("--format: %v", err)
	}
	run.Width, run.Verbose, run.Counters = terminalWidth(m.out), m.verbose, m.set.Changed("counters")
	if err := format.Write(m.out, run); err != nil {
		return m.fail("write the report: %v", err)
	}
	bad := func(r invocations.Record) bool { return r.Status != invocations.OK && r.Status != invocations.Skipped }
	if slices.ContainsFunc(run.Records, bad) {
		return exitNotOK
	}
	return exitOK
}

// all plans, measures and reports; finish is called with the results before they are reported, and may be nil.
func (m *measurement) all(ctx context.Context, finish func(report.Run) error) int {
	if err := m.checkOutputs(); err != nil {
		return m.fail("%v", err)
	}
	plan, err := m.planned(ctx)
	if ctx.Err() != nil {
		return m.fail("interrupted; nothing was measured")
	}
	if err != nil {
		return m.fail("%v", err)
	}
	if m.dryRun {
		return m.showPlan(plan)
	}
	if m.beforehand != nil {
		if err := m.beforehand(plan); err != nil {
			return m.fail("%v", err)
		}
	}
	run, err := m.measure(ctx, plan)
	if m.uncaptured != "" {
		err = errors.Join(err, fmt.Errorf("%s was not written: %s", m.traceFile, m.uncaptured))
	}
	status := exitOK
	if len(run.Records) > 0 || err == nil {
		status = m.report(run)
	}
	if finish != nil && len(run.Records) > 0 {
		err = errors.Join(err, finish(run))
	}
	if errors.Is(err, context.Canceled) {
		return m.fail("interrupted\n%s", m.leftOver(len(run.Records), len(plan.List)))
	}
	if err != nil {
		return m.fail("%v", err)
	}
	return status
}

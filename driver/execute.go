package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"zonemark/invocations"
)

// Execution is everything that Execute needs beside the plan. Only Executor and Build are needed.
type Execution struct {
	Executor Starter        // of sandboxed executors that measure
	Build    string         // of zonemark, for the handshake and the journal
	Command  []string       // that was given, for the journal
	Seed     uint64         // of the order
	Journal  JournalFile    // what keeps the results
	Passes   []DispatchPass // that run before anything is measured, in their order
	Machines string         // file with what is known of machines, which is added to; empty: none
	Progress func(Progress) // see Runner; may be nil
	// Note is told, in sentences, what a user should know beside the results; may be nil.
	Note func(format string, args ...any)
}

// JournalFile says which journal keeps the results. Without a path, none does.
type JournalFile struct {
	Path              string
	Resume, Overwrite bool // continue what it holds, or replace it
}

// DispatchPass finds out where the time of invocations goes, beside the measuring and before it, so that a result is
// whole when it is written. It returns what was found, by the ids of the plan's invocations; those in done are
// finished. What fails for an invocation is a note of its result; an error ends the run.
type DispatchPass func(ctx context.Context, plan *Plan, done map[string]invocations.Record) (map[string]Traced, error)

// Execute carries a plan out for every verb that measures: it opens the journal, makes the passes that time
// dispatches, measures what the journal does not hold, keeps what was learned of the machine, and closes the journal.
// It returns what it has even with an error.
//
// An executor comes up before the journal is opened: a run that is refused leaves no journal, and an old one as it
// was.
func Execute(ctx context.Context, plan *Plan, e Execution) (Outcome, error) {
	outcome := Outcome{Started: time.Now(), Environment: plan.Environment}
	runner := &Runner{Executor: e.Executor, Build: e.Build, Seed: e.Seed, Progress: e.Progress}
	runner.supervisor = &supervisor{starter: e.Executor, build: e.Build}
	defer runner.supervisor.close()
	journal, err := e.open(ctx, plan, runner)
	if err != nil {
		return outcome, err
	}
	outcome.begun, outcome.journal, outcome.planned = true, e.Journal.Path, len(plan.List)
	if runner.Traced, err = e.trace(ctx, plan, runner.Done); err == nil {
		err = e.run(ctx, plan, runner, &outcome)
	}
	if journal != nil {
		err = errors.Join(err, journal.Close(outcome.Complete))
	}
	return outcome, err
}

// open opens the journal, after an executor has come up, and tells the runner what is done already. It returns nil
// when no journal is wanted.
func (e *Execution) open(ctx context.Context, plan *Plan, runner *Runner) (*Journal, error) {
	if e.mustMeasure(plan) {
		if err := runner.supervisor.prepare(ctx); err != nil && ctx.Err() == nil { // an interrupt is no refusal
			return nil, err
		}
	}
	if e.Journal.Path == "" {
		return nil, nil
	}
	header := Header{Build: e.Build, Started: time.Now(), Environment: plan.Environment, Command: e.Command}
	if !e.Journal.Resume {
		journal, err := CreateJournal(e.Journal.Path, header, e.Journal.Overwrite)
		runner.Journal = journal
		return journal, err
	}
	journal, done, err := ResumeJournal(e.Journal.Path, header)
	if err != nil {
		return nil, err
	}
	plan.Adopt(done)
	for _, note := range journal.Notes {
		e.note("%s", note)
	}
	kept := 0
	for _, p := range plan.List {
		if _, ok := done[p.Invocation.ID]; ok {
			kept++
		}
	}
	all := len(plan.List)
	e.note("%s: %d of %d invocations are done; measuring %d", e.Journal.Path, kept, all, all-kept)
	runner.Done, runner.Journal = done, journal
	return journal, nil
}

// mustMeasure reports whether an executor will be needed for certain: the journal cannot hold everything.
func (e *Execution) mustMeasure(plan *Plan) bool {
	if e.Journal.Resume {
		if info, err := os.Stat(e.Journal.Path); err == nil && info.Size() > 0 {
			return false
		}
	}
	return slices.ContainsFunc(plan.List, func(p Planned) bool { return p.Verdict == "" })
}

// trace makes the passes and returns what they have found, by id.
func (e *Execution) trace(ctx context.Context, plan *Plan, done map[string]invocations.Record) (map[string]Traced,
	error) {
	found := map[string]Traced{}
	for _, pass := range e.Passes {
		traced, err := pass(ctx, plan, done)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, traced)
	}
	return found, nil
}

// run measures, and keeps what was learned of the machine.
func (e *Execution) run(ctx context.Context, plan *Plan, runner *Runner, outcome *Outcome) error {
	if e.Machines != "" {
		var err error
		if runner.Machine, err = OpenMachine(e.Machines, plan.Environment); err != nil {
			e.note("warning: %v", err)
		}
	}
	ran, err := runner.Run(ctx, plan)
	outcome.Records, outcome.Executors, outcome.Complete = ran.Records, ran.Executors, ran.Complete
	outcome.Environment = ran.Environment
	if runner.Machine != nil {
		if err := runner.Machine.Save(); err != nil { // the results are whole without it
			e.note("warning: %v", err)
		}
	}
	return err
}

func (e *Execution) note(format string, args ...any) {
	if e.Note != nil {
		e.Note(format, args...)
	}
}

// LeftOver says, for people, what a run that ended early has kept and how to go on. It says nothing of a run that was
// refused before its journal was opened.
func (o *Outcome) LeftOver() string {
	switch {
	case !o.begun:
		return ""
	case o.journal == "":
		return fmt.Sprintf("%d of %d invocations were finished; with -o FILE they would have been kept", len(o.Records),
			o.planned)
	}
	return fmt.Sprintf("%d of %d invocations are in %s; the same command with --resume goes on from there",
		len(o.Records), o.planned, o.journal)
}

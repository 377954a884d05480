package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
type DispatchPass func(ctx context.Context, plan *Plan, done map[string]invocations.Record) (map[string]invocations.Profile, error)

// Execute carries a plan out for every verb that measures: it opens the journal, makes the passes that time
// dispatches, measures what the journal does not hold, keeps what was learned of the machine, and closes the journal.
// It returns what it has even with an error. The journal begins when an executor has come up: a run that is refused
// leaves no journal, and an old one as it was.
func Execute(ctx context.Context, plan *Plan, e Execution) (Outcome, error) {
	outcome := Outcome{Started: time.Now(), Environment: plan.Environment}
	runner := &Runner{Executor: e.Executor, Build: e.Build, Seed: e.Seed, Progress: e.Progress}
	journal, err := e.open(plan, runner)
	if err != nil {
		outcome.refused = true
		return outcome, err
	}
	outcome.journal, outcome.planned = e.Journal.Path, len(plan.List)
	if runner.Traced, err = e.trace(ctx, plan, runner.Done); err == nil {
		err = e.run(ctx, plan, runner, &outcome)
	}
	if journal != nil {
		err = errors.Join(err, journal.Close(outcome.Complete))
	}
	return outcome, err
}

// open opens the journal and tells the runner what is done already. It returns nil when no journal is wanted.
func (e *Execution) open(plan *Plan, runner *Runner) (*Journal, error) {
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

// trace makes the passes and returns what they have found, by id.
func (e *Execution) trace(ctx context.Context, plan *Plan, done map[string]invocations.Record) (map[string]invocations.Profile,
	error) {
	found := map[string]invocations.Profile{}
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
	outcome.Environment, outcome.refused = ran.Environment, ran.refused
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

// LeftOver says, for people, what a run that ended early has kept and how to go on.
func (o *Outcome) LeftOver() string {
	switch {
	case o.refused:
		return "nothing was measured"
	case o.journal == "":
		return fmt.Sprintf("%d of %d invocations were finished; with -o FILE they would have been kept", len(o.Records),
			o.planned)
	}
	return fmt.Sprintf("%d of %d invocations are in %s; the same command with --resume goes on from there",
		len(o.Records), o.planned, o.journal)
}

// Package driver carries plans out: it has executors on this machine or on others measure invocations, launch by
// launch. It knows nothing of runtimes, native code or traces.
package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"zonemark/driver/executors"
	"zonemark/driver/journal"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// Execution holds what Execute needs, beside the plan. Executor and Build are required.
type Execution struct {
	Executor executors.Starter // of sandboxed executors that measure
	Emulator executors.Starter // of executors that start emulators; nil: those of Executor
	Hosts    []*Host           // that measure instead of Executor and Emulator; empty: these do
	Spread   bool              // every invocation is measured on all Hosts, and the result is of all of them
	Build    string            // of zonemark, for the handshake and the journal
	Words    executors.Words   // of remedies; may be nil
	Command  []string          // command line, for the journal
	Commit   string            // of the sources, for the journal; may be empty
	Seed     uint64            // of the order
	Journal  JournalFile       // where the results are kept
	Pairs    *Pairs            // nil: every invocation is measured for itself
	Top      int               // number of the best that races look for; 0: one
	Passes   []DispatchPass    // run in order before anything is measured
	Machines string            // file with the knowledge of machines, which is updated; may be empty
	Progress func(Progress)    // called before each launch and round, and with each result when the journal has it; may be nil
	// Loaded returns the files that executors load for an invocation. If one changes while it is measured, the invocation
	// fails. May be nil.
	Loaded func(*invocations.Invocation) []string
	// Part is called with what each host has measured, with Spread: the numbers of the host in Hosts, and of the
	// invocation in the plan. May be nil.
	Part func(host, position int, record *invocations.Record)
	// Note receives what a user should know beside the results, in sentences; may be nil.
	Note func(format string, args ...any)
}

// JournalFile tells which journal keeps the results. If the path is empty, there is no journal.
type JournalFile struct {
	Path              string
	Resume, Overwrite bool // continue what it holds, or replace it
	Silent            bool // do not tell how much of the plan it holds
}

// DispatchPass finds out where the time of invocations goes. It runs before measuring, so that a result is complete
// when it is written. It returns profiles by the ids of the plan's invocations; invocations in done are finished. A
// failure of one invocation becomes a note of its result; an error ends the run.
type DispatchPass func(
	ctx context.Context, plan *plan.Plan, done *journal.Done,
) (map[string]invocations.Profile, error)

// Execute carries out a plan for every verb that measures. It opens the journal, makes the passes that time dispatches,
// measures what is not in the journal, saves what it learned about the machine, and closes the journal. It returns the
// results so far even with an error. It makes the passes only after an executor has started, and then begins the
// journal, so that a refused run leaves no new journal, no traces, and an old journal unchanged.
func Execute(ctx context.Context, plan *plan.Plan, e Execution) (Outcome, error) {
	outcome := Outcome{Started: time.Now(), Environment: plan.Environment}
	r := &runner{Executor: e.Executor, Emulator: e.Emulator, Build: e.Build, Words: e.Words, Seed: e.Seed,
		Progress: e.Progress, Pairs: e.Pairs, Top: e.Top, Hosts: e.Hosts, Spread: e.Spread, Part: e.Part, Loaded: e.Loaded}
	r.Note, r.Machines = e.note, e.Machines
	written, err := e.open(ctx, plan, r)
	if err != nil {
		outcome.refused = true
		return outcome, err
	}
	if plan.Len() >= longRun {
		written.ShareCommons()
	}
	outcome.journal, outcome.planned = e.Journal.Path, plan.Len()
	r.Trace = func(ctx context.Context) (map[string]invocations.Profile, error) { return e.trace(ctx, plan, r.Done) }
	err = errors.Join(e.run(ctx, plan, r, &outcome), written.Close(outcome.Complete))
	outcome.removed = written.Removed()
	return outcome, err
}

// longRun is the number of invocations from which a journal has what its results have in common once. The lines of
// shorter ones are whole, so that scripts which read single lines find everything in them.
const longRun = 1000

// open opens the journal and tells r what is done already. The journal is a temporary one if none is wanted.
func (e *Execution) open(ctx context.Context, plan *plan.Plan, r *runner) (*journal.Writer, error) {
	if e.Journal.Path == "" {
		r.Journal = journal.Temporary()
		return r.Journal, nil
	}
	header := journal.Header{Build: e.Build, Started: time.Now(), Environment: plan.Environment, Command: e.Command,
		Commit: e.Commit, Shard: plan.Shard}
	if !e.Journal.Resume {
		w, err := journal.Create(e.Journal.Path, header, e.Journal.Overwrite)
		if err != nil {
			return nil, err
		}
		r.Journal = w
		return w, nil
	}
	w, done, err := journal.Resume(ctx, e.Journal.Path, header)
	if err != nil {
		return nil, err
	}
	plan.Adopt(done)
	for _, note := range w.Notes {
		e.note("%s", note)
	}
	again := 0
	if w.Count(invocations.Failed) > 0 {
		if again, err = done.ForgetFailed(plan.Verdicts()); err != nil {
			return nil, errors.Join(err, w.Close(false))
		}
	}
	r.Done, r.Journal = done, w
	if e.Journal.Silent {
		return w, nil
	}
	kept := 0
	for _, p := range plan.All() {
		if done.Has(p.Invocation.ID) {
			kept++
		}
	}
	all := plan.Len()
	failed := ""
	if again > 0 {
		failed = fmt.Sprintf(", of which %d had failed", again)
	}
	e.note("%s: %d of %d invocations are done; measuring %d%s", e.Journal.Path, kept, all, all-kept, failed)
	return w, nil
}

// trace makes the passes and returns the profiles that they found, by id.
func (e *Execution) trace(
	ctx context.Context, plan *plan.Plan, done *journal.Done,
) (map[string]invocations.Profile, error) {
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

// run measures and saves what it learned about the machine.
func (e *Execution) run(ctx context.Context, plan *plan.Plan, r *runner, outcome *Outcome) error {
	if e.Machines != "" && len(e.Hosts) == 0 {
		var err error
		if r.Machine, err = machine.Open(e.Machines, plan.Environment); err != nil {
			e.note("warning: %v", err)
		}
	}
	ran, err := r.measure(ctx, plan)
	outcome.Records, outcome.Executors, outcome.Complete = ran.Records, ran.Executors, ran.Complete
	outcome.Partial = ran.Partial
	outcome.Environment, outcome.refused, outcome.kept = ran.Environment, ran.refused, ran.kept
	if r.Machine != nil {
		if err := r.Machine.Save(); err != nil { // the results do not depend on it
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

// LeftOver tells the user what a run that ended early has kept and how to continue it.
func (o *Outcome) LeftOver() string {
	switch {
	case o.refused:
		return "nothing was measured"
	case o.removed:
		return fmt.Sprintf("%d of %d invocations were finished, and are in no journal", o.kept, o.planned)
	case o.journal == "":
		return fmt.Sprintf("%d of %d invocations were finished; with -o FILE they would have been kept",
			o.kept, o.planned)
	}
	return fmt.Sprintf("%d of %d invocations are in %s; the same command with --resume goes on from there",
		o.kept, o.planned, o.journal)
}
